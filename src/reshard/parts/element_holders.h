// SPDX-License-Identifier: Apache-2.0
/// \file
/// The holders of one element by the formula of each cut: a second way to the answer of `holders`, for
/// proofs.
#pragma once

#include <span>
#include <vector>

#include "tessera/reshard/distribution.h"

namespace tessera {

/// A place and the index that an element has in its local array.
struct ElementHolder {
  Index place = 0;
  std::vector<Index> local;
  friend bool operator==(const ElementHolder&, const ElementHolder&) = default;
};

/// What the cuts of one dimension do to an index.
struct CutIndex {
  std::vector<Index> parts;  ///< the part of each cut
  Index local = 0;
  /// That many indices from this one on, or more, have the same parts and consecutive local indices. May
  /// reach past the end of the dimension.
  Index run = kIndexMax;
};

/// Evaluates the cuts of a distribution at single indices. Reads the distribution and the shape, never the
/// parts and runs that `bind_distribution` made of them.
class ElementHolders {
 public:
  explicit ElementHolders(const BoundDistribution& bound);

  /// Requires an index inside the shape. Holders by place. O(cuts + holders).
  std::vector<ElementHolder> at(std::span<const Index> index) const;
  /// Requires an index inside the dimension.
  CutIndex cut(std::size_t dim, Index x) const;
  bool is_cut(std::size_t dim) const { return !cuts_[dim].empty(); }

 private:
  std::vector<Index> shape_;
  PlaceMesh mesh_;
  std::vector<std::vector<DimCut>> cuts_;  // of each dimension, in order of application
  std::vector<std::size_t> free_axes_;     // those that cut nothing
};

}  // namespace tessera
