// SPDX-License-Identifier: Apache-2.0
#include "text/sized_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "text/character_class.h"
#include "text/scanner.h"
#include "text/size_arithmetic.h"

namespace tessera {
namespace {

class RangeParser : public detail::Scanner {
 public:
  using Scanner::Scanner;

  Result<std::vector<SizeRange>> parse() {
    std::vector<SizeRange> ranges;
    do {
      SizeRange range;
      const std::size_t begin = next();
      while (detail::is_word(here())) ++pos_;
      range.name = text_.substr(begin, pos_ - begin);
      if (range.name.empty() || detail::is_digit(range.name[0])) {
        pos_ = begin;
        return helped(expected("the name of a size"));
      }
      const Span place = span(begin, pos_);
      if (std::ranges::find(ranges, range.name, &SizeRange::name) != ranges.end())
        return fail(Code::duplicate_name, fmt::format("the size {} occurs twice", range.name), place,
                    "give each size one range");
      if (!accept("=")) return helped(expected("'='"));
      TESSERA_TRY(first, integer());
      range.first = range.last = first;
      if (accept(":")) {
        TESSERA_TRY(last, integer());
        range.last = last;
        if (accept(":")) {
          TESSERA_TRY(step, integer());
          range.step = step;
        }
      }
      if (range.step < 1 || range.last < range.first) {
        return fail(Code::number_range,
                    range.step < 1 ? fmt::format("the step of {} is {}", range.name, range.step)
                                   : fmt::format("the last value of {} is below the first", range.name),
                    span(begin, pos_), "a range is first:last, or first:last:step with a step of at least 1");
      }
      ranges.push_back(std::move(range));
    } while (accept(","));
    if (next() != text_.size()) return helped(expected("',' or the end of the sizes"));
    return ranges;
  }

 private:
  static Failure helped(Failure failure) {
    Result<void> error = std::move(failure);
    if (error.error().help.empty()) error.error().help = "sizes are ranges: M=1:4096,K=1:64:4";
    return fail(std::move(error.error()));
  }
};

// The words of a text that are names.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && detail::is_word(text[end])) ++end;
    if (end > at && !detail::is_digit(text[at])) words.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

// Whether a comma or a colon is outside parentheses.
bool is_list(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ':' || (c == ',' && depth <= 0)) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<SizeRange>> parse_size_ranges(std::string_view text) { return RangeParser(text).parse(); }

Result<SizedText> SizedText::make(std::string_view text, std::span<const SizeRange> sizes) {
  SizedText out;
  out.text_ = text;
  out.sizes_.assign(sizes.begin(), sizes.end());
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) break;
    const std::string_view inside = text.substr(at + 1, end - at - 1);
    if (is_list(inside)) continue;
    Hole hole = {
        std::string(inside), {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end + 1)}, {}};
    std::optional<std::string_view> unknown;
    for (const std::string_view word : words_of(inside)) {
      const auto found = std::ranges::find(sizes, word, &SizeRange::name);
      if (found != sizes.end()) {
        hole.names.push_back(static_cast<std::size_t>(found - sizes.begin()));
      } else if (word != "cdiv" && !unknown) {
        unknown = word;
      }
    }
    if (hole.names.empty() && !unknown) continue;
    if (unknown) {
      std::vector<std::string> names;
      for (const SizeRange& size : sizes) names.push_back(size.name);
      return fail(Code::unknown_name, fmt::format("no size is called '{}'", *unknown), hole.span,
                  names.empty() ? "give its range: --sizes M=1:4096"
                                : fmt::format("the sizes are {}", fmt::join(names, ", ")));
    }
    out.holes_.push_back(std::move(hole));
  }
  return out;
}

Result<Index> SizedText::value(const Hole& hole, std::span<const Index> values) const {
  const detail::SizeNames names = {
      .size_of =
          [&](const std::string& name) {
            const auto found = std::ranges::find(sizes_, name, &SizeRange::name);
            return Result<Index>(values[static_cast<std::size_t>(found - sizes_.begin())]);
          },
      .subject = "the sizes"};
  auto value = detail::size_arithmetic(hole.arithmetic, names);
  if (!value) value.error().span = hole.span;
  return value;
}

Result<std::string> SizedText::at(std::span<const Index> values) const {
  std::string out;
  std::size_t begin = 0;
  for (const Hole& hole : holes_) {
    TESSERA_TRY(number, value(hole, values));
    out += std::string_view(text_).substr(begin, hole.span.begin - begin);
    out += std::to_string(number);
    begin = hole.span.end;
  }
  return out + text_.substr(begin);
}

}  // namespace tessera
