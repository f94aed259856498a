// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether elements move between two arrays in memory.
#pragma once

#include <optional>

#include "hlo/analysis/bitcast.h"
#include "tessera/hlo/indexing.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// Whether the opcode only moves elements: bitcast, bitcast-convert, copy, reshape, transpose.
bool only_moves(Opcode opcode);

/// The answer of `bitcast_answer` for an instruction whose operand and result have other layouts: the
/// instruction determines which elements correspond, and these types determine where they are. A bitcast is
/// compared like a reshape.
BitcastAnswer bitcast_answer_with(const Instruction& instruction, const TensorType& operand,
                                  const TensorType& result);

/// The answer for a result whose elements are elements of the operand: `maps` gives the operand index for
/// each index of the result. Undecided unless `maps` is a single exact map. Both arrays have elements of the
/// same width.
BitcastAnswer movement_answer(const IndexingSet& maps, const TensorType& operand, const TensorType& result);

}  // namespace tessera::detail
