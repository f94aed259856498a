// SPDX-License-Identifier: Apache-2.0
/// \file
/// The digits of an integer over the extents of a layout.
#pragma once

#include <cstdint>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Splits the integer `c` over the leaves [begin, end) of `s`: mod and div; the last leaf takes the rest. An
/// odd function of c: the digits of -c are those of c, negated.
template <class Emit>
constexpr void split_digits(const Index* extent, int begin, int end, Index c, Emit&& emit) {
  const bool negative = c < 0;
  // |kIndexMin| does not fit in Index, but does in an unsigned integer.
  std::uint64_t rest = negative ? 0 - static_cast<std::uint64_t>(c) : static_cast<std::uint64_t>(c);
  for (int i = begin; i < end; ++i) {
    std::uint64_t digit = rest;
    if (i + 1 < end) {
      const std::uint64_t s = static_cast<std::uint64_t>(extent[i]);
      digit = rest % s;
      rest /= s;
    }
    emit(i, static_cast<Index>(negative ? 0 - digit : digit));
  }
}

}  // namespace tessera::detail
