// SPDX-License-Identifier: Apache-2.0
#include "code/bits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace tessera::coding {
namespace {

// floor(x / 2^bit), whose parity is that bit of x.
TermId from_bit(Terms& terms, TermId x, int bit) { return terms.floor_div(x, Index{1} << bit); }

// A swizzle with quotients instead of bit operations: the XOR of two bits is the parity of their sum.
TermId swizzled_by_quotients(Terms& terms, const Swizzle& swizzle, TermId x) {
  const int to = swizzle.base - std::min(swizzle.shift, 0);
  const TermId old = terms.mod(from_bit(terms, x, to), Index{1} << swizzle.bits);
  TermId value = terms.subtract(x, terms.multiply(old, Index{1} << to));
  for (int i = to; i < to + swizzle.bits; ++i) {
    const TermId sum = terms.add(from_bit(terms, x, i), from_bit(terms, x, i + swizzle.shift));
    value = terms.add(value, terms.multiply(terms.mod(sum, 2), Index{1} << i));
  }
  const Interval in = terms[x].range;
  if (in.lower < 0 || in.upper >= Index{1} << 62) return value;
  const Index largest = std::max(in.upper, Index{1} << (to + swizzle.bits - 1));
  return terms.assume(value,
                      {0, static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(largest) + 1)) - 1});
}

// A layout of bases over F2 with quotients instead of bit operations: each bit of the value is the parity of
// the sum of the index bits whose bases have it.
TermId linear_by_quotients(Terms& terms, std::span<const std::vector<Index>> bases,
                           std::span<const TermId> index) {
  struct IndexBit {
    std::size_t dim = 0;
    int bit = 0;
  };
  std::array<std::vector<IndexBit>, 63> sources;
  for (std::size_t dim = 0; dim < bases.size(); ++dim) {
    for (std::size_t k = 0; k < bases[dim].size(); ++k) {
      for (std::size_t to = 0; to < sources.size(); ++to) {
        if (((bases[dim][k] >> to) & 1) != 0) sources[to].push_back({dim, static_cast<int>(k)});
      }
    }
  }
  TermId value = terms.constant(0);
  for (std::size_t to = 0; to < sources.size();) {
    const std::vector<IndexBit>& from = sources[to];
    // Neighboring bits that only move, and move together, are one remainder.
    std::size_t count = 1;
    while (from.size() == 1 && to + count < sources.size() && sources[to + count].size() == 1 &&
           sources[to + count][0].dim == from[0].dim &&
           sources[to + count][0].bit == from[0].bit + static_cast<int>(count)) {
      ++count;
    }
    TermId sum = terms.constant(0);
    for (const IndexBit& one : from) sum = terms.add(sum, from_bit(terms, index[one.dim], one.bit));
    if (!from.empty())
      value = terms.add(value, terms.multiply(terms.mod(sum, Index{1} << count), Index{1} << to));
    to += count;
  }
  return value;
}

}  // namespace

TermId swizzled(Terms& terms, const Swizzle& swizzle, TermId x) {
  if (swizzle.is_identity()) return x;
  if (!terms.rules().bits) return swizzled_by_quotients(terms, swizzle, x);
  const Index width = (Index{1} << swizzle.bits) - 1;
  // The usual spelling: the bits at their target, masked.
  const TermId moved = swizzle.shift >= 0
                           ? terms.shift_right(x, swizzle.shift)
                           : terms.shift_left(terms.bit_and(x, width << swizzle.base), -swizzle.shift);
  return terms.bit_xor(
      x, terms.bit_and(moved, width << (swizzle.base - (swizzle.shift < 0 ? swizzle.shift : 0))));
}

TermId lower_linear(Terms& terms, std::span<const std::vector<Index>> bases, std::span<const TermId> index) {
  if (!terms.rules().bits) return linear_by_quotients(terms, bases, index);
  // The bits that move by the same distance are moved by one shift.
  TermId value = terms.constant(0);
  for (std::size_t dim = 0; dim < bases.size(); ++dim) {
    const std::vector<Index>& of = bases[dim];
    for (int distance = -63; distance < 64; ++distance) {
      Index mask = 0;
      for (std::size_t k = 0; k < of.size(); ++k) {
        const int to = static_cast<int>(k) + distance;
        if (to >= 0 && to < 63 && ((of[k] >> to) & 1) != 0) mask |= Index{1} << k;
      }
      if (mask == 0) continue;
      const TermId moved = distance >= 0
                               ? terms.shift_left(terms.bit_and(index[dim], mask), distance)
                               : terms.bit_and(terms.shift_right(index[dim], -distance), mask >> -distance);
      value = terms.bit_xor(value, moved);
    }
  }
  return value;
}

}  // namespace tessera::coding
