// SPDX-License-Identifier: Apache-2.0
/// \file
/// The elements that one HLO instruction reads, found by brute force: the opcode's definition, element by
/// element.
///
/// The reference does not use index maps. Each opcode is a loop over its elements, as simple as its
/// definition, that records the operand elements that each output element uses.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::laws {

using Indices = std::vector<Index>;

/// Pairs (element of the output, element of the operand).
using Relation = std::set<std::pair<Indices, Indices>>;

/// Row-major values of the integer arrays that determine the positions of reads.
using Values = std::map<const Instruction*, Indices>;

/// The elements of operand `operand` that each element of output `output` reads, for these values. Empty for
/// opcodes without such a relation, and for collectives, which are in hlo_reference_collective.h.
std::optional<Relation> reference_relation(const Instruction& instruction, std::size_t output,
                                           std::size_t operand, const Values& values);

// Parts of reference_relation by family of opcodes; empty for other opcodes.
std::optional<Relation> reference_movement(const Instruction& op, std::size_t output, std::size_t operand);
std::optional<Relation> reference_sums(const Instruction& instruction, std::size_t output,
                                       std::size_t operand, const Values& values);
std::optional<Relation> reference_indexed(const Instruction& instruction, std::size_t output,
                                          std::size_t operand, const Values& values);
std::optional<Relation> reference_rows(const Instruction& instruction, std::size_t output,
                                       std::size_t operand);

/// Calls `visit` for every index of an array, the last dimension fastest.
void for_each_index(std::span<const Index> extents, const std::function<void(const Indices&)>& visit);
/// The row-major number of an index.
Index number_of(std::span<const Index> extents, std::span<const Index> index);
/// All pairs of an output element and an operand element.
Relation all_pairs(std::span<const Index> output, std::span<const Index> operand);
/// Dimensions of output `output`.
std::span<const Index> output_dims(const Instruction& instruction, std::size_t output);
std::span<const Index> operand_dims(const Instruction& instruction, std::size_t operand);
/// The integers of an attribute such as `{1,2}`; empty if it is missing.
Indices ints(const Instruction& instruction, std::string_view key);

}  // namespace tessera::laws
