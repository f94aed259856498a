// SPDX-License-Identifier: Apache-2.0
// Converts numbers to the bytes of an element.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "base/decimal.h"
#include "base/plural.h"
#include "files/packed_elements.h"
#include "tessera/transfer/copy.h"

namespace tessera {
namespace {

using FillBytes = std::array<std::byte, 16>;

Failure not_a_value(std::string_view text, std::string_view what) {
  return fail(Code::bad_option, fmt::format("'{}' is not a {}", text, what), {},
              "give a number of the element's type, or its bits in hexadecimal, 0x7fc0");
}

FillBytes low_bytes(std::uint64_t value, Index count, std::byte rest = std::byte{0}) {
  FillBytes out = {};
  out.fill(std::byte{0});
  for (Index i = 0; i < count && i < 16; ++i) {
    out[static_cast<std::size_t>(i)] = i < 8 ? static_cast<std::byte>(value >> (8 * i)) : rest;
  }
  return out;
}

// True if a finite number rounds to infinity, whose bits in the format are `infinity`.
bool leaves_range(double value, std::uint64_t bits, std::uint64_t infinity) {
  return std::isfinite(value) && (bits & infinity) == infinity;
}

// Parses the bits of an element narrower than a byte and unpacks them.
Result<FillBytes> from_few_bits(std::string_view text, std::string_view digits, std::optional<DType> dtype,
                                Index element_bits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() > 1 || value >= 1u << element_bits) {
    return fail(Code::number_range,
                fmt::format("'{}' has more than {}", text, detail::plural(element_bits, "bit")), {},
                fmt::format("elements are packed: give 0x0 to 0x{:x}", (1u << element_bits) - 1));
  }
  const bool is_signed = dtype && dtype_class(*dtype) == DTypeClass::signed_integer;
  const std::byte packed[] = {static_cast<std::byte>(value)};
  FillBytes out = {};
  unpack({static_cast<int>(element_bits), is_signed}, packed, 0, std::span(out).first(1));
  return out;
}

// Parses `0x` and hexadecimal digits. The number must fit in the element.
Result<FillBytes> from_hex(std::string_view text, std::optional<DType> dtype, Index element_bits) {
  const Index element_bytes = element_bits / 8;
  std::string_view digits = text.substr(2);
  if (digits.empty() || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) {
    return not_a_value(text, "hexadecimal number");
  }
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  if (element_bits < 8) return from_few_bits(text, digits, dtype, element_bits);
  if (element_bytes > 16 && digits != "0") {
    return fail(
        Code::unsupported_width,
        fmt::format("padding can be set only for elements of at most 16 bytes, not {}", element_bytes), {},
        "keep the padding, or set it to 0");
  }
  if (std::ssize(digits) > 2 * element_bytes) {
    return fail(Code::number_range,
                fmt::format("'{}' has more than {}", text, detail::plural(element_bytes, "byte")), {},
                fmt::format("an element has {} hexadecimal digits", 2 * element_bytes));
  }
  FillBytes out = {};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    unsigned digit = 0;
    const char* const at = digits.data() + digits.size() - 1 - i;
    std::from_chars(at, at + 1, digit, 16);
    out[i / 2] |= static_cast<std::byte>(digit << (4 * (i % 2)));
  }
  return out;
}

// Rounds to an IEEE format with a sign and this many exponent and mantissa bits. Ties go to even.
std::uint64_t small_float(double value, int exponent, int mantissa) {
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (exponent + mantissa) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent) - 1) << mantissa;
  if (std::isnan(value)) return sign | infinity | (std::uint64_t{1} << (mantissa - 1));
  const int bias = (1 << (exponent - 1)) - 1;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | infinity;
  if (magnitude == 0) return sign;
  const int power = std::max(std::ilogb(magnitude), 1 - bias);  // subnormals all have the smallest exponent
  // The number of units in the last place. If it rounds up to 2^(mantissa + 1), the carry gives the correct
  // exponent.
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, mantissa - power)));
  const std::uint64_t hidden = std::uint64_t{1} << mantissa;
  const std::uint64_t bits =
      units < hidden ? units : units - hidden + (static_cast<std::uint64_t>(power + bias) << mantissa);
  return sign | std::min(bits, infinity);
}

Result<FillBytes> from_float(std::string_view text, DType dtype, Index element_bytes) {
  const auto [value, rest, error] = detail::read_decimal(text);
  if (!rest.empty() || error == std::errc::invalid_argument) return not_a_value(text, "number");
  if (error == std::errc::result_out_of_range)
    return fail(Code::number_range, fmt::format("'{}' is out of range for {}", text, to_string(dtype)), {},
                "write inf for infinity, and 0 for a number that is nearly 0");
  std::uint64_t bits = 0;
  std::uint64_t infinity = 0x7ff0'0000'0000'0000;
  switch (dtype) {
    case DType::f64:
    case DType::c128:
      std::memcpy(&bits, &value, 8);
      break;
    case DType::f32:
    case DType::c64:
      bits = small_float(value, 8, 23);
      infinity = 0x7f80'0000;
      break;
    case DType::f16:
      bits = small_float(value, 5, 10);
      infinity = 0x7c00;
      break;
    case DType::bf16:
      bits = small_float(value, 8, 7);
      infinity = 0x7f80;
      break;
    case DType::f8e8m0fnu:
      if (value == 0)
        return fail(Code::number_range, "f8e8m0fnu has no zero", {},
                    "write its smallest value, 2^-127, as 0x00");
      [[fallthrough]];
    default:
      if (value == 0 && !std::signbit(value)) return FillBytes{};
      return fail(Code::bad_option,
                  fmt::format("a fill of type {} must be given as its bits", to_string(dtype)), {},
                  "write them in hexadecimal, 0x7f");
  }
  if (leaves_range(value, bits, infinity))
    return fail(Code::number_range, fmt::format("'{}' is out of range for {}", text, to_string(dtype)), {},
                "write inf for infinity");
  return low_bytes(bits, element_bytes);
}

// The error for an integer that the type cannot hold.
Failure beyond_integer(std::string_view text, DType dtype) {
  const bool is_signed = dtype_class(dtype) == DTypeClass::signed_integer;
  const int bits = dtype == DType::pred ? 1 : bit_width(dtype);
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max() >> (64 - bits + (is_signed ? 1 : 0));
  return fail(Code::number_range, fmt::format("'{}' is out of range for {}", text, to_string(dtype)), {},
              fmt::format("{} holds {} to {}", to_string(dtype),
                          is_signed ? -static_cast<std::int64_t>(top) - 1 : 0, top));
}

Result<FillBytes> from_integer(std::string_view text, DType dtype, Index element_bytes) {
  const bool is_signed = dtype_class(dtype) == DTypeClass::signed_integer;
  const int bits = dtype == DType::pred ? 1 : bit_width(dtype);
  const char* const end = text.data() + text.size();
  // For an unsigned type, a negative number is out of range, not malformed.
  if (!is_signed && text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789", 1) == text.npos)
    return beyond_integer(text, dtype);
  std::int64_t value = 0;
  std::uint64_t magnitude = 0;
  const auto read =
      is_signed ? std::from_chars(text.data(), end, value) : std::from_chars(text.data(), end, magnitude);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) {
    return not_a_value(text, fmt::format("number of type {}", to_string(dtype)));
  }
  const std::int64_t most = is_signed ? static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1) : 0;
  const bool fits =
      read.ec == std::errc() &&
      (is_signed ? value <= most && value >= -most - 1 : bits == 64 || magnitude < std::uint64_t{1} << bits);
  if (!fits) return beyond_integer(text, dtype);
  if (!is_signed) return low_bytes(magnitude, element_bytes);
  return low_bytes(static_cast<std::uint64_t>(value), element_bytes,
                   value < 0 ? std::byte{0xff} : std::byte{0});
}

}  // namespace

Result<FillBytes> parse_fill(std::string_view text, std::optional<DType> dtype, Index element_bits) {
  if (element_bits < 8 && 8 % element_bits != 0)
    return fail(Code::not_applicable,
                fmt::format("padding of elements of {} can only be 0", detail::plural(element_bits, "bit")),
                {}, "leave --fill out");
  if (text.starts_with("0x") || text.starts_with("0X")) return from_hex(text, dtype, element_bits);
  const Index element_bytes = std::max<Index>(1, element_bits / 8);
  if (!dtype) {
    if (text == "0") return FillBytes{};
    return fail(Code::bad_option,
                fmt::format("the fill '{}' needs an element type, which is not known", text), {},
                "add the type, --type f32, or give the bits in hexadecimal, 0x7fc0");
  }
  switch (dtype_class(*dtype)) {
    case DTypeClass::floating:
    case DTypeClass::complex:
      return from_float(text, *dtype, element_bytes);
    default:
      return from_integer(text, *dtype, element_bytes);
  }
}

}  // namespace tessera
