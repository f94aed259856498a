// SPDX-License-Identifier: Apache-2.0
#include "text/point.h"

#include <fmt/core.h>

#include "text/character_class.h"
#include "text/integers.h"
#include "text/lexer.h"

namespace tessera {
namespace {

constexpr const char* kHelp = "write numbers separated by commas: 3,5";

}  // namespace

Result<std::vector<Index>> parse_point(std::string_view text) {
  Lexer lexer(text);
  const bool bracket = lexer.accept("(");
  std::vector<Index> values;
  while (lexer.peek().kind != TokenKind::end && !lexer.peek().is(")")) {
    if (!values.empty() && !lexer.accept(",")) {
      return fail(Code::syntax,
                  fmt::format("expected ',' between the values, found {}", describe(lexer.peek())),
                  lexer.peek().span, kHelp);
    }
    const std::uint32_t begin = lexer.peek().span.begin;
    const bool negative = lexer.accept("-");
    const Token token = lexer.peek();
    if (token.kind != TokenKind::integer) {
      return fail(Code::syntax, fmt::format("expected an integer, found {}", describe(token)), token.span,
                  kHelp);
    }
    lexer.take();
    const std::optional<Index> value = integer_value(token.text, negative);
    if (!value) {
      return fail(Code::number_range, "the integer does not fit in 64 bits", Span{begin, token.span.end},
                  detail::kIntegerRange);
    }
    values.push_back(*value);
  }
  if (bracket && !lexer.accept(")")) {
    return fail(Code::syntax, "expected ')' after the values, found the end", lexer.peek().span, kHelp);
  }
  if (lexer.peek().kind != TokenKind::end) {
    return fail(Code::syntax, fmt::format("expected the end of the point, found {}", describe(lexer.peek())),
                lexer.peek().span, kHelp);
  }
  return values;
}

Result<std::vector<Index>> parse_shape(std::string_view text) {
  // `8x16` becomes `8,16`, of the same length: spans stay valid.
  std::string commas(text);
  for (std::size_t i = 1; i + 1 < commas.size(); ++i) {
    if (commas[i] == 'x' && detail::is_digit(commas[i - 1]) && detail::is_digit(commas[i + 1]))
      commas[i] = ',';
  }
  Result<std::vector<Index>> shape = parse_point(commas);
  if (!shape && shape.error().help == kHelp) shape.error().help = "write a shape like 8x16 or 8,16";
  return shape;
}

}  // namespace tessera
