// SPDX-License-Identifier: Apache-2.0
#include "notation/named/named_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/try.h"
#include "notation/named/make_named.h"
#include "notation/named/named_checks.h"
#include "text/scanner.h"

namespace tessera {
namespace {

using detail::NamedText;

constexpr std::string_view kExample = "a named layout is a family, a type and extents: scale:128x4 u8[300,7]";

class Parser : public detail::Scanner {
 public:
  using Scanner::Scanner;

  Result<NamedText> parse() {
    auto read = whole();
    if (!read && read.error().code == Code::syntax && read.error().help.empty()) read.error().help = kExample;
    if (read && too_large_) {
      return fail(Code::number_range, "the integer does not fit in 64 bits", *too_large_,
                  "parameters and extents are at most 9223372036854775807");
    }
    return read;
  }

 private:
  Result<NamedText> whole() {
    NamedText out;
    if (text_.substr(next()).starts_with("named:")) pos_ += 6;
    Span at;
    out.fields.prefix = word(at);
    if (!is_prefix(out.fields.prefix)) {
      pos_ = at.begin;
      return expected("scale:, pack: or gguf:");
    }
    if (here() != ':') return expected("':'");
    ++pos_;
    if (!detail::is_word(here())) return expected_here("a family after the colon, without a space");
    out.fields.family = word(out.spans.family);
    if (accept(".")) {
      if (!detail::is_word(text_.substr(next()).empty() ? '\0' : here())) return expected("a field");
      out.fields.field = word(out.spans.field);
    }
    if (accept("(")) TESSERA_NEED(parameters(out));
    if (next(); detail::is_word(here())) {
      out.spans.type_text = word(out.spans.type);
      out.fields.type = parse_cell_type(out.spans.type_text);
    }
    const std::size_t begin = next();
    if (!accept("[")) {
      // A family alone may be a wrong word, which the type and the extents would not fix.
      if (begin == text_.size()) TESSERA_NEED(detail::check_family(out.fields, out.spans));
      return expected("'[' and the extents");
    }
    do {
      Span place;
      if (next(); here() == '{' || (detail::is_word(here()) && !detail::is_digit(here()))) {
        Result<Index> none = expected("a number");
        none.error().help = "names of sizes are for equal, in braces: u8[{M},4] --sizes M=1:300";
        return fail(std::move(none.error()));
      }
      TESSERA_TRY(extent, number(place));
      out.fields.shape.push_back(extent);
      out.spans.extent.push_back(place);
    } while (accept(","));
    if (!accept("]")) return expected("',' or ']'");
    out.spans.extents = span(begin, pos_);
    TESSERA_NEED(end("the end of the layout"));
    return out;
  }

  Result<void> parameters(NamedText& out) {
    do {
      Span place;
      if (next(); !detail::is_word(here()) || detail::is_digit(here())) return expected("a parameter");
      NamedParameter parameter{word(place), {}};
      const bool is_list = parameter.key == "groups" || parameter.key == "kgroups";
      out.spans.keys.push_back(place);
      if (!accept("=")) return expected("'='");
      Span value;
      do {
        Span part;
        TESSERA_TRY(number_read, number(part));
        if (parameter.values.empty()) value = part;
        value.end = part.end;
        parameter.values.push_back(number_read);
      } while (is_list && accept("+"));
      if (text_.substr(next()).starts_with("+")) {
        return fail(Code::syntax, fmt::format("the parameter {} takes one number", parameter.key),
                    span(pos_, pos_ + 1), "only groups and kgroups take sums of sizes");
      }
      out.spans.values.push_back(value);
      out.fields.parameters.push_back(std::move(parameter));
    } while (accept(","));
    if (!accept(")")) return expected("',' or ')'");
    return {};
  }

  static bool is_prefix(std::string_view text) { return text == "scale" || text == "pack" || text == "gguf"; }

  std::string word(Span& place) {
    const std::size_t begin = next();
    while (detail::is_word(here())) ++pos_;
    place = span(begin, pos_);
    return std::string(text_.substr(begin, pos_ - begin));
  }

  Failure expected_here(std::string_view what) {
    const std::size_t at = std::min(pos_, text_.size());
    return fail(Code::syntax, fmt::format("expected {}", what), span(at, at));
  }

  // Notes a number that is too large, but reads on: errors of the grammar come first.
  Result<Index> number(Span& place) {
    const std::size_t begin = next();
    auto value = integer();
    place = span(begin, pos_);
    if (!value && value.error().code == Code::number_range) {
      if (!too_large_) too_large_ = place;
      return Index{0};
    }
    return value;
  }

  std::optional<Span> too_large_;
};

}  // namespace

Result<NamedText> detail::parse_named_text(std::string_view text) { return Parser(text).parse(); }

Result<NamedLayout> parse_named_layout(std::string_view text) {
  TESSERA_TRY(read, detail::parse_named_text(text));
  return detail::make_named(read.fields, read.spans);
}

bool is_named_text(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\v\f");
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin);
  return std::ranges::any_of(std::initializer_list<std::string_view>{"scale:", "pack:", "gguf:", "named:"},
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

std::string name_of(const NamedLayout& layout) {
  std::string text = fmt::format("{}:{}", layout.prefix(), layout.family());
  if (!layout.field().empty()) text += "." + layout.field();
  std::vector<std::string> parts;
  for (const NamedParameter& parameter : layout.parameters())
    parts.push_back(fmt::format("{}={}", parameter.key, fmt::join(parameter.values, "+")));
  if (!parts.empty()) text += fmt::format("({})", fmt::join(parts, ","));
  return text;
}

std::string to_string(const NamedLayout& layout) {
  return fmt::format("{} {}[{}]", name_of(layout), to_string(layout.type()), fmt::join(layout.shape(), ","));
}

std::string_view to_string(NamedKind kind) { return kind == NamedKind::cells ? "cells" : "bits"; }

}  // namespace tessera
