// SPDX-License-Identifier: Apache-2.0
/// \file
/// The stand-in for tessera/base/index.h, first on the include path of the algebra for all sizes: an Index is
/// a number that remembers how it was computed, and sums and products of such numbers never overflow.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "traced/number.h"

namespace tessera {

using Index = tessera_tracing::Traced;

inline constexpr Index kIndexMin = std::numeric_limits<std::int64_t>::min();
inline constexpr Index kIndexMax = std::numeric_limits<std::int64_t>::max();

constexpr Index floor_div(Index a, Index b) {
  if (Index::recorded(a, b)) return tessera_tracing::computed('f', a.number(), b.number());
  const std::int64_t q = a.value / b.value;
  return a.value % b.value != 0 && ((a.value < 0) != (b.value < 0)) ? q - 1 : q;
}
constexpr Index ceil_div(Index a, Index b) {
  if (Index::recorded(a, b)) return tessera_tracing::computed('^', a.number(), b.number());
  const std::int64_t q = a.value / b.value;
  return a.value % b.value != 0 && ((a.value < 0) == (b.value < 0)) ? q + 1 : q;
}
constexpr Index mod(Index a, Index b) {
  if (Index::recorded(a, b)) return tessera_tracing::computed('m', a.number(), b.number());
  if (b.value == -1 || b.value == 1) return 0;
  const std::int64_t r = a.value % b.value;
  return r < 0 ? (b.value < 0 ? r - b.value : r + b.value) : r;
}

/// A number that depends on a size is not a number of values to go through.
constexpr bool enumerable(Index n) { return n.node == 0; }

constexpr bool add_overflows(Index a, Index b, Index& out) {
  if (!Index::recorded(a, b)) {
    const bool overflows = __builtin_add_overflow(a.value, b.value, &out.value);
    out.node = 0;
    return overflows;
  }
  out = a + b;
  return false;
}
constexpr bool sub_overflows(Index a, Index b, Index& out) {
  if (!Index::recorded(a, b)) {
    const bool overflows = __builtin_sub_overflow(a.value, b.value, &out.value);
    out.node = 0;
    return overflows;
  }
  out = a - b;
  return false;
}
constexpr bool mul_overflows(Index a, Index b, Index& out) {
  if (!Index::recorded(a, b)) {
    const bool overflows = __builtin_mul_overflow(a.value, b.value, &out.value);
    out.node = 0;
    return overflows;
  }
  out = a * b;
  return false;
}

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
constexpr std::optional<Index> checked_floor_div(Index a, Index b) {
  if (b == 0) return std::nullopt;
  return floor_div(a, b);
}

}  // namespace tessera
