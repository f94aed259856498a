// SPDX-License-Identifier: Apache-2.0
/// \file
/// Affine functions and equations through given points.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "expr/limits.h"

namespace tessera::detail {

/// The differences of some points and of the values of a function at them, as linear equations for its
/// factors in echelon form.
class AffineSpan {
 public:
  static constexpr std::size_t kVariables = Limits::kFitVariables;
  using Row = std::array<Index, kVariables + 1>;  ///< a factor for each variable, then the value

  /// Between points of `variables` coordinates, at most kVariables.
  explicit AffineSpan(std::size_t variables) : variables_(variables) {}

  /// Adds a difference. False if no affine function has these differences, or a number overflows 64 bits.
  bool add(Row row);
  /// The number of independent differences.
  std::size_t rank() const { return count_; }
  /// Factors with which the function has all differences; those that are not determined are 0. Empty if they
  /// are not integers or overflow.
  std::optional<Row> factors() const;
  /// Vectors that are orthogonal to all differences, one for each missing direction: each gives an equation
  /// of the points. The values are ignored. Empty if a number overflows.
  std::vector<Row> orthogonal() const;

 private:
  std::size_t variables_;
  std::size_t count_ = 0;
  std::array<Row, kVariables> rows_;
  std::array<std::size_t, kVariables> pivots_;  // the first variable of each row
};

}  // namespace tessera::detail
