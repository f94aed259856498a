// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lexer: the token stream of one-line notations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// name: letter { letter | digit | "_" }. integer: digits. symbol: one byte of punctuation, or `->`.
/// malformed: digits followed directly by letters or a fraction (`0d`, `0.5`), and bytes that no grammar
/// uses.
enum class TokenKind : std::uint8_t { end, name, integer, symbol, malformed };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text = {};  ///< empty at the end
  Span span = {};

  bool is(std::string_view symbol_or_word) const {
    return text == symbol_or_word && kind != TokenKind::malformed;
  }
};

/// The name of a token in diagnostics: `'->'`, `name 'd0'`, `the end`.
std::string describe(const Token& token);

/// The value of digits, or of `-digits` if `negative` (so that the smallest 64-bit integer can be written);
/// nothing if it does not fit in 64 bits.
std::optional<Index> integer_value(std::string_view digits, bool negative);

/// A tokenizer with one token of lookahead. Blanks (space, tab, line breaks, VT, FF) separate tokens and are
/// skipped. Tokens are views of the text, which must outlive them. Texts of 4 GiB or more are not supported,
/// because spans have 32 bits.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  /// The next token, without taking it.
  const Token& peek() const { return next_; }
  /// Takes the next token.
  Token take() {
    const Token token = next_;
    taken_end_ = token.span.end;
    advance();
    return token;
  }
  /// Takes the next token if it is this symbol or word.
  bool accept(std::string_view symbol_or_word) {
    if (!next_.is(symbol_or_word)) return false;
    take();
    return true;
  }
  /// Where the last taken token ended.
  std::uint32_t taken_end() const { return taken_end_; }
  /// Takes the rest of the line from the next token on, without trailing blanks, as free text.
  Token take_line();

 private:
  void advance();

  std::string_view text_;
  std::size_t position_ = 0;  // after `next_`
  std::uint32_t taken_end_ = 0;
  Token next_;
};

}  // namespace tessera
