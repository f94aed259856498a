// SPDX-License-Identifier: Apache-2.0
/// \file
/// Powers of two.
#pragma once

#include <bit>
#include <cstdint>

namespace tessera::detail {

/// Whether n is 1, 2, 4, ...
constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

/// The exponent of the largest power of two that is at most n >= 1.
constexpr int log2_of(std::int64_t n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}

}  // namespace tessera::detail
