// SPDX-License-Identifier: Apache-2.0
/// \file
/// The number of bits of values.
#pragma once

#include <bit>

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// More bits than a value has.
inline constexpr int kTooManyBits = 64;

/// The number of bits of |v|, or of every |v| within bounds.
inline int bits_of(Interval bounds) {
  const auto magnitude = [](Index v) {
    return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  };
  return static_cast<int>(std::bit_width(magnitude(bounds.lower) | magnitude(bounds.upper)));
}
inline int bits_of(Index v) { return bits_of(Interval::point(v)); }

}  // namespace tessera::detail
