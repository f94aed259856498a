// SPDX-License-Identifier: Apache-2.0
/// \file
/// A character scanner for notations whose tokens run together (`c1`, `p(4)`,
/// `devices=[2,2]<=[4]`). Other notations use Lexer.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "text/character.h"
#include "text/character_class.h"

namespace tessera::detail {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Checks that nothing follows. Errors: syntax; the message says that `what` was expected, such as `the end
  /// of the layout`.
  Result<void> end(std::string_view what) {
    if (next() != text_.size()) return expected(what);
    return {};
  }

 protected:
  static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  /// Skips blanks and returns the position of the next character.
  std::size_t next() {
    while (pos_ < text_.size() &&
           (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\n' || text_[pos_] == '\r')) {
      ++pos_;
    }
    return pos_;
  }

  /// The next character, without skipping blanks; 0 at the end.
  char here() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }

  bool accept(std::string_view token) {
    if (!text_.substr(next()).starts_with(token)) return false;
    pos_ += token.size();
    return true;
  }

  Failure expected(std::string_view what) {
    const std::size_t at = next();
    const std::string found =
        at < text_.size() ? describe_character(text_.substr(at)) : "the end of the text";
    return fail(Code::syntax, fmt::format("expected {}, found {}", what, found),
                span(at, at + character_at(text_, at).bytes), here() == '?' ? "replace ? with a number" : "");
  }

  /// Reads digits with a value of at most `most`. Errors: syntax, number_range.
  Result<Index> integer(Index most = kIndexMax) {
    const std::size_t begin = next();
    while (is_digit(here())) ++pos_;
    if (pos_ == begin) return expected("a number");
    Index value = 0;
    const auto error = std::from_chars(text_.data() + begin, text_.data() + pos_, value).ec;
    if (error != std::errc() || value > most) {
      return fail(Code::number_range, fmt::format("{} is too large here", text_.substr(begin, pos_ - begin)),
                  span(begin, pos_));
    }
    return value;
  }

  std::string_view text_;
  std::size_t pos_ = 0;
};

}  // namespace tessera::detail
