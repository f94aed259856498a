// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nested lists of ranks or devices, as Python prints an array.
#pragma once

#include <string>
#include <vector>

#include "reshard/distribution_scanner.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// The extents of a nested list, and its numbers in row-major order.
struct RankArray {
  std::vector<Index> shape;
  std::vector<Index> ranks;
};

/// Reads `[[0, 1], [2, 3]]`. Errors: syntax, number_range, device_count (rows of different lengths), limit.
Result<RankArray> read_ranks(DistributionScanner& in);

/// The places of a mesh as nested lists, one level for each axis. Requires an axis.
std::string nested_ranks_text(const PlaceMesh& mesh);

}  // namespace tessera::detail
