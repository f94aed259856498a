// SPDX-License-Identifier: Apache-2.0
/// \file
/// The integer of every extent, stride and offset, with mathematical division and checked arithmetic.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tessera {

/// Extents, strides, coordinates and offsets, in elements. 64 bits, never wrapping: arithmetic that may
/// overflow goes through `checked_*`.
using Index = std::int64_t;

/// The smallest and the largest Index.
inline constexpr Index kIndexMin = std::numeric_limits<Index>::min();
inline constexpr Index kIndexMax = std::numeric_limits<Index>::max();

/// floor(a / b). Requires b != 0 and not (a == kIndexMin && b == -1).
constexpr Index floor_div(Index a, Index b) {
  const Index q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

/// ceil(a / b). Same requirements as floor_div.
constexpr Index ceil_div(Index a, Index b) {
  const Index q = a / b;
  return (a % b != 0 && ((a < 0) == (b < 0))) ? q + 1 : q;
}

/// The remainder of a modulo |b|, in [0, |b|). Requires b != 0.
constexpr Index mod(Index a, Index b) {
  if (b == -1 || b == 1) return 0;
  const Index r = a % b;
  return r < 0 ? (b < 0 ? r - b : r + b) : r;
}

/// Whether a loop may run over this many values. In the algebra for all sizes, which replaces this header, it
/// may not if the number depends on a size.
constexpr bool enumerable(Index) { return true; }

/// True if a + b, a - b or a * b overflows 64 bits; otherwise `out` holds the exact value.
constexpr bool add_overflows(Index a, Index b, Index& out) { return __builtin_add_overflow(a, b, &out); }
constexpr bool sub_overflows(Index a, Index b, Index& out) { return __builtin_sub_overflow(a, b, &out); }
constexpr bool mul_overflows(Index a, Index b, Index& out) { return __builtin_mul_overflow(a, b, &out); }

/// Exact sum, difference and product; empty if they overflow 64 bits.
constexpr std::optional<Index> checked_add(Index a, Index b) {
  Index r = 0;
  return add_overflows(a, b, r) ? std::nullopt : std::optional<Index>(r);
}
constexpr std::optional<Index> checked_sub(Index a, Index b) {
  Index r = 0;
  return sub_overflows(a, b, r) ? std::nullopt : std::optional<Index>(r);
}
constexpr std::optional<Index> checked_mul(Index a, Index b) {
  Index r = 0;
  return mul_overflows(a, b, r) ? std::nullopt : std::optional<Index>(r);
}

/// floor(a / b); empty if b is 0 or the quotient overflows 64 bits.
constexpr std::optional<Index> checked_floor_div(Index a, Index b) {
  if (b == 0 || (a == kIndexMin && b == -1)) return std::nullopt;
  return floor_div(a, b);
}

}  // namespace tessera
