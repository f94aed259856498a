// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates expressions at all points of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expr/questions/program.h"

namespace tessera {

/// Evaluates many expressions at the points of a row, each distinct node once. Arithmetic is checked, as in
/// `evaluate`.
class RowEvaluator {
 public:
  static constexpr std::size_t kRowPoints = 128;

  RowEvaluator(std::span<const Expr> exprs, std::size_t variable_count);

  /// Computes all expressions at the points base, base + e, ..., base + (size - 1) e, where e is the last
  /// unit vector. Requires size <= kRowPoints.
  void run(std::span<const Index> base, std::size_t size);

  /// The value of expression `expr` at point i of the row; empty if it has none.
  bool defined(std::size_t expr, std::size_t i) const;
  Index value(std::size_t expr, std::size_t i) const;

 private:
  detail::Program program_;
  std::vector<std::uint32_t> outputs_;
  std::vector<std::uint8_t>
      varies_;                 // whether a step depends on the last variable; other steps store one value
  std::vector<Index> values_;  // kRowPoints per step
  std::vector<std::uint8_t> defined_;  // kRowPoints per step
};

}  // namespace tessera
