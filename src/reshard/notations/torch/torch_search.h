// SPDX-License-Identifier: Apache-2.0
/// \file
/// All placements of a DeviceMesh that can express a distribution.
#pragma once

#include <optional>
#include <string>

#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// A DeviceMesh with placements, or why there is none. Neither: the search was too long.
struct TorchSearch {
  std::optional<std::string> text = {};
  std::optional<std::string> witness = {};
};

/// Tries, for each dimension, every sequence of Shard and _StridedShard over mesh dimensions of every size.
/// That decides: a DeviceMesh may list its ranks in any order, the mesh dimensions that cut one dimension of
/// the array do not depend on those that cut another, and all elements have as many holders as the other mesh
/// dimensions have ranks together. At most about 20,000 sequences, of dimensions of at most 4096 indices.
TorchSearch search_torch(const BoundDistribution& bound);

}  // namespace tessera::detail
