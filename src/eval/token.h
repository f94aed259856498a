// SPDX-License-Identifier: Apache-2.0
// The tokens of the calculator: those of CuTe's notation (`_4` and `-4` are one token each), names and
// operators.
#pragma once

#include "text/lexer.h"

namespace tessera::eval {

/// Splits a text into tokens, with one token of lookahead.
///   name: [ "cute::" ] letter { letter | digit | "_" } { "." name }
///   integer: [ "_" ] [ "-" ] digits; a `-` after a value is an operator
///   symbol: a bracket, an operator, or `_` alone
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return next_; }
  Token take() {
    const Token token = next_;
    taken_end_ = token.span.end;
    after_value_ = ends_value(token);
    advance();
    return token;
  }
  /// Skips `bytes` from the beginning of the next token, after another parser has read a value there.
  void skip(std::size_t bytes) {
    position_ = next_.span.begin + bytes;
    taken_end_ = static_cast<std::uint32_t>(position_);
    after_value_ = true;
    advance();
  }
  /// The text from the next token on.
  std::string_view rest() const { return text_.substr(next_.span.begin); }
  /// Where the last taken token ended.
  std::uint32_t taken_end() const { return taken_end_; }

 private:
  static bool ends_value(const Token& token);
  void advance();

  std::string_view text_;
  std::size_t position_ = 0;  // after `next_`
  std::uint32_t taken_end_ = 0;
  bool after_value_ = false;
  Token next_;
};

}  // namespace tessera::eval
