// SPDX-License-Identifier: Apache-2.0
#include "hlo/parser/type_texts.h"

#include <algorithm>

#include "hlo/limits.h"
#include "hlo/syntax/lexer.h"

namespace tessera::detail {
namespace {

// A longer text is not searched for its end, so that no text makes the search quadratic.
constexpr std::size_t kLongest = 65536;

// The length of the parentheses at the beginning, or 0 if they do not close on this line.
std::size_t tuple_length(std::string_view rest) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < std::min(rest.size(), kLongest) && rest[i] != '\n'; ++i) {
    if (rest[i] == '(') ++depth;
    if (rest[i] == ')' && --depth == 0) return i + 1;
  }
  return 0;
}

}  // namespace

std::string_view TypeTexts::extent(std::string_view rest) {
  if (rest.starts_with('(')) return rest.substr(0, tuple_length(rest));
  rest = rest.substr(0, kLongest);
  const auto past = [rest](std::size_t from, char close) {  // the place after the next `close`, or 0
    while (from < rest.size() && rest[from] != close && rest[from] != '\n') ++from;
    return from < rest.size() && rest[from] == close ? from + 1 : 0;
  };
  std::size_t end = 0;
  while (end < rest.size() && is_class(rest[end], kNameChar)) ++end;
  if (end == 0 || end == rest.size() || rest[end] != '[') return {};
  end = past(end, ']');
  if (end == 0) return {};
  // A layout is `{` with a number after it. What comes after blanks or comments is left to the reader.
  if (end + 1 < rest.size() && rest[end] == '{')
    return is_digit(rest[end + 1]) ? rest.substr(0, past(end, '}')) : std::string_view();
  std::size_t next = end;
  while (next < rest.size() && is_blank(rest[next])) ++next;
  const bool goes_on = next == rest.size() || rest[next] == '{' || rest[next] == '/';
  return goes_on ? std::string_view() : rest.substr(0, end);
}

const HloType* TypeTexts::find(std::string_view text) const {
  const std::uint32_t place = places_.find(text);
  return place == NameTable::kNone ? nullptr : &types_[place];
}

void TypeTexts::add(std::string_view text, const HloType& type) {
  if (types_.size() == kHloLimits.parser.remembered_types) return;
  const auto place = static_cast<std::uint32_t>(types_.size());
  if (places_.insert(text, place) == NameTable::kNone) types_.push_back(type);
}

}  // namespace tessera::detail
