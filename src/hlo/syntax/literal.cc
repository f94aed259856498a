// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/literal.h"

#include "hlo/syntax/lexer.h"

namespace tessera {
namespace {

using detail::HloLexer;

bool has_integer_values(const Instruction& constant) {
  return constant.opcode == Opcode::constant && constant.type.is_array() && constant.sound &&
         (is_integer(constant.type.array().dtype) || constant.type.array().dtype == DType::pred);
}

// Reads the next scalar of a literal, which the parser has checked, after skipping braces and commas. False
// at the end; `value` is empty for a scalar that does not fit in 64 bits.
bool next_value(HloLexer& lexer, std::optional<Index>& value) {
  while (lexer.skip() && (lexer.peek() == '{' || lexer.peek() == '}' || lexer.peek() == ','))
    lexer.advance(1);
  if (lexer.at_end()) return false;
  value.reset();
  if (lexer.peek() == 't' || lexer.peek() == 'f') {
    value = lexer.peek() == 't' ? 1 : 0;
    return !lexer.identifier().empty();
  }
  Index number = 0;
  if (lexer.integer(number, "a number")) {
    value = number;
    return true;
  }
  if (!lexer.error || lexer.error->code != Code::number_range) return false;
  lexer.error.reset();
  while (detail::is_digit(lexer.peek()) || lexer.peek() == '-') lexer.advance(1);
  return true;
}

}  // namespace

std::optional<Index> integer_element(const Instruction& constant, std::span<const Index> at) {
  if (!has_integer_values(constant) || at.size() != constant.type.rank()) return std::nullopt;
  Index place = 0;  // row-major, whatever the layout
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Index extent = constant.type.dims()[i];
    if (at[i] < 0 || at[i] >= extent) return std::nullopt;
    if (mul_overflows(place, extent, place) || add_overflows(place, at[i], place)) return std::nullopt;
  }
  if (!constant.literal.starts_with('{'))
    return integer_splat(constant);  // one scalar is written for all elements
  HloLexer lexer(constant.literal);
  std::optional<Index> value;
  for (Index i = 0; next_value(lexer, value); ++i) {
    if (i == place) return value;
  }
  return std::nullopt;  // {...}
}

std::optional<std::vector<Index>> integer_values(const Instruction& constant) {
  if (!has_integer_values(constant)) return std::nullopt;
  const auto count = constant.type.array().element_count();
  if (!count) return std::nullopt;
  std::vector<Index> out;
  std::optional<Index> value;
  HloLexer lexer(constant.literal);
  while (next_value(lexer, value)) {
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  if (!constant.literal.starts_with('{') && out.size() == 1)
    out.resize(static_cast<std::size_t>(*count), out[0]);
  return std::ssize(out) == *count ? std::optional(std::move(out)) : std::nullopt;  // else {...}
}

std::optional<Index> integer_splat(const Instruction& constant) {
  if (!has_integer_values(constant)) return std::nullopt;
  HloLexer lexer(constant.literal);
  std::optional<Index> value;
  if (!next_value(lexer, value) || !value) return std::nullopt;
  const Index first = *value;
  while (next_value(lexer, value)) {
    if (value != first) return std::nullopt;
  }
  return first;
}

}  // namespace tessera
