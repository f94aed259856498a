// SPDX-License-Identifier: Apache-2.0
/// \file
/// Row-major renumbering of indices between two shapes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/expr/expr.h"

namespace tessera::detail {

/// sum of at[i] * stride[i]: the row-major number of an index.
Expr row_major_number(std::span<const Index> extents, std::span<const Expr> at);

/// Appends the index with a row-major number to `results`. Requires 0 <= number < product of the extents.
void append_digits(std::span<const Index> extents, Expr number, std::vector<Expr>& results);

/// The index in the shape `to` that has the row-major number of the index `at` in the shape `from`. Both
/// shapes are cut, from the left, into the shortest runs of dimensions with equal products; an expression for
/// a run of `to` uses only the dimensions of its partner. Requires equal element counts, at least 1 and
/// within 64 bits.
struct Renumbered {
  std::vector<Expr> results;
  bool canonical =
      true;  ///< no two partners both have several dimensions, so the results need no simplification
};
Renumbered renumber(std::span<const Index> from, std::span<const Index> to, std::span<const Expr> at);

}  // namespace tessera::detail
