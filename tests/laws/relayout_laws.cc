// SPDX-License-Identifier: Apache-2.0
#include "laws/relayout_laws.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/plural.h"
#include "base/state_of.h"
#include "laws/plain_threads.h"
#include "relayout/plan/contract.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"
#include "tessera/relayout/relayout.h"

namespace tessera::testing_relayout {
namespace {

// Each source byte differs from its neighbors and from the old content of the destination.
std::byte source_byte(std::size_t i) { return static_cast<std::byte>((i * 0x9e3779b97f4a7c15ULL) >> 56); }
std::byte untouched_byte(std::size_t i) { return static_cast<std::byte>(0xa5 ^ (i & 0x0f)); }

std::size_t bytes_of(const Layout& layout, Index element_bytes) {
  const auto elements = layout.buffer_size();
  TESSERA_CHECK(elements.has_value(), "the cases have buffers");
  return static_cast<std::size_t>(*elements * element_bytes);
}

// The source between guard pages, and the expected destination.
struct Scene {
  std::span<const std::byte> source;
  std::span<std::byte> target;
  std::vector<std::byte> expected;
  std::vector<bool> free_to_change;
};

using Fill = std::optional<std::array<std::byte, 16>>;

Scene set_up(const Layout& src, const Layout& dst, const Setting& setting, const Fill& fill, bool any_padding,
             GuardedMemory& from, GuardedMemory& to) {
  const Index e = setting.element_bytes;
  const auto width = static_cast<std::size_t>(e);
  const std::size_t src_bytes = bytes_of(src, e);
  const std::size_t dst_bytes = bytes_of(dst, e);
  std::byte* source = from.place(src_bytes, setting.at_end, setting.src_gap);
  std::byte* target = to.place(dst_bytes, setting.at_end, setting.dst_gap);
  for (std::size_t i = 0; i < src_bytes; ++i) source[i] = source_byte(i);
  for (std::size_t i = 0; i < dst_bytes; ++i) target[i] = untouched_byte(i);

  std::vector<std::byte> expected(target, target + dst_bytes);
  std::vector<bool> free_to_change(dst_bytes, any_padding);
  for (std::size_t i = 0; fill && i < dst_bytes; ++i) expected[i] = (*fill)[i % width];
  for_each_index(src.shape(), [&](std::span<const Index> index) {
    const auto s = static_cast<std::size_t>(src.offset(index) * e);
    const auto d = static_cast<std::size_t>(dst.offset(index) * e);
    std::memcpy(expected.data() + d, source + s, width);
    for (std::size_t i = 0; i < width; ++i) free_to_change[d + i] = false;
  });
  return {{source, src_bytes}, {target, dst_bytes}, std::move(expected), std::move(free_to_change)};
}

void run_all(const RelayoutPlan& plan, const Setting& setting, const Scene& scene) {
  if (setting.on_threads) {
    PlainThreads threads;
    return run(plan, scene.source.data(), scene.target.data(), threads);
  }
  if (setting.options.threads <= 1) return run(plan, scene.source.data(), scene.target.data());
  // Run chunks in reverse order, because they must not depend on each other.
  for (Index chunk = plan.chunks(); chunk-- > 0;)
    run_chunk(plan, chunk, scene.source.data(), scene.target.data());
}

std::string difference(const Scene& scene, const RelayoutPlan& plan) {
  for (std::size_t i = 0; i < scene.target.size(); ++i) {
    if (scene.target[i] != scene.expected[i] && !scene.free_to_change[i]) {
      return fmt::format("byte {} of the destination is {:02x}, not {:02x}\n{}", i,
                         static_cast<unsigned>(scene.target[i]), static_cast<unsigned>(scene.expected[i]),
                         plan.describe());
    }
  }
  return {};
}

// Replaces, repeats or removes a digit, a number or a line after the first one.
void edit(Choices& choices, std::string& text) {
  const auto at = [&](Index end) { return static_cast<std::size_t>(choices.pick(0, end)); };
  std::vector<std::size_t> digits;
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= '0' && text[i] <= '9') digits.push_back(i);
    if (text[i] == '\n') lines.push_back(i + 1);
  }
  const std::size_t digit = digits[at(std::ssize(digits) - 1)];
  const auto number_at = [&](std::size_t begin) {
    const std::size_t end = text.find_first_not_of("0123456789", begin);
    return text.substr(begin, end - begin);
  };
  switch (choices.pick(0, 5)) {
    case 0:
    case 1:
      text[digit] = static_cast<char>('0' + choices.pick(0, 9));
      break;
    case 2:
      text.insert(digit, 1, static_cast<char>('0' + choices.pick(0, 9)));
      break;
    case 3:
      text.erase(digit, 1);
      break;
    case 4: {
      const std::string other = number_at(digits[at(std::ssize(digits) - 1)]);
      text.replace(digit, number_at(digit).size(), other);
      break;
    }
    default: {
      if (lines.size() < 2) break;
      const std::size_t line = at(std::ssize(lines) - 2);
      const std::string moved = text.substr(lines[line], lines[line + 1] - lines[line]);
      if (choices.one_in(2)) text.erase(lines[line], moved.size());
      if (choices.one_in(2)) text.insert(lines[at(static_cast<Index>(line))], moved);
    }
  }
}

// An upper bound on the number of elements that a plan moves, to skip plans that would take long.
Index moves_of(const RelayoutPlan& plan) {
  const RelayoutPlan::State& state = detail::state_of(plan);
  if (state.elementwise) return kIndexMax;
  Index all = 0;
  for (const moving::PlanPart& part : state.parts) {
    Index moves = part.sweep.run;
    bool small = !mul_overflows(moves, part.sweep.rows.count, moves) &&
                 !mul_overflows(moves, part.sweep.cols.count, moves);
    for (std::uint32_t k = 0; k < part.sweep.loops; ++k)
      small = small && !mul_overflows(moves, part.sweep.loop[k].count, moves);
    if (!small || add_overflows(all, moves, all)) return kIndexMax;
  }
  return all;
}

// The text of a plan that evaluates both layouts at each element. For the small shapes of the tests,
// make_plan never makes such a plan.
std::string each_element(const Layout& src, const Layout& dst, const Setting& setting) {
  const Index e = setting.element_bytes;
  return fmt::format(
      "relayout of {} in elements of {}: reads 0 to {}, writes 0 to {}, padding keep, cached, {}\n"
      "each element\n  from {}\n  to {}\n",
      detail::plural(src.size() * e, "byte"), e, bytes_of(src, e), bytes_of(dst, e),
      detail::plural(setting.options.threads, "chunk"), to_prefixed_string(src), to_prefixed_string(dst));
}

bool sets_padding(Padding padding) { return padding == Padding::zero || padding == Padding::value; }

}  // namespace

Setting draw_setting(Choices& choices) {
  static const std::vector<Isa> isas = available_isas();
  constexpr std::array<Index, 8> kWidths = {1, 2, 3, 4, 6, 8, 12, 16};
  Setting setting;
  setting.element_bytes = kWidths[static_cast<std::size_t>(choices.pick(0, 7))];
  setting.options.padding = static_cast<Padding>(choices.pick(0, 3));
  for (std::byte& b : setting.options.fill) b = static_cast<std::byte>(choices.pick(0, 255));
  setting.options.consumer = static_cast<Consumer>(choices.pick(0, 1));
  setting.options.isa = isas[static_cast<std::size_t>(choices.pick(0, static_cast<Index>(isas.size()) - 1))];
  setting.options.threads = static_cast<int>(choices.pick(1, 8));
  setting.options.min_chunk_bytes = choices.pick(1, 2000);
  // Half of the plans use streaming stores, as the plans of large arrays do.
  setting.options.l2_bytes = choices.one_in(2) ? 1 : 0;
  setting.src_gap = static_cast<std::size_t>(choices.pick(0, 63));
  setting.dst_gap = static_cast<std::size_t>(choices.pick(0, 63));
  setting.at_end = choices.one_in(2);
  if (choices.one_in(2)) setting.src_gap = setting.dst_gap = 0;
  setting.through_text = choices.one_in(8);
  setting.on_threads = choices.one_in(8);
  setting.each_element = choices.one_in(50);
  return setting;
}

std::string check_relayout(const Layout& src, const Layout& dst, const Setting& setting, GuardedMemory& from,
                           GuardedMemory& to) {
  auto plan = make_plan(src, dst, setting.element_bytes, setting.options);
  if (!plan) return to_string(plan.error());
  for (const moving::PlanPart& part : detail::state_of(*plan).parts) {
    if (const char* missing = moving::broken_promise(part.sweep))
      return fmt::format("a sweep without {}\n{}", missing, plan->describe());
  }
  const bool last_resort = setting.each_element && !sets_padding(setting.options.padding);
  if (setting.through_text || last_resort) {
    const std::string text = last_resort ? each_element(src, dst, setting) : plan->describe();
    auto again = parse_plan(text, setting.options.isa);
    if (!again) return fmt::format("{}\n{}", to_string(again.error()), text);
    if (again->describe() != text) return fmt::format("printed otherwise:\n{}\n{}", text, again->describe());
    plan = std::move(again);
  }
  const auto proof = verify(*plan, src, dst);
  if (!proof)
    return fmt::format("verify: {}\n{}", to_string(proof.error()) + " " + proof.error().witness,
                       plan->describe());
  Fill fill;
  if (setting.options.padding == Padding::zero) fill.emplace();
  if (setting.options.padding == Padding::value) fill = setting.options.fill;
  const bool any_padding = setting.options.padding == Padding::any;
  const Scene scene = set_up(src, dst, setting, fill, any_padding, from, to);
  if (auto ok = check_buffers(*plan, scene.source, scene.target); !ok) return to_string(ok.error());
  run_all(*plan, setting, scene);
  return difference(scene, *plan);
}

std::string check_edited_plan(Choices& choices, const Layout& src, const Layout& dst, const Setting& setting,
                              GuardedMemory& from, GuardedMemory& to) {
  constexpr Index kMostMoves = Index{1} << 20;
  const auto made = make_plan(src, dst, setting.element_bytes, setting.options);
  if (!made) return to_string(made.error());
  std::string text = made->describe();
  for (Index edits = choices.pick(1, 3); edits > 0; --edits) edit(choices, text);
  const auto plan = parse_plan(text, setting.options.isa);
  if (!plan) return {};
  const auto proof = verify(*plan, src, dst);
  const Scene scene = set_up(src, dst, setting, plan->fill(),
                             detail::state_of(*plan).options.padding == Padding::any, from, to);
  if (!check_buffers(*plan, scene.source, scene.target)) return {};
  if (!proof && moves_of(*plan) > kMostMoves) return {};
  // Chunks of a refused plan may write the same bytes, so run them one after another.
  Setting how = setting;
  if (!proof) how.on_threads = false;
  run_all(*plan, how, scene);
  return proof ? difference(scene, *plan) : std::string();
}

}  // namespace tessera::testing_relayout
