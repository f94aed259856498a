// SPDX-License-Identifier: Apache-2.0
/// \file
/// The law of operand maps: they describe the relation found by running the instruction.
#pragma once

#include <string>
#include <string_view>

#include "laws/hlo_reference.h"
#include "laws/hlo_reference_collective.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {

/// The direction of a map.
enum class Direction { output_to_input, input_to_output };

/// The pairs of an indexing, with runtime variables read from `values`.
Relation relation_of(const Indexing& indexing, Direction direction, const Values& values);

/// Adds the values of the integer arrays that a program computes from parameters (already in `values`),
/// constants and iotas.
void evaluate_integers(const Computation& computation, Values& values);

/// Checks every output and operand of the entry's root, in both directions: an exact answer equals the
/// reference relation, a superset contains it, and an unknown answer requires `unknown_allowed`. Maps must be
/// simplified. Integer parameters get values from `seed`.
void check_operand_maps(std::string_view text, std::uint64_t seed, bool unknown_allowed = false);

/// As check_operand_maps, for a collective over one group of `members` replicas.
void check_collective_maps(std::string_view text, Index members);

}  // namespace tessera::laws
