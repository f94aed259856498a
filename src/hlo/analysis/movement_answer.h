// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the elements of a movement stay in place.
#pragma once

#include <optional>

#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/data_sources.h"
#include "tessera/hlo/analyze.h"

namespace tessera::detail {

/// Compares the place in memory of every element of the results with its place in the operand. `yes`: each
/// result has the bytes of one operand, in the same order and of the same size. For several results, the sum.
/// A result with elements of several arrays, or with constants, is `no`: it needs a buffer of its own.
/// `undecided` if a layout is missing, if the places are known only at run time, or if a limit is reached.
/// `maps` are those of the instruction. Cost: that of bitcast_answer for each result.
BitcastAnswer movement_answer(const Instruction& op, const DataMovement& movement,
                              const InstructionIndexing& maps);

/// Whether a result may hold an element of an operand: false if only constants are left.
bool holds_operand(const Instruction& op, const DataMovement& movement, const InstructionIndexing& maps);

/// The array that all elements of a result come from, and for each index of the result the element. `map`
/// points into the maps of the instruction.
struct OutputMap {
  DataSource source;
  const Indexing* map = nullptr;
};

/// Empty if the elements come from several arrays, or from places known only at run time.
std::optional<OutputMap> output_map(const Instruction& op, const MovedOutput& output,
                                    const InstructionIndexing& maps);

}  // namespace tessera::detail
