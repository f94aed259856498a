// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chains of reshapes, transposes and reversals.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// A permutation of the elements of an array into another shape: from an index of the start to an index of
/// the result. Each index of the result is kept as digits of the start's indices, floor(d / unit) mod extent,
/// so digits that a later move joins merge again, and a chain of moves that leads back is the identity. Where
/// extents share no boundary (7 x 9 read as 9 x 7), the digits between two shared boundaries form one number,
/// a block, with digits of its own.
///
/// A digit has at least 2 values, so there are at most 62. A move is O(digits). Copying is cheap: blocks are
/// shared and immutable.
class Rearrangement {
 public:
  /// The identity. Requires extents of at least 1 with a product within 64 bits.
  explicit Rearrangement(std::span<const Index> extents);

  /// The elements keep their row-major numbers. Requires the same number of elements.
  void reshape(std::span<const Index> extents);
  /// Index i of the result is the former index order[i]. Requires a permutation.
  void transpose(std::span<const Index> order);
  /// Reverses these indices. Requires each at most once.
  void reverse(std::span<const Index> dims);

  /// The shapes of the start and of the result.
  std::span<const Index> start() const { return start_; }
  std::span<const Index> extents() const { return extents_; }
  /// Each index of the result, variable i being index i of the start. Not simplified.
  std::vector<Expr> results() const;
  /// Whether both keep the indices as the same digits. Then they are the same permutation.
  friend bool operator==(const Rearrangement& a, const Rearrangement& b) = default;
  /// Whether blocks nest so deep that expressions should not grow further.
  bool deep() const;

 private:
  struct Block;
  struct BlockDigit {
    std::shared_ptr<const Block> block;
    Index unit = 1;
    Index extent = 1;
    bool reversed = false;  ///< the value is extent - 1 - floor(block / unit) mod extent

    friend bool operator==(const BlockDigit& a, const BlockDigit& b) {
      return a.unit == b.unit && a.extent == b.extent && a.reversed == b.reversed &&
             (a.block == b.block || (a.block->extent == b.block->extent && a.block->value == b.block->value));
    }

    Expr value() const;
    /// The fast part of this digit, with `low` values; the rest has extent / low. Requires low to divide the
    /// extent.
    BlockDigit lower(Index low) const { return {block, unit, low, reversed}; }
    BlockDigit upper(Index low) const { return {block, unit * low, extent / low, reversed}; }
  };
  /// A number in [0, extent): an index of the start, or digits that became one.
  struct Block {
    Expr value;
    Index extent = 1;
    std::vector<BlockDigit> digits = {};  ///< slowest first; empty for an index of the start
  };

  /// The digits of the block, or parts of them, that make up this digit; empty if it is not a product of
  /// them.
  static std::vector<BlockDigit> parts_of(const BlockDigit& digit);
  /// Adds a digit after those from number `first` on, with which it may merge.
  static void append(std::vector<BlockDigit>& digits, std::size_t first, BlockDigit next);
  static BlockDigit block_of(std::vector<BlockDigit> digits);
  static Expr number(std::span<const BlockDigit> digits);
  /// The digits of index i.
  std::span<const BlockDigit> digits_of(std::size_t i) const {
    const std::size_t first = i == 0 ? 0 : ends_[i - 1];
    return std::span(digits_).subspan(first, ends_[i] - first);
  }

  std::vector<Index> start_;
  std::vector<Index> extents_;
  std::vector<BlockDigit> digits_;  ///< by index of the result, each slowest first
  std::vector<std::size_t> ends_;   ///< of the digits of each index, in `digits_`
};

}  // namespace tessera::detail
