// SPDX-License-Identifier: Apache-2.0
// The tokens of the calculator: those of CuTe's notation (`_4` and `-4` are one token each), and names.
#pragma once

#include "tessera/text/lexer.h"

namespace tessera::eval {

/// Walks over a text token by token, one ahead. name: letter { letter | digit | "_" } { "." name }. integer:
/// [ "_" ] [ "-" ] digits. `_` alone, a hole, is a symbol.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return next_; }
  Token take() {
    const Token token = next_;
    taken_end_ = token.span.end;
    advance();
    return token;
  }
  /// Where the last taken token ended.
  std::uint32_t taken_end() const { return taken_end_; }

 private:
  void advance();

  std::string_view text_;
  std::size_t position_ = 0;  // behind `next_`
  std::uint32_t taken_end_ = 0;
  Token next_;
};

}  // namespace tessera::eval
