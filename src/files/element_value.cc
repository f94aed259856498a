// SPDX-License-Identifier: Apache-2.0
#include "files/element_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "files/bit_field.h"

namespace tessera {
namespace {

// How a narrow format spells what is not a number. ieee: the largest exponent. fn: all bits set, no infinity.
// fnuz: the bits of -0, no infinity. none: every pattern is a number.
enum class Specials : std::uint8_t { ieee, fn, fnuz, none };

struct NarrowFloat {
  int exponent;
  int mantissa;
  int bias;
  Specials specials;
};

std::optional<NarrowFloat> narrow_float(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return NarrowFloat{5, 10, 15, Specials::ieee};
    case DType::bf16:
      return NarrowFloat{8, 7, 127, Specials::ieee};
    case DType::f8e5m2:
      return NarrowFloat{5, 2, 15, Specials::ieee};
    case DType::f8e4m3:
      return NarrowFloat{4, 3, 7, Specials::ieee};
    case DType::f8e3m4:
      return NarrowFloat{3, 4, 3, Specials::ieee};
    case DType::f8e4m3fn:
      return NarrowFloat{4, 3, 7, Specials::fn};
    case DType::f8e4m3b11fnuz:
      return NarrowFloat{4, 3, 11, Specials::fnuz};
    case DType::f8e5m2fnuz:
      return NarrowFloat{5, 2, 16, Specials::fnuz};
    case DType::f8e4m3fnuz:
      return NarrowFloat{4, 3, 8, Specials::fnuz};
    case DType::f4e2m1fn:
      return NarrowFloat{2, 1, 1, Specials::none};
    case DType::f6e2m3fn:
      return NarrowFloat{2, 3, 1, Specials::none};
    case DType::f6e3m2fn:
      return NarrowFloat{3, 2, 3, Specials::none};
    default:
      return {};
  }
}

float value_of(const NarrowFloat& format, std::uint64_t bits) {
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << format.mantissa) - 1);
  const std::uint64_t top = (std::uint64_t{1} << format.exponent) - 1;
  const std::uint64_t exponent = bits >> format.mantissa & top;
  const bool negative = (bits >> (format.exponent + format.mantissa) & 1) != 0;
  const float sign = negative ? -1.0f : 1.0f;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const bool full = mantissa == (std::uint64_t{1} << format.mantissa) - 1;
  if (format.specials == Specials::ieee && exponent == top)
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity() : kNan;
  if (format.specials == Specials::fn && exponent == top && full) return kNan;
  if (format.specials == Specials::fnuz && negative && exponent == 0 && mantissa == 0) return kNan;
  const auto power = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - format.mantissa;
  const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << format.mantissa;
  return sign * std::ldexp(static_cast<float>(hidden + mantissa), power);
}

template <class Float>
std::string number(Float value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

std::string real(std::uint64_t bits, DType dtype) {
  if (dtype == DType::f64) return number(std::bit_cast<double>(bits));
  if (dtype == DType::f32) return number(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (dtype == DType::f8e8m0fnu) {
    if (bits == 0xff) return "nan";
    return number(std::ldexp(1.0f, static_cast<int>(bits) - 127));
  }
  return number(value_of(*narrow_float(dtype), bits));
}

std::string integer(std::uint64_t bits, DType dtype) {
  const int width = bit_width(dtype);
  if (dtype_class(dtype) == DTypeClass::boolean) return bits == 0 ? "false" : "true";
  if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
  if (dtype_class(dtype) == DTypeClass::unsigned_integer) return fmt::format("{}", bits);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return fmt::format("{}", static_cast<std::int64_t>(bits ^ sign) - static_cast<std::int64_t>(sign));
}

}  // namespace

std::vector<std::string> element_parts(std::span<const std::byte> bytes, Index at, Index bits,
                                       std::optional<DType> dtype) {
  if (!dtype || !is_array_type(*dtype)) {
    std::string out = "0x";
    for (Index i = (bits + 3) / 4; i-- > 0;)
      out += fmt::format("{:x}", bits_at(bytes.data(), at + 4 * i, std::min<Index>(4, bits - 4 * i)));
    return {out};
  }
  switch (dtype_class(*dtype)) {
    case DTypeClass::complex: {
      const DType part = *dtype == DType::c64 ? DType::f32 : DType::f64;
      const Index half = bit_width(part);
      return {real(bits_at(bytes.data(), at, half), part),
              real(bits_at(bytes.data(), at + half, half), part)};
    }
    case DTypeClass::floating:
      return {real(bits_at(bytes.data(), at, std::min<Index>(bits, bit_width(*dtype))), *dtype)};
    default:
      return {integer(bits_at(bytes.data(), at, std::min<Index>(bits, 64)), *dtype)};
  }
}

}  // namespace tessera
