// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads integers and makes errors, for grammars that use Lexer.
#pragma once

#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "text/lexer.h"

namespace tessera::detail {

/// Help for a `?` where a number is needed.
inline constexpr const char* kReplaceUnknown = "replace ? with a number";
inline constexpr const char* kIntegerRange =
    "integers have 64 bits: -9223372036854775808 to 9223372036854775807";

/// The error "expected WHAT, found 'x'" at the next token.
inline Failure expected(const Lexer& lexer, std::string_view what) {
  return fail(Code::syntax, "expected " + std::string(what) + ", found " + describe(lexer.peek()),
              lexer.peek().span, lexer.peek().is("?") ? kReplaceUnknown : "");
}

/// Reads digits; the value is that of `-digits` if `negative`. Errors: syntax, number_range.
inline Result<Index> read_natural(Lexer& lexer, bool negative = false) {
  if (lexer.peek().kind != TokenKind::integer) return expected(lexer, "an integer");
  const Token token = lexer.take();
  const auto value = integer_value(token.text, negative);
  if (!value)
    return fail(Code::number_range, "the integer does not fit in 64 bits", token.span, kIntegerRange);
  return *value;
}

/// Reads `[-] digits`. Errors: syntax, number_range.
inline Result<Index> read_integer(Lexer& lexer) {
  const bool negative = lexer.accept("-");
  return read_natural(lexer, negative);
}

}  // namespace tessera::detail
