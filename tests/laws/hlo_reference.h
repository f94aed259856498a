// SPDX-License-Identifier: Apache-2.0
/// \file
/// What one HLO instruction reads, found the slow way: by doing what its opcode says, element by element.
///
/// Nothing here knows of index maps. Each opcode is a loop over its elements, as plain as its definition,
/// which notes which operand element meets which output element.
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

/// Row-major values of the integer arrays that decide where things are read.
using Values = std::map<const Instruction*, Indices>;

/// The element of output `output` that reads which elements of operand `operand`, for these values. Nothing
/// for opcodes that have no such relation, and for collectives (see hlo_reference_collective.h).
std::optional<Relation> reference_relation(const Instruction& instruction, std::size_t output,
                                           std::size_t operand, const Values& values);

// Pieces of it, by family; nothing for opcodes of another family.
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
/// Every element of both.
Relation all_pairs(std::span<const Index> output, std::span<const Index> operand);
/// Dimensions of output `output`.
std::span<const Index> output_dims(const Instruction& instruction, std::size_t output);
std::span<const Index> operand_dims(const Instruction& instruction, std::size_t operand);
/// `{1,2}` of an attribute; empty when it is not there.
Indices ints(const Instruction& instruction, std::string_view key);

}  // namespace tessera::laws
