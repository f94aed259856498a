// SPDX-License-Identifier: Apache-2.0
/// \file
/// The local array of one place in the dimensions of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tessera/reshard/reshard_plan.h"

namespace tessera::detail {

enum class Side : std::uint8_t { from, to };

/// The memory of one array at one place, addressed by local indices in the dimensions of the plan. Dimensions
/// that a view joins are one dimension of the plan.
class PlaceMemory {
 public:
  /// Requires that the distribution of this side uses the place.
  PlaceMemory(const ReshardPlan& plan, std::size_t array, Side side, Index place);

  /// The number of elements of the buffer.
  Index size() const { return buffer_.size(); }
  Index offset(std::span<const Index> local) const;
  /// One stride for each dimension of the plan. Empty if some dimension has no stride.
  const std::optional<std::vector<Index>>& strides() const { return strides_; }

  /// Computes `terms` of a memory without strides, if its offsets are such sums. O(sum of the extents).
  void make_terms();
  /// terms()[d][x] is what index x of dimension d adds to the offset of index 0; empty without make_terms.
  std::span<const std::vector<Index>> terms() const { return terms_; }

 private:
  struct Dims {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  LocalBuffer buffer_;
  std::vector<Index> shape_;
  std::vector<Dims> dims_;  // one for each dimension of the plan
  std::optional<std::vector<Index>> strides_;
  std::vector<std::vector<Index>> terms_;
};

}  // namespace tessera::detail
