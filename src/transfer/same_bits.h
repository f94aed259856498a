// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares elements of any width.
#pragma once

#include <cstddef>
#include <cstring>

#include "tessera/base/index.h"

namespace tessera::transfer {

/// Whether `bits` bits are the same, from bit `a_bit` of one buffer and from bit `b_bit` of the other on.
inline bool same_bits(const std::byte* a, Index a_bit, const std::byte* b, Index b_bit, Index bits) {
  if (bits % 8 == 0 && a_bit % 8 == 0 && b_bit % 8 == 0)
    return std::memcmp(a + a_bit / 8, b + b_bit / 8, static_cast<std::size_t>(bits / 8)) == 0;
  for (Index i = 0; i < bits; ++i) {
    const auto bit = [i](const std::byte* bytes, Index at) {
      return std::to_integer<unsigned>(bytes[(at + i) / 8]) >> ((at + i) % 8) & 1u;
    };
    if (bit(a, a_bit) != bit(b, b_bit)) return false;
  }
  return true;
}

}  // namespace tessera::transfer
