// SPDX-License-Identifier: Apache-2.0
/// \file
/// Subspaces of F2^62: sets of bit vectors that are closed under exclusive or.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/power_of_two.h"

namespace tessera::detail {

/// A subspace by its basis in reduced row echelon form: the highest bit of each basis vector is 0 in all
/// others, and the vectors ascend. Two spaces are equal iff their bases are. No allocation.
class BitSpace {
 public:
  BitSpace() = default;
  BitSpace(std::initializer_list<std::uint64_t> vectors) {
    for (const std::uint64_t v : vectors) add(v);
  }
  /// All vectors whose bits are in the mask.
  static BitSpace of_bits(std::uint64_t mask);

  int dim() const { return dim_; }
  std::span<const std::uint64_t> basis() const& { return {basis_.data(), static_cast<std::size_t>(dim_)}; }
  std::span<const std::uint64_t> basis() && = delete;  // it would outlive the space

  /// The vector of the coset v + this space in which all leading bits of the basis are 0. It is 0 iff the
  /// space contains v.
  std::uint64_t residue(std::uint64_t v) const;
  bool contains(std::uint64_t v) const { return residue(v) == 0; }

  /// Adds a vector. Returns false if the space already contains it.
  bool add(std::uint64_t v);
  void add(const BitSpace& other);
  BitSpace sum(const BitSpace& other) const;
  /// The intersection. O(dim²).
  BitSpace meet(const BitSpace& other) const;

  friend bool operator==(const BitSpace& a, const BitSpace& b) {
    return a.dim_ == b.dim_ && std::equal(a.basis_.begin(), a.basis_.begin() + a.dim_, b.basis_.begin());
  }

 private:
  std::array<std::uint64_t, 62> basis_{};
  int dim_ = 0;
};

/// A linear map between bit vectors, given by the images of the unit vectors 1, 2, 4, ...
struct BitMap {
  std::array<std::uint64_t, 62> image{};
  int size = 0;

  std::uint64_t operator()(std::uint64_t v) const {
    std::uint64_t out = 0;
    for (; v != 0; v &= v - 1) out ^= image[static_cast<std::size_t>(std::countr_zero(v))];
    return out;
  }
};

/// The vectors of `from` that the map sends to 0.
BitSpace kernel(const BitSpace& from, const BitMap& map);

}  // namespace tessera::detail
