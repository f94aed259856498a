// SPDX-License-Identifier: Apache-2.0
/// \file
/// The dimensions that an instruction sums over.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The extents of the contracted dimensions. For each range variable of the instruction's maps, the number of
/// its dimension among them.
struct Contraction {
  const Instruction* sum = nullptr;  ///< the instruction itself, or the one in the fusion
  std::vector<Index> extents = {};
  std::vector<std::size_t> order = {};
};

/// The contraction of a reduce (in the order of `dimensions`), or of a dot or a scaled-dot (in the order of
/// the pairs). For a fusion that has one of these and otherwise only operations that do not sum, the
/// contraction of that instruction. Otherwise empty.
Contraction contraction_of(const Instruction& instruction);

/// The extents of array number `leaf` of a type; empty for a token. Errors: index_out_of_range.
Result<std::vector<Index>> array_extents(const HloType& type, std::size_t leaf);

}  // namespace tessera::detail
