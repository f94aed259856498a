// SPDX-License-Identifier: Apache-2.0
/// \file
/// The elements that collectives read, found by running them on every replica of one group.
#pragma once

#include <optional>
#include <set>
#include <tuple>

#include "laws/hlo_reference.h"

namespace tessera::laws {

/// (position of the replica with the output, its element, position of the replica with the operand, its
/// element)
using GroupRelation = std::set<std::tuple<Index, Indices, Index, Indices>>;

/// The relation for a group of `members` replicas whose positions are their numbers. Empty for other opcodes.
std::optional<GroupRelation> reference_collective(const Instruction& instruction, std::size_t output,
                                                  std::size_t operand, Index members);

}  // namespace tessera::laws
