// SPDX-License-Identifier: Apache-2.0
#include "notation/xla/xla_place.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "text/character_class.h"

namespace tessera::detail {
namespace {

using MaybeSpan = std::optional<Span>;

Span span(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The span of item `number` of a comma-separated list in text[begin, end), without blanks around it.
MaybeSpan item(std::string_view text, std::size_t begin, std::size_t end, std::size_t number) {
  for (; number > 0; --number) {
    begin = text.find(',', begin);
    if (begin >= end) return std::nullopt;
    ++begin;
  }
  end = std::min({end, text.find(',', begin), text.size()});
  while (begin < end && text[begin] == ' ') ++begin;
  while (begin < end && text[end - 1] == ' ') --end;
  return begin < end ? MaybeSpan(span(begin, end)) : std::nullopt;
}

// The span of element `number` of the first bracket in text[begin, end), without blanks and comments before
// it.
MaybeSpan element(std::string_view text, std::size_t begin, std::size_t end, std::size_t number) {
  std::size_t from = text.find('(', begin);
  if (from >= end) return std::nullopt;
  ++from;
  int depth = 0;
  for (std::size_t at = from; at < end; ++at) {
    const char c = text[at];
    if (text.substr(at, 2) == "/*") {
      const std::size_t open = at;
      at = text.find("*/", at);
      if (at >= end) return std::nullopt;
      ++at;
      if (depth == 0 && std::ranges::all_of(text.substr(from, open - from), is_space)) from = at + 1;
      continue;
    }
    if (depth == 0 && (c == ',' || c == ')')) {
      if (number-- == 0) {
        while (from < at && is_space(text[from])) ++from;
        while (at > from && is_space(text[at - 1])) --at;
        return span(from, at);
      }
      if (c == ')') return std::nullopt;
      from = at + 1;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return std::nullopt;
}

// The position of the first entry of the order that is out of range or repeated.
std::size_t wrong_entry(const std::vector<Index>& order) {
  std::vector<bool> seen(order.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0 || order[i] >= static_cast<Index>(order.size()) ||
        seen[static_cast<std::size_t>(order[i])])
      return i;
    seen[static_cast<std::size_t>(order[i])] = true;
  }
  return order.size();
}

// The span of a part such as `T(2,4)(2,1)`: its name with bracket number `group`, or with all brackets.
MaybeSpan part(std::string_view text, std::size_t begin, std::string_view name,
               std::optional<std::size_t> group = {}) {
  for (std::size_t at = text.find(name, begin); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t open = text.find_first_not_of(' ', at + name.size());
    if (is_letter(text[at - 1]) || open == text.npos || text[open] != '(') continue;
    std::size_t first = open;
    for (std::size_t k = 0;; ++k) {
      const std::size_t close = text.find(')', first);
      if (close == text.npos) return std::nullopt;
      if (group && *group == k) return span(first, close + 1);
      const std::size_t next = text.find_first_not_of(' ', close + 1);
      if (next == text.npos || text[next] != '(')
        return group ? std::nullopt : MaybeSpan(span(at, close + 1));
      first = next;
    }
  }
  return std::nullopt;
}

std::size_t wrong_tile(const TiledLayout& layout, Code code) {
  const auto found = std::ranges::find_if(layout.tiles, [&](const auto& tile) {
    if (code == Code::tile_empty) return tile.empty();
    if (code == Code::tile_trailing_star) return !tile.empty() && tile.back() == kCombine;
    return std::ranges::any_of(tile, [](Index entry) { return entry < 1 && entry != kCombine; });
  });
  return static_cast<std::size_t>(found - layout.tiles.begin());
}

MaybeSpan in_layout(std::string_view text, const TensorType& type, Code code, std::size_t brace) {
  switch (code) {
    case Code::m2m_range:
    case Code::m2m_duplicate:
      return item(text, brace + 1, text.find_first_of(":}", brace), wrong_entry(type.layout->minor_to_major));
    case Code::tile_empty:
    case Code::tile_entry:
    case Code::tile_trailing_star:
      return part(text, brace, "T", wrong_tile(*type.layout, code));
    case Code::tail_align:
      return part(text, brace, "L");
    case Code::element_bits:
      return part(text, brace, "E");
    case Code::memory_space:
      return part(text, brace, "S");
    case Code::metadata_prefix:
      return part(text, brace, "M");
    case Code::split_dim_range:
    case Code::split_dim_duplicate:
    case Code::split_order:
    case Code::split_range:
      return part(text, brace, "SC");
    default:
      return std::nullopt;
  }
}

}  // namespace

Span place_in_type(std::string_view text, const TensorType& type, Code code) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open);
  const std::size_t brace = text.find('{', close);
  MaybeSpan found;
  if (close != text.npos && code == Code::overflow) found = span(open, close + 1);
  if (close != text.npos && code == Code::unbounded && text.find('?', open) < close)
    found = span(text.find('?', open), text.find('?', open) + 1);
  if (brace != text.npos && type.layout) found = in_layout(text, type, code, brace);
  return found.value_or(span(0, text.size()));
}

Span place_in_type(std::string_view text, const HloType& type, Code code) {
  std::size_t begin = 0;
  std::size_t end = text.size();
  const HloType* at = &type;
  while (at->kind() == HloType::Kind::tuple || at->kind() == HloType::Kind::buffer) {
    const auto elements = at->elements();
    const auto bad = std::ranges::find_if(elements, [](const HloType& x) { return validate(x).has_value(); });
    const MaybeSpan part = bad == elements.end()
                               ? std::nullopt
                               : element(text, begin, end, static_cast<std::size_t>(bad - elements.begin()));
    if (!part) return span(0, text.size());
    begin = part->begin;
    end = part->end;
    at = &*bad;
  }
  if (at->kind() != HloType::Kind::array) return span(0, text.size());
  const Span found = place_in_type(text.substr(begin, end - begin), at->array(), code);
  return span(begin + found.begin, begin + found.end);
}

}  // namespace tessera::detail
