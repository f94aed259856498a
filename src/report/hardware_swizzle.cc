// SPDX-License-Identifier: Apache-2.0
#include "report/hardware_swizzle.h"

#include <array>
#include <bit>
#include <cstdlib>

namespace tessera {
namespace {

// The name of a hardware mode, with its swizzle on bytes and the row length that it needs.
struct HardwareSwizzle {
  Swizzle bytes;
  std::string_view name;
};
constexpr std::array<HardwareSwizzle, 5> kHardware = {{{{1, 4, 3}, "32B of TMA and UMMA, rows of 32 bytes"},
                                                       {{2, 4, 3}, "64B of TMA and UMMA, rows of 64 bytes"},
                                                       {{3, 4, 3}, "128B of TMA and UMMA, rows of 128 bytes"},
                                                       {{2, 5, 2}, "128B of TMA with 32-byte atoms"},
                                                       {{1, 6, 1}, "128B of TMA with 64-byte atoms"}}};

}  // namespace

std::optional<Swizzle> on_bytes(const Swizzle& swizzle, Index element_bits) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(element_bits))) return std::nullopt;
  const int base = swizzle.base + std::countr_zero(static_cast<std::uint64_t>(element_bits)) - 3;
  if (base < 0) return std::nullopt;
  return Swizzle{swizzle.bits, base, swizzle.shift};
}

std::string_view hardware_name(const Swizzle& bytes) {
  for (const HardwareSwizzle& one : kHardware)
    if (one.bytes == bytes) return one.name;
  return "";
}

Index period(const Swizzle& s) { return Index{1} << (s.bits + s.base + std::abs(s.shift)); }

}  // namespace tessera
