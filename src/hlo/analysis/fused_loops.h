// SPDX-License-Identifier: Apache-2.0
/// \file
/// The loops of a fusion that computes each of its values once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/analysis/read_counts.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/walk.h"

namespace tessera::detail {

/// One map from the index of a loop to the elements of an operand of the fusion.
struct LoopRead {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
  Indexing map;
};

/// Computes values of one shape, element by element.
struct FusedLoop {
  std::vector<Index> dims;
  /// The indices that are needed, as values of these maps; empty: all of `dims`.
  IndexingSet needed = {};
  std::vector<LoopRead> reads = {};
};

/// The loops of a fusion in which each value inside is computed once for each of its elements that is needed.
/// Results of one shape share a loop. A value that another loop needs one to one is computed in that loop;
/// every other value in a loop of its own, or in that of a value of the same shape that does not need it.
/// Empty if a map is unknown or the limits on maps are reached.
std::optional<std::vector<FusedLoop>> fused_loops(ProgramIndexing& program, const Instruction& fusion,
                                                  const JudgeLimits& limits);

}  // namespace tessera::detail
