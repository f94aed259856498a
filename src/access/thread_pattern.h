// SPDX-License-Identifier: Apache-2.0
/// \file
/// The accesses of one warp that have a name: rows, columns, and the matrices of ldmatrix and stmatrix.
#pragma once

#include <span>
#include <vector>

#include "access/matrix_form.h"
#include "access/text_part.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {

/// The lanes of a warp, and the elements that each moves at once.
struct WarpVectors {
  Index vector = 1;
  Index lanes = 32;
};

/// One warp that reads rows (or columns) at the origin of a box of two dimensions, as a layout from (thread,
/// value) to the 1-D index. Errors: bad_option at `name`.
Result<Layout> row_pattern(const TextPart& name, std::span<const Index> box, WarpVectors warp);
Result<Layout> column_pattern(const TextPart& name, std::span<const Index> box, WarpVectors warp);

/// The elements of a row of a matrix, which has 16 bytes. Errors: unsupported_width at `name`, for elements
/// that do not divide a row.
Result<Index> matrix_row_elements(const TextPart& name, Index element_bits);

/// The tile of a matrix instruction: matrices of 8 rows of 16 bytes, which lie along the second dimension, or
/// along the first.
struct MatrixTile {
  Index below = 2;           ///< matrices below each other; the lanes take these first
  Index beside = 2;          ///< matrices side by side
  Index vector = 8;          ///< elements of a row of a matrix
  bool along_first = false;  ///< the rows of the matrices lie along the first dimension

  std::vector<Index> shape() const {
    return {(along_first ? vector : 8) * below, (along_first ? 8 : vector) * beside};
  }
};

/// The tile at the origin of a box: four matrices lie 2 x 2, as in the operand A of mma; in a box that is too
/// small for that, all below each other or side by side. `vector` is matrix_row_elements. Errors: bad_option
/// at `name`, if the box does not have two dimensions or is too small.
Result<MatrixTile> matrix_tile(const TextPart& name, const MatrixForm& form, std::span<const Index> box,
                               Index vector, bool along_first = false);

/// The lanes of the tile, as a layout from (thread, value) to the 1-D index in a box with `rows` rows: lane l
/// has the row l mod 8 of matrix l div 8.
Result<Layout> matrix_pattern(const MatrixTile& tile, Index rows);

}  // namespace tessera::detail
