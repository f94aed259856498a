// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which transposes, reshapes and copies move no data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"
#include "tessera/map/judge.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// Whether an instruction leaves every byte of its operand in place, so that a bitcast could replace it.
struct BitcastAnswer {
  Verdict verdict = Verdict::undecided;
  /// Why the verdict is undecided or, for `no`, which sizes or memory spaces differ. Empty if elements move.
  std::string reason = {};
  Index bytes = 0;  ///< of the result's elements, without padding
  /// Bytes of the elements that move; empty if they could not be counted.
  std::optional<Index> moved_bytes = {};
  /// For `no`: the first index of the result, in row-major order, whose element moves, and its positions in
  /// the operand and in the result, in bits. Empty if no element moves or none was found.
  std::vector<Index> element = {};
  Index from_bit = 0;
  Index to_bit = 0;
  /// If the elements lie in the operand at the same distances as in the result: the first bit that they take
  /// in the operand, minus that in the result. Pointing into the operand would do instead of moving them.
  std::optional<Index> start_bit = {};
};

/// The answer for `copy`, `transpose`, `reshape`, `bitcast-convert` and `bitcast` of an array; empty for
/// other instructions. Compares offsets in memory, with tiles, padding, element widths and memory spaces of
/// both layouts. Undecided if a layout is missing, an extent is unbounded or a limit is reached. Exact.
/// Cost: a simplification, and for `no` a count over groups of dimensions, at most about 2^20 steps.
std::optional<BitcastAnswer> bitcast_answer(const Instruction& instruction);

namespace detail {

/// Whether the opcode only moves elements: bitcast, bitcast-convert, copy, reshape, transpose.
bool only_moves(Opcode opcode);

/// Whether the compiler may make a bitcast of such an instruction by its choice of layouts: bitcast-convert,
/// reshape and transpose. XLA keeps a copy.
bool may_become_bitcast(Opcode opcode);

/// Whether it may do so for this instruction: a layout is missing, and only the layouts decide.
bool may_vanish(const Instruction& instruction);

/// The answer of `bitcast_answer` for an instruction whose operand and result have other layouts: the
/// instruction determines which elements correspond, and these types determine where they are. A bitcast is
/// compared like a reshape.
BitcastAnswer bitcast_answer_with(const Instruction& instruction, const TensorType& operand,
                                  const TensorType& result);

/// The answer for a result whose elements are elements of the operand: `maps` gives the operand index for
/// each index of the result. Undecided unless `maps` is a single exact map. Both arrays have elements of the
/// same width.
BitcastAnswer movement_answer(const IndexingSet& maps, const TensorType& operand, const TensorType& result);

}  // namespace detail
}  // namespace tessera
