// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/literal_reader.h"

#include <fmt/core.h>

#include <charconv>
#include <limits>

#include "base/decimal.h"
#include "base/plural.h"
#include "hlo/limits.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {
namespace {

// Skips digits with at most one point and an exponent; false without a digit.
bool skip_decimal(HloLexer& lexer) {
  bool digits = false;
  const auto skip_digits = [&] {
    while (is_digit(lexer.peek())) {
      lexer.advance(1);
      digits = true;
    }
  };
  skip_digits();
  if (lexer.peek() == '.') {
    lexer.advance(1);
    skip_digits();
  }
  if (!digits) return false;
  if (lexer.peek() == 'e' || lexer.peek() == 'E') {
    const std::size_t sign = lexer.peek(1) == '+' || lexer.peek(1) == '-' ? 2 : 1;
    if (is_digit(lexer.peek(sign))) {
      lexer.advance(sign);
      skip_digits();
    }
  }
  return true;
}

bool at_scalar_end(const HloLexer& lexer) { return !is_class(lexer.peek(), kNameChar); }

bool does_not_fit(HloLexer& lexer, std::size_t begin, DType type) {
  const std::size_t whole = lexer.position() - begin;
  lexer.fail_at(
      begin, Code::bad_literal,
      fmt::format("{}{} does not fit in {}", lexer.between(begin, begin + std::min<std::size_t>(whole, 30)),
                  whole > 30 ? "..." : "", to_string(type)),
      whole);
  lexer.error->help = "write a number in the range of the type, or change the type";
  return false;
}

// The smallest value that rounds to infinity; infinity for types that need no such check.
double least_too_large(DType type) {
  switch (type) {
    case DType::f16:
      return 65520;  // the largest finite value, 65504, plus half a unit in the last place
    case DType::bf16:
      return 0x1.ffp127;
    case DType::f32:
    case DType::c64:
      return 0x1.ffffffp127;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

// Whether the decimal is a finite number of the type.
bool is_finite_in(std::string_view text, DType type) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto [value, rest, status] = detail::read_decimal(text);
  if (status != std::errc::result_out_of_range) return value < least_too_large(type);
  // Out of range means too large or too small. Values that are too small become 0: their exponent is
  // negative, or there are only zeros before the point.
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) return text.substr(exponent + 1).starts_with('-');
  const std::size_t first = text.find_first_not_of('0');
  return first == std::string_view::npos || text[first] == '.';
}

// Reads inf, nan, nan(0x7f) or a decimal, perhaps with a sign.
bool read_real(HloLexer& lexer, DType type) {
  if (!lexer.skip()) return false;
  const std::size_t begin = lexer.position();
  if (lexer.peek() == '-' || lexer.peek() == '+') lexer.advance(1);
  bool good = false;
  if (lexer.rest().starts_with("inf")) {
    lexer.advance(3);
    good = true;
  } else if (lexer.rest().starts_with("nan")) {
    lexer.advance(3);
    good = true;
    if (lexer.peek() == '(') {
      const std::size_t close = lexer.rest().substr(0, 24).find(')');
      const std::string_view payload =
          lexer.rest().substr(1, close == std::string_view::npos ? 0 : close - 1);
      good = payload.size() > 2 && payload.starts_with("0x") &&
             payload.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
      if (good) lexer.advance(close + 1);
    }
  } else {
    good = skip_decimal(lexer);
    if (good && at_scalar_end(lexer) && !is_finite_in(lexer.between(begin, lexer.position()), type))
      return does_not_fit(lexer, begin, type);
  }
  if (good && at_scalar_end(lexer)) return true;
  lexer.seek(begin);
  return lexer.expected("a number");
}

// Whether an integer fits in `bits` bits, signed or unsigned.
bool fits_in_bits(bool negative, std::uint64_t magnitude, int bits, bool is_signed) {
  if (!is_signed) return !(negative && magnitude > 0) && (bits == 64 || magnitude >> bits == 0);
  const std::uint64_t limit = std::uint64_t{1} << (bits - 1);
  return negative ? magnitude <= limit : magnitude < limit;
}

bool read_integer_scalar(HloLexer& lexer, DType type) {
  if (!lexer.skip()) return false;
  const std::size_t begin = lexer.position();
  if (lexer.rest().starts_with("true") || lexer.rest().starts_with("false")) {
    // `true` and `false` are values of pred, not of integer types.
    lexer.advance(lexer.peek() == 't' ? 4 : 5);
    if (at_scalar_end(lexer) && type == DType::pred) return true;
    lexer.seek(begin);
    return lexer.expected(fmt::format("a number of type {}", to_string(type)));
  }
  const bool negative = lexer.peek() == '-';
  if (negative) lexer.advance(1);
  const std::string_view digits = lexer.rest();
  std::uint64_t magnitude = 0;
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  const auto length = static_cast<std::size_t>(stop - digits.data());
  if (length > 0) lexer.advance(length);
  if (length == 0 || !at_scalar_end(lexer)) {
    lexer.seek(begin);
    return lexer.expected(fmt::format(
        "{} of type {}", type == DType::pred ? "true, false, 0 or 1" : "an integer", to_string(type)));
  }
  const bool is_pred = type == DType::pred;
  const bool in_range =
      status == std::errc() && fits_in_bits(negative, magnitude, is_pred ? 1 : bit_width(type),
                                            dtype_class(type) == DTypeClass::signed_integer);
  if (in_range) return true;
  return does_not_fit(lexer, begin, type);
}

// Reads the braces of one dimension, with one entry per index.
bool read_dimension(HloLexer& lexer, const TensorType& type, std::size_t dim) {
  if (dim == type.rank()) return read_scalar(lexer, type.dtype);
  if (!lexer.skip()) return false;
  const std::size_t open = lexer.position();
  if (!lexer.accept('{')) {
    return lexer.expected(fmt::format("'{{' of dimension {} (a literal of {} has {} of braces)", dim,
                                      plural(type.rank(), "dimension"), plural(type.rank(), "level")));
  }
  Index count = 0;
  bool more = !lexer.accept('}');
  while (more) {
    if (!read_dimension(lexer, type, dim + 1)) return false;
    ++count;
    more = lexer.accept(',');
    if (!more && !lexer.need('}', "',' or '}' in the literal")) return false;
  }
  if (lexer.error) return false;
  if (type.dim_kind(dim) == DimKind::fixed && count != type.dims[dim]) {
    return lexer.fail_at(open, Code::bad_literal,
                         fmt::format("dimension {} has extent {}, but {} {} written here", dim,
                                     type.dims[dim], count, count == 1 ? "value is" : "values are"),
                         1, "complete the literal, or write constant({...}) for a constant of unknown value");
  }
  return true;
}

}  // namespace

bool read_scalar(HloLexer& lexer, DType type) {
  switch (dtype_class(type)) {
    case DTypeClass::boolean:
    case DTypeClass::signed_integer:
    case DTypeClass::unsigned_integer:
      return read_integer_scalar(lexer, type);
    case DTypeClass::floating:
      return read_real(lexer, type);
    case DTypeClass::complex:
      if (!lexer.skip()) return false;
      if (lexer.peek() != '(') return read_real(lexer, type);  // a real number
      return lexer.accept('(') && read_real(lexer, type) &&
             lexer.need(',', "',' between the parts of a complex number") && read_real(lexer, type) &&
             lexer.need(')', "')' after a complex number");
    case DTypeClass::none:
      return lexer.expected(fmt::format("no value for a {}", to_string(type)));
  }
  return false;
}

bool read_literal(HloLexer& lexer, const HloType& type, int depth) {
  if (!lexer.skip()) return false;
  if (depth > kHloLimits.syntax.literal_depth) {
    return lexer.fail(Code::limit,
                      fmt::format("literals nest deeper than {} levels", kHloLimits.syntax.literal_depth));
  }
  if (type.is_tuple()) {
    const std::size_t open = lexer.position();
    if (!lexer.need('(', "'(' of a tuple literal")) return false;
    for (std::size_t i = 0; i < type.elements().size(); ++i) {
      if (i > 0) lexer.accept(',');
      if (!lexer.skip()) return false;
      if (is_class(lexer.peek(), kNameStartChar) &&
          lexer.rest().substr(0, 12).find('[') != std::string_view::npos) {
        // Skips the type of the element, which the text may repeat.
        while (!lexer.at_end() && lexer.peek() != ']') lexer.advance(1);
        lexer.advance(lexer.at_end() ? 0 : 1);
        if (lexer.peek() == '{' && !lexer.skip_brackets()) return false;
      }
      if (!read_literal(lexer, type.elements()[i], depth + 1)) return false;
    }
    if (lexer.accept(')')) return true;
    return lexer.peek() == ',' || lexer.peek() == '{'
               ? lexer.fail_at(open, Code::bad_literal,
                               fmt::format("the literal has more values than the {} of the type",
                                           plural(type.elements().size(), "element")))
               : lexer.expected("')' after a tuple literal");
  }
  if (!type.is_array()) return lexer.expected("a value (buffers, tokens and opaques have no literals)");
  if (type.rank() > 0 && lexer.peek() == '{' && lexer.rest().starts_with("{...}")) {
    lexer.advance(5);
    return true;
  }
  // Compiler tests write a single scalar if all elements are equal.
  if (type.rank() > 0 && lexer.peek() != '{' && lexer.peek() != ')')
    return read_scalar(lexer, type.array().dtype);
  return read_dimension(lexer, type.array(), 0);
}

}  // namespace tessera::detail
