// SPDX-License-Identifier: Apache-2.0
// Pairs of functions that check.py compares: the offset of a constant layout, and the same formula written by
// hand.
#include "tessera/algebra/static_layout.h"

using namespace tessera;
using Unsigned = unsigned long long;

#define PAIR(name, result, ...)                                                              \
  extern "C" long long name##_by_hand __VA_ARGS__ { return static_cast<long long>(result); } \
  extern "C" long long name##_layout __VA_ARGS__

constexpr auto row_major = "(4,8):(8,1)"_layout;
PAIR(row_major, i * 8 + j, (long long i, long long j)) { return row_major(i, j); }

constexpr auto broadcast = "(4,8):(0,1)"_layout;
PAIR(broadcast, j, ([[maybe_unused]] long long i, long long j)) { return broadcast(i, j); }

constexpr auto padded = "(4,8,3):(9,1,40)"_layout;
PAIR(padded, i * 9 + j + k * 40, (long long i, long long j, long long k)) { return padded(i, j, k); }

constexpr auto transposed = "(128,64):(64,1)"_layout;
PAIR(transposed, i % 128 * 64 + i / 128, (Unsigned i)) { return transposed(i); }

constexpr auto tiled = "((2,4),(2,8)):((1,16),(2,64))"_layout;
PAIR(tiled, i % 2 + i / 2 * 16 + j % 2 * 2 + j / 2 * 64, (Unsigned i, Unsigned j)) { return tiled(i, j); }

constexpr auto nested = "((4,8),(2,2)):((32,1),(16,8))"_layout;
PAIR(nested, a * 32 + b + c * 16 + d * 8, (Unsigned a, Unsigned b, Unsigned c, Unsigned d)) {
  return nested(crd(a, b), crd(c, d));
}

// A layout computed at compile time must give code as good as that of a literal.
constexpr auto divided = zipped_divide("(64,32):(1,64)"_layout, "<8,4>"_tiler);
PAIR(divided, i % 8 + i / 8 * 64 + tile % 8 * 8 + tile / 8 * 256, (Unsigned i, Unsigned tile)) {
  return divided(i, tile);
}
