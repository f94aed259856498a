// SPDX-License-Identifier: Apache-2.0
/// \file
/// What one instruction reads, writes and moves, counted element by element with the relations of
/// hlo_reference.h.
#pragma once

#include <optional>

#include "laws/hlo_reference.h"
#include "laws/operand_arrays.h"
#include "tessera/hlo/module.h"

namespace tessera::laws {

/// Bytes of one step.
struct StepBytes {
  Index read = 0;  ///< an element once for each path from an output element to it: no loops read more
  Index used = 0;  ///< different elements
  Index written = 0;
};

/// Of an update in place or, if not `in_place`, of one that writes a copy. Empty if a relation is not known
/// here: unsupported opcodes, and updates at the root of a fusion.
std::optional<StepBytes> step_bytes(const Instruction& step, bool in_place, const EqualOperands& equal);

/// Whether the result of the instruction is an array of its own, and not another name for data that is there.
bool makes_an_array(const Instruction& op);

/// Whether a run moves data for the instruction. Arrays have layouts.
bool is_step(const Instruction& op);

/// The operand element that each element of a movement is, by row-major number; empty for other instructions.
std::optional<Indices> movement_sources(const Instruction& op);

}  // namespace tessera::laws
