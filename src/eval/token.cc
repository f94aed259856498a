// SPDX-License-Identifier: Apache-2.0
#include "eval/token.h"

#include "text/character_class.h"

namespace tessera::eval {
namespace {

using tessera::detail::is_digit;
using tessera::detail::is_letter;
using tessera::detail::is_white_space;
using tessera::detail::is_word;

constexpr std::string_view kScope = "cute::";

}  // namespace

bool Tokens::ends_value(const Token& token) {
  switch (token.kind) {
    case TokenKind::integer:
      return true;
    case TokenKind::name:
      for (const std::string_view word : {"o", "mod", "and", "or", "not"}) {
        if (token.text == word) return false;
      }
      return true;
    case TokenKind::symbol:
      return token.is(")") || token.is("]") || token.is("}") || token.is("_");
    case TokenKind::end:
    case TokenKind::malformed:
      break;
  }
  return false;
}

void Tokens::advance() {
  const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  std::size_t begin = position_;
  while (begin < text_.size() && is_white_space(text_[begin])) ++begin;
  std::size_t end = begin;
  TokenKind kind = TokenKind::end;
  if (begin < text_.size()) {
    const char c = text_[end++];
    const std::size_t sign = begin + (c == '_' ? 1 : 0);
    const std::size_t digits = sign + (at(sign) == '-' && !(after_value_ && c == '-') ? 1 : 0);
    if (is_digit(at(digits))) {
      kind = TokenKind::integer;
      end = digits;
      while (is_digit(at(end))) ++end;
    } else if (is_letter(c)) {
      kind = TokenKind::name;
      if (text_.substr(begin).starts_with(kScope) && is_letter(at(begin + kScope.size()))) {
        begin += kScope.size();
        end = begin + 1;
      }
      while (is_word(at(end)) || (at(end) == '.' && is_letter(at(end + 1)))) ++end;
    } else {
      kind = std::string_view("()<>[]{},;:=@?_+-*/%!").find(c) != std::string_view::npos
                 ? TokenKind::symbol
                 : TokenKind::malformed;
      // In `<2,4>==T` the `>` closes the tiler, and the operator is `==`.
      const bool compares = at(end) == '=' && std::string_view("<>=!").find(c) != std::string_view::npos;
      if (compares && !(c == '>' && at(end + 1) == '=')) ++end;
      if (c == '/' && at(end) == '/') ++end;
    }
  }
  next_ = {kind,
           text_.substr(begin, end - begin),
           {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
  position_ = end;
}

}  // namespace tessera::eval
