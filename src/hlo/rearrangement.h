// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements that only move: chains of reshapes, transposes and reversals.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// A permutation of the elements of an array into another shape: from an index of the start to an index of
/// the result. It is kept in digits: each index of the result is written as digits of the indices of the
/// start, floor(d / unit) mod extent, so that whatever a later move joins again is one digit again, and a
/// chain of moves that leads back is the identity. Where extents do not meet (7 x 9 read as 9 x 7) the digits
/// between two places where they do are one number, a block, and the digits of that go on.
///
/// A digit has at least 2 values, so there are at most 62, and a move costs as much as there are digits.
/// Copying is cheap: blocks are shared and do not change.
class Rearrangement {
 public:
  /// The identity. Requires extents of at least 1 with a product within 64 bits.
  explicit Rearrangement(std::span<const Index> extents);

  /// The elements keep their row-major numbers. Requires the same number of elements.
  void reshape(std::span<const Index> extents);
  /// Index i of the result is what was index order[i]. Requires a permutation.
  void transpose(std::span<const Index> order);
  /// These indices count backwards. Requires each at most once.
  void reverse(std::span<const Index> dims);

  /// The shape that it starts from, and the one that it leads to.
  std::span<const Index> start() const { return start_; }
  std::span<const Index> extents() const { return extents_; }
  /// Each index of the result, variable i being index i of the start. Not simplified.
  std::vector<Expr> results() const;
  /// Blocks lie in blocks so deep that no expression should grow further.
  bool deep() const;

 private:
  struct Block;
  struct Digit {
    std::shared_ptr<const Block> block;
    Index unit = 1;
    Index extent = 1;
    bool reversed = false;  ///< the value is extent - 1 - floor(block / unit) mod extent

    Expr value() const;
    /// This digit as one of `low` values and, slower, one of extent / low. Requires low to divide the extent.
    Digit lower(Index low) const { return {block, unit, low, reversed}; }
    Digit upper(Index low) const { return {block, unit * low, extent / low, reversed}; }
  };
  /// A number in [0, extent): an index of the start, or digits that were read as one.
  struct Block {
    Expr value;
    Index extent = 1;
    std::vector<Digit> digits = {};  ///< slowest first; none of an index of the start
  };

  /// The digits of the block, or parts of them, that this digit of it consists of; none if it cuts across.
  static std::vector<Digit> parts_of(const Digit& digit);
  static void append(std::vector<Digit>& digits, Digit next);
  static Digit block_of(std::vector<Digit> digits);
  static Expr number(std::span<const Digit> digits);

  std::vector<Index> start_;
  std::vector<Index> extents_;
  std::vector<std::vector<Digit>> digits_;  ///< by index of the result, slowest first
};

}  // namespace tessera::detail
