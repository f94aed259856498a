// SPDX-License-Identifier: Apache-2.0
/// \file
/// The forms of ldmatrix and stmatrix, as text.
#pragma once

#include <optional>
#include <string>

#include "access/text_part.h"
#include "tessera/access/memory_target.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// A matrix instruction: its direction and its number of matrices.
struct MatrixForm {
  AccessKind kind = AccessKind::ldmatrix;
  int matrices = 4;
  bool trans = false;  ///< each lane gets elements of a column of a matrix

  /// `ldmatrix.x4`, without `.trans`.
  std::string name() const;
};

/// Reads `ldmatrix.x4`, `stmatrix.x2.trans` or `ldmatrix=4`, with 1, 2 or 4 matrices. Empty for any other
/// word, which may begin with the same letters. Errors: bad_option, at the suffix that is wrong.
Result<std::optional<MatrixForm>> parse_matrix_form(const TextPart& text);

}  // namespace tessera::detail
