// SPDX-License-Identifier: Apache-2.0
#include "reshard/plan/place_memory.h"

#include "base/index_walk.h"
#include "base/state_of.h"
#include "reshard/limits.h"
#include "reshard/plan/plan_state.h"
#include "reshard/plan/planned_array.h"

namespace tessera::detail {

PlaceMemory::PlaceMemory(const ReshardPlan& plan, std::size_t array, Side side, Index place)
    : buffer_(side == Side::from ? plan.arrays()[array].from.local_buffer(place)
                                 : plan.arrays()[array].to.local_buffer(place)),
      shape_(side == Side::from ? *plan.arrays()[array].from.local_shape(place)
                                : *plan.arrays()[array].to.local_shape(place)) {
  for (const DimGroup& group : detail::state_of(plan).planned[array].groups) {
    dims_.push_back(side == Side::from ? Dims{group.from_begin, group.from_end}
                                       : Dims{group.to_begin, group.to_end});
  }
  if (!buffer_.strides()) return;
  std::vector<Index> strides;
  for (const Dims& dims : dims_) {
    // Joined dimensions have a stride if each continues the next. Dimensions of extent 1 do not matter.
    std::optional<Index> stride;
    Index next = 1;
    for (std::size_t d = dims.end; d-- > dims.begin;) {
      if (shape_[d] == 1) continue;
      if (stride && (*buffer_.strides())[d] != next) return;
      if (!stride) stride = (*buffer_.strides())[d];
      next = (*buffer_.strides())[d] * shape_[d];
    }
    strides.push_back(stride.value_or(1));
  }
  strides_ = std::move(strides);
}

void PlaceMemory::make_terms() {
  if (strides_ || !buffer_.is_separable()) return;
  std::vector<Index> extents;
  Index all = 0;
  for (const Dims& dims : dims_) {
    Index extent = 1;
    for (std::size_t d = dims.begin; d < dims.end; ++d) extent *= shape_[d];
    extents.push_back(extent);
    if (extent == 0 || add_overflows(all, extent, all) || all > kReshardLimits.terms) return;
  }
  std::vector<Index> local(dims_.size(), 0);
  const Index first = offset(local);
  terms_.resize(dims_.size());
  for (std::size_t g = 0; g < dims_.size(); ++g) {
    for (Index& x = local[g]; x < extents[g]; ++x) terms_[g].push_back(offset(local) - first);
    local[g] = 0;
  }
}

Index PlaceMemory::offset(std::span<const Index> local) const {
  std::vector<Index> index(shape_.size(), 0);
  for (std::size_t g = 0; g < dims_.size(); ++g) {
    const auto [begin, end] = dims_[g];
    set_index(std::span(index).subspan(begin, end - begin), std::span(shape_).subspan(begin, end - begin),
              local[g]);
  }
  return buffer_.offset(index);
}

}  // namespace tessera::detail
