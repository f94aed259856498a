// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "notation/digitize.h"
#include "relayout/plan/plan_words.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

using moving::CutAxis;
using moving::PlanPart;
using moving::Sweep;
using moving::SweepAxis;

// A stride as `+4`; a table as digits `12:+4 22:+48` (extent:stride, lowest first) if it has any, otherwise
// as `[0 7 3]`.
std::string offsets(Index count, Index stride, const Index* table) {
  if (table == nullptr) return fmt::format("{:+}", stride);
  const std::span entries(table, static_cast<std::size_t>(count));
  const auto chain = table[0] == 0 ? detail::digitize(0, entries) : std::nullopt;
  if (!chain || chain->size() > 6) return fmt::format("[{}]", fmt::join(entries, " "));
  std::vector<std::string> digits;
  for (const Digit& d : *chain) digits.push_back(fmt::format("{}:{:+}", d.ext, d.stride));
  return fmt::format("{}", fmt::join(digits, " "));
}

std::string axis(std::string_view name, const SweepAxis& a) {
  return fmt::format("  {} {}: src {}, dst {}\n", name, a.count, offsets(a.count, a.src, a.src_table),
                     offsets(a.count, a.dst, a.dst_table));
}

std::string part_text(const PlanPart& part) {
  const Sweep& sweep = part.sweep;
  std::string text = fmt::format("{} {}: src {}, dst {}", moving::name_of(sweep.mover),
                                 detail::plural(sweep.run, "byte"), part.src, part.dst);
  const moving::Policy& policy = sweep.policy;
  if (policy.stream) text += ", stream";
  if (policy.stage) text += ", stage";
  if (policy.prefetch) text += ", prefetch";
  if (policy.source_order) text += ", source order";
  if (part.cut != CutAxis::none)
    text += fmt::format(", cut {} by {}", moving::kCutWords[static_cast<std::size_t>(part.cut)], part.grain);
  if (sweep.slack() > 0) text += fmt::format(", slack {}", sweep.slack());
  if (const auto* fill = std::get_if<moving::mover::Fill>(&sweep.mover)) {
    text += ", pattern";
    for (const std::byte b : fill->pattern) text += fmt::format(" {}", static_cast<unsigned>(b));
  }
  text += "\n";
  for (std::uint32_t k = 0; k < sweep.loops; ++k) {
    const moving::Loop& loop = sweep.loop[k];
    text += fmt::format("  loop {}: src {:+}, dst {:+}\n", loop.count, loop.src, loop.dst);
  }
  return text + axis("rows", sweep.rows) + axis("cols", sweep.cols);
}

}  // namespace

std::string RelayoutPlan::describe() const {
  const State& state = *state_;
  std::string text = fmt::format(
      "relayout of {} in elements of {}: reads {} to {}, writes {} to {}, padding {}, {}, {}{}{}\n",
      detail::plural(state.payload, "byte"), state.element_bytes, state.src.begin, state.src.end,
      state.dst.begin, state.dst.end, moving::kPaddingWords[static_cast<std::size_t>(state.options.padding)],
      state.stream ? "streamed" : "cached", detail::plural(state.chunks, "chunk"),
      state.slices == 1 ? "" : fmt::format(" of {} slices", state.slices),
      state.in_order ? ", in order" : "");
  for (const PlanPart& part : state.parts) text += part_text(part);
  if (state.elementwise) {
    text += fmt::format("each element\n  from {}\n  to {}\n", to_prefixed_string(state.elementwise->src()),
                        to_prefixed_string(state.elementwise->dst()));
  }
  return text;
}

}  // namespace tessera
