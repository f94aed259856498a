// SPDX-License-Identifier: Apache-2.0
#include "eval/axe_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/plural.h"
#include "base/try.h"
#include "tessera/notation/axe.h"
#include "text/character_class.h"
#include "text/point.h"

namespace tessera::eval {
namespace {

constexpr int kMostCalls = 64;
constexpr std::array<std::string_view, 6> kAxeCalls = {"slice",     "tile", "direct_sum",
                                                       "canonical", "fuse", "places"};

// A part of the text, without blanks around it.
struct Part {
  std::string_view text;
  std::size_t at = 0;
};

Part trimmed(Part part) {
  while (!part.text.empty() && tessera::detail::is_white_space(part.text.front())) {
    part.text.remove_prefix(1);
    ++part.at;
  }
  while (!part.text.empty() && tessera::detail::is_white_space(part.text.back())) part.text.remove_suffix(1);
  return part;
}

struct AxeCall {
  std::string_view name;
  std::vector<Part> operands;
  Span span;
};

// `name(operand, ...)` up to the end; operands are divided at commas outside brackets.
std::optional<AxeCall> call_of(Part part) {
  const auto name = std::ranges::find_if(kAxeCalls, [&](std::string_view word) {
    return part.text.starts_with(word) && part.text.substr(word.size()).starts_with("(");
  });
  if (name == kAxeCalls.end() || !part.text.ends_with(")")) return std::nullopt;
  AxeCall out{*name,
              {},
              {static_cast<std::uint32_t>(part.at), static_cast<std::uint32_t>(part.at + part.text.size())}};
  int depth = 0;
  std::size_t begin = name->size() + 1;
  for (std::size_t i = name->size(); i < part.text.size(); ++i) {
    const char c = part.text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const bool ends = depth == 0;
    if (ends && i + 1 < part.text.size()) return std::nullopt;
    if (!ends && !(c == ',' && depth == 1)) continue;
    out.operands.push_back(trimmed({part.text.substr(begin, i - begin), part.at + begin}));
    begin = i + 1;
  }
  return depth == 0 ? std::optional(out) : std::nullopt;
}

// The error of an operand, with its span in the whole text.
template <class T>
Result<T> placed(Result<T> value, Part part) {
  if (value) return value;
  Span& span = value.error().span;
  if (span == Span{}) span = {0, static_cast<std::uint32_t>(part.text.size())};
  span = {static_cast<std::uint32_t>(span.begin + part.at), static_cast<std::uint32_t>(span.end + part.at)};
  return value;
}

Result<void> need_operands(const AxeCall& call, std::size_t least, std::size_t most) {
  if (call.operands.size() >= least && call.operands.size() <= most) return {};
  return fail(Code::argument_count,
              fmt::format("{} takes {}, found {}", call.name,
                          least == most ? tessera::detail::plural(least, "operand")
                                        : fmt::format("at least {}", least),
                          call.operands.size()),
              call.span);
}

Result<AxeLayout> layout_of_part(Part part, int depth);

Result<AxeLayout> layout_of_call(const AxeCall& call, int depth) {
  const bool two = call.name == "tile" || call.name == "direct_sum";
  TESSERA_NEED(need_operands(call, two || call.name == "slice" ? 2 : 1,
                             call.name == "slice" ? 1000
                             : two                ? 2
                                                  : 1));
  TESSERA_TRY(layout, layout_of_part(call.operands[0], depth + 1));
  const auto about_call = [&](Result<AxeLayout> value) -> Result<AxeLayout> {
    if (!value) value.error().span = call.span;
    return value;
  };
  if (call.name == "canonical") return canonical(layout);
  if (call.name == "fuse") return about_call(fused(layout));
  if (two) {
    TESSERA_TRY(other, layout_of_part(call.operands[1], depth + 1));
    return about_call(call.name == "tile" ? tile(layout, other) : direct_sum(layout, other));
  }
  std::vector<AxeRange> region;
  for (const Part part : std::span(call.operands).subspan(1)) {
    TESSERA_TRY(range, placed(parse_point(part.text), part));
    if (range.size() != 2) {
      return fail(
          Code::value_count, "a range of a slice is (BEGIN,END)",
          Span{static_cast<std::uint32_t>(part.at), static_cast<std::uint32_t>(part.at + part.text.size())},
          "write one range for each dimension: slice(L, (0,8), (4,8))");
    }
    region.emplace_back(range[0], range[1]);
  }
  return about_call(slice(layout, region));
}

Result<AxeLayout> layout_of_part(Part part, int depth) {
  if (depth > kMostCalls)
    return fail(Code::limit, fmt::format("calls are nested deeper than {}", kMostCalls));
  if (const auto call = call_of(part); call && call->name != "places") return layout_of_call(*call, depth);
  return placed(parse_axe(part.text), part);
}

Result<std::string> places_text(const AxeCall& call) {
  TESSERA_NEED(need_operands(call, 2, 2));
  TESSERA_TRY(layout, layout_of_part(call.operands[0], 1));
  TESSERA_TRY(index, placed(parse_point(call.operands[1].text), call.operands[1]));
  TESSERA_TRY(where, placement(layout));
  TESSERA_TRY(found, placed(places(where, index), call.operands[1]));
  return to_string(found, where.axes());
}

// Whether the first operand of the innermost first call is an Axe layout.
bool has_axe(Part part, int depth = 0) {
  const auto call = depth > kMostCalls ? std::nullopt : call_of(part);
  if (!call) return depth > 0 && is_axe_text(part.text);
  return !call->operands.empty() && has_axe(call->operands[0], depth + 1);
}

}  // namespace

std::optional<Result<std::string>> axe_call(std::string_view text) {
  const Part part = trimmed({text});
  const auto call = call_of(part);
  if (!call || !has_axe(part)) return std::nullopt;
  if (call->name == "places") return places_text(*call);
  const auto layout = layout_of_call(*call, 1);
  if (!layout) return Result<std::string>(fail(layout.error()));
  return to_string(*layout);
}

}  // namespace tessera::eval
