// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tessera/notation/strides.h"
#include "text/integers.h"

namespace tessera {
namespace {

// Reads a list of integers such as `(1,-6)`.
Result<std::vector<Index>> bracketed(Lexer& lexer, std::string_view what) {
  if (!lexer.accept("(")) return detail::expected(lexer, fmt::format("'(' before the {}", what));
  std::vector<Index> values;
  if (lexer.accept(")")) return values;
  do {
    const auto value = detail::read_integer(lexer);
    if (!value) return fail(value.error());
    values.push_back(*value);
  } while (lexer.accept(","));
  if (!lexer.accept(")")) return detail::expected(lexer, fmt::format("',' or ')' in the {}", what));
  return values;
}

}  // namespace

Result<Strides> parse_strides(std::string_view text) {
  Lexer lexer(text);
  if (lexer.accept("np") && !lexer.accept(":")) return detail::expected(lexer, "':' after np");
  Strides out;
  const std::uint32_t begin = lexer.peek().span.begin;
  auto shape = bracketed(lexer, "sizes");
  if (!shape) return fail(shape.error());
  const Span sizes{begin, lexer.taken_end()};
  for (const Index extent : *shape) {
    if (extent < 0) return fail(Code::bad_extent, fmt::format("size {} is negative", extent), sizes);
  }
  if (!lexer.accept(":")) return detail::expected(lexer, "':' and the strides");
  const std::uint32_t after = lexer.peek().span.begin;
  auto strides = bracketed(lexer, "strides");
  if (!strides) return fail(strides.error());
  if (strides->size() != shape->size()) {
    return fail(Code::rank_mismatch,
                fmt::format("the number of sizes is {}, but the number of strides is {}", shape->size(),
                            strides->size()),
                Span{after, lexer.taken_end()}, "give one stride, in elements, for each size");
  }
  if (lexer.peek().is("+") || lexer.peek().is("-")) {
    const bool negative = lexer.take().is("-");
    const auto offset = detail::read_natural(lexer, negative);
    if (!offset) return fail(offset.error());
    out.base = *offset;
  }
  if (lexer.peek().kind != TokenKind::end)
    return detail::expected(lexer, "'+' or '-' and an offset, or the end");
  out.shape = *std::move(shape);
  out.strides = *std::move(strides);
  return out;
}

std::string to_string(const Strides& strides) {
  std::string text =
      fmt::format("np:({}):({})", fmt::join(strides.shape, ","), fmt::join(strides.strides, ","));
  if (strides.base > 0) text += fmt::format(" + {}", strides.base);
  // The magnitude of the smallest integer does not fit.
  if (strides.base < 0) text += fmt::format(" - {}", 0 - static_cast<std::uint64_t>(strides.base));
  return text;
}

}  // namespace tessera
