// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which operands the elements of a result come from, if the instruction only moves elements.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::detail {

/// An array of an operand whose elements a result may hold.
struct DataSource {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;  ///< of the operand
  friend auto operator<=>(const DataSource&, const DataSource&) = default;
};

/// One array of a result: every element is an element of a source or, if `fills`, a constant.
struct MovedOutput {
  std::uint32_t output = 0;         ///< leaf of the result
  std::vector<DataSource> sources;  ///< in the order of the operands
  bool fills = false;
};

/// An instruction that only moves elements.
struct DataMovement {
  std::vector<MovedOutput> outputs;
  /// What moves the elements, from the operands to the result, each opcode once and without bitcasts.
  std::vector<Opcode> by;
};

/// The movement that an instruction makes: copy, transpose, reshape, bitcast-convert, slice, reverse,
/// concatenate, pad, broadcast, gather, dynamic-slice, dynamic-update-slice and copy-start, and fusions and
/// calls whose every result is made of these. How they compute an index does not matter, nor what they
/// compute and do not use. Empty for other instructions, and for those that hold no element of an operand.
/// O(instructions inside, once for each call), at most 2^14; empty beyond. `program` finds what is not used.
std::optional<DataMovement> data_movement(const Instruction& op, ProgramIndexing& program);

}  // namespace tessera::detail
