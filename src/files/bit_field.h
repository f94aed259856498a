// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads, writes and compares bits of buffers, for elements of any width. Lower bits of a byte come first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tessera/base/index.h"

namespace tessera {

/// Up to 64 bits from bit `at` on, as a number.
inline std::uint64_t bits_at(const std::byte* bytes, Index at, Index count) {
  std::uint64_t value = 0;
  for (Index done = 0; done < count;) {
    const Index here = std::min(count - done, 8 - (at + done) % 8);
    const auto byte = std::to_integer<std::uint64_t>(bytes[(at + done) / 8]);
    value |= (byte >> (at + done) % 8 & ((std::uint64_t{1} << here) - 1)) << done;
    done += here;
  }
  return value;
}

/// Stores the low `count` bits of a number, at most 64. Other bits of the buffer are kept.
inline void set_bits(std::byte* bytes, Index at, Index count, std::uint64_t value) {
  for (Index done = 0; done < count;) {
    const Index here = std::min(count - done, 8 - (at + done) % 8);
    const unsigned mask = ((1u << here) - 1) << (at + done) % 8;
    std::byte& byte = bytes[(at + done) / 8];
    const auto part = static_cast<unsigned>(value >> done & ((std::uint64_t{1} << here) - 1));
    byte = static_cast<std::byte>((std::to_integer<unsigned>(byte) & ~mask) | part << (at + done) % 8);
    done += here;
  }
}

/// Copies `bits` bits, from bit `from` of one buffer to bit `to` of the other. Other bits are kept.
inline void copy_bits(const std::byte* source, Index from, std::byte* target, Index to, Index bits) {
  // Most copies are of one element, and most of these lie in one byte.
  if (bits > 0 && from % 8 + bits <= 8 && to % 8 + bits <= 8) {
    const unsigned mask = (1u << bits) - 1;
    const unsigned value = std::to_integer<unsigned>(source[from / 8]) >> from % 8 & mask;
    const unsigned kept = std::to_integer<unsigned>(target[to / 8]) & ~(mask << to % 8);
    target[to / 8] = static_cast<std::byte>(kept | value << to % 8);
    return;
  }
  for (Index done = 0; done < bits; done += 64) {
    const Index here = std::min<Index>(64, bits - done);
    set_bits(target, to + done, here, bits_at(source, from + done, here));
  }
}

/// Whether `bits` bits are the same, from bit `a_bit` of one buffer and from bit `b_bit` of the other on.
inline bool same_bits(const std::byte* a, Index a_bit, const std::byte* b, Index b_bit, Index bits) {
  if (bits % 8 == 0 && a_bit % 8 == 0 && b_bit % 8 == 0)
    return std::memcmp(a + a_bit / 8, b + b_bit / 8, static_cast<std::size_t>(bits / 8)) == 0;
  for (Index done = 0; done < bits; done += 64) {
    const Index here = std::min<Index>(64, bits - done);
    if (bits_at(a, a_bit + done, here) != bits_at(b, b_bit + done, here)) return false;
  }
  return true;
}

}  // namespace tessera
