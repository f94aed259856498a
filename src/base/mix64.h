// SPDX-License-Identifier: Apache-2.0
/// \file
/// The finalizer of splitmix64.
#pragma once

#include <cstdint>

namespace tessera::detail {

/// Spreads each bit of a number over all bits. A bijection, so different numbers stay different.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace tessera::detail
