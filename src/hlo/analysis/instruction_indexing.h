// SPDX-License-Identifier: Apache-2.0
/// \file
/// The maps of one instruction between all its outputs and operands.
#pragma once

#include "tessera/hlo/analyze.h"

namespace tessera::detail {

/// All pairs of an output and an operand that depend on each other. An instruction with an error, or with too
/// many pairs, is unknown.
InstructionIndexing analyze_one(ProgramIndexing& program, const Instruction& instruction,
                                IndexingDirection direction);

}  // namespace tessera::detail
