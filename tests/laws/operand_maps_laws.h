// SPDX-License-Identifier: Apache-2.0
/// \file
/// Laws of operand maps: they are the relation that running the instruction finds.
#pragma once

#include <string>
#include <string_view>

#include "laws/hlo_reference.h"
#include "laws/hlo_reference_collective.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera::laws {

/// The direction of a map.
enum class Direction { output_to_input, input_to_output };

/// The pairs of an indexing, with runtime variables read from `values`.
Relation relation_of(const OperandIndexing& indexing, Direction direction, const Values& values);

/// Values of the integer arrays a program computes from parameters (`values` has these), constants and iotas.
void evaluate_integers(const Computation& computation, Values& values);

/// For every output and operand of the root of the text's entry: an exact answer is the reference relation, a
/// superset contains it, in both directions; an unknown answer needs `unknown_allowed`. Maps are simplified.
/// Integer parameters get values from `seed`.
void check_operand_maps(std::string_view text, std::uint64_t seed, bool unknown_allowed = false);

/// The same for a collective over one group of `members` replicas.
void check_collective_maps(std::string_view text, Index members);

}  // namespace tessera::laws
