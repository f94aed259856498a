// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random programs of one operation on arrays with dynamic dimensions, and what it reads for some sizes, by
/// its definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "laws/operand_maps_laws.h"

namespace tessera::laws::dynamic_sizes {

/// The run-time sizes of arrays, by the names of the instructions.
using NamedSizes = std::map<std::string, Indices, std::less<>>;

/// The elements of an operand that each element of the result reads.
struct OperandReads {
  std::size_t operand = 0;
  Relation pairs;
  std::vector<Direction> open = {};  ///< where not only the sizes decide, so that their names are not enough
};

/// The parameters are named a and b, the root r.
struct DynamicProgram {
  std::string text;
  NamedSizes sizes;
  std::vector<OperandReads> reads;
};

/// Whether an array of these sizes has an element with this index.
bool exists(const Indices& sizes, const Indices& index);

/// Nothing if the numbers that were drawn give no program.
std::optional<DynamicProgram> random_program(std::uint64_t seed);

}  // namespace tessera::laws::dynamic_sizes
