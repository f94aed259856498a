// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which elements of an operand an output element depends on, for one instruction.
#pragma once

#include <cstddef>

#include "tessera/base/result.h"
#include "tessera/hlo/indexing.h"

namespace tessera {

/// The maps from an index of output `output` to the elements of operand `operand` that it needs. Outputs are
/// leaves of the result: output 2 of ((f32[2], f32[3]), s32[]) is the s32[].
///
/// Maps of fusions, calls and other callers go through the called computations. Maps are simplified;
/// dimensions of extent 1 stay in results (`Points::preserve`) except for windows, convolutions and maps
/// through computations. Runtime values that the program determines are folded into the maps. Instructions
/// with an error or an unknown opcode are unknown. Cost: O(rank) and, for some opcodes, a simplification.
/// Errors: index_out_of_range.
Result<IndexingSet> output_to_input(const Instruction& instruction, std::size_t output, std::size_t operand);

/// The maps from an index of operand `operand` to the elements of output `output` that read it. Errors:
/// index_out_of_range.
Result<IndexingSet> input_to_output(const Instruction& instruction, std::size_t operand, std::size_t output);

}  // namespace tessera
