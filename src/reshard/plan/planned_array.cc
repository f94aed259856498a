// SPDX-License-Identifier: Apache-2.0
// Dimensions of a plan: those that source and target share, and those that a view joins.
#include "reshard/plan/planned_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "reshard/limits.h"

namespace tessera::detail {
namespace {

// Indices lower + k * step with local indices local + k * local_step.
struct StridedIndices {
  Index lower = 0;
  Index count = 1;
  Index step = 1;
  Index local = 0;
  Index local_step = 1;
};

std::vector<StridedIndices> points_of(const IndexRun& run) {
  std::vector<StridedIndices> out;
  if (run.length <= run.count) {
    for (Index i = 0; i < run.length; ++i) {
      out.push_back({run.lower + i, run.count, run.count > 1 ? run.step : 1, run.local + i,
                     run.count > 1 ? run.local_step : 1});
    }
  } else {
    for (Index k = 0; k < run.count; ++k) {
      out.push_back({run.lower + k * run.step, run.length, 1, run.local + k * run.local_step, 1});
    }
  }
  return out;
}

// The indices of the flattened range of two dimensions, for all pairs of an index of `outer` and an index of
// `inner`. The dimension of `inner` has `extent` indices. Empty if there are too many runs.
std::optional<DimPart> joined(const DimPart& outer, const DimPart& inner, Index extent) {
  DimPart out;
  out.extent = outer.extent * inner.extent;
  if (out.extent == 0) return out;
  if (inner.extent == extent) {
    for (const IndexRun& run : outer.runs) {
      out.runs.push_back({run.lower * extent, run.length * extent, run.count, run.step * extent,
                          run.local * extent, run.local_step * extent});
    }
    join_runs(out.runs);
    return out;
  }
  for (const IndexRun& outer_run : outer.runs) {
    for (const StridedIndices& points : points_of(outer_run)) {
      for (const IndexRun& run : inner.runs) {
        if (points.count == 1) {
          out.runs.push_back({points.lower * extent + run.lower, run.length, run.count, run.step,
                              points.local * inner.extent + run.local, run.local_step});
          continue;
        }
        for (Index k = 0; k < run.count; ++k) {
          out.runs.push_back({points.lower * extent + run.lower + k * run.step, run.length, points.count,
                              points.step * extent,
                              points.local * inner.extent + run.local + k * run.local_step,
                              points.local_step * inner.extent});
          if (out.runs.size() > kReshardLimits.joined_runs) return {};
        }
      }
    }
  }
  join_runs(out.runs);
  return out;
}

// The parts that a shard contains, out of the parts of each dimension.
std::vector<std::size_t> parts_in(std::span<const std::vector<DimPart>> dims, std::size_t shard) {
  std::vector<std::size_t> parts(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; shard /= dims[d].size()) parts[d] = shard % dims[d].size();
  return parts;
}

}  // namespace

Result<std::vector<DimPart>> join_dims(const BoundDistribution& side, std::size_t begin, std::size_t end) {
  if (end == begin + 1) return std::vector<DimPart>(side.parts(begin).begin(), side.parts(begin).end());
  std::vector<DimPart> parts(1);
  parts[0].extent = 1;
  parts[0].runs.push_back({0, 1, 1, 0, 0, 0});
  for (std::size_t d = begin; d < end; ++d) {
    std::vector<DimPart> next;
    std::size_t runs = 0;
    for (const DimPart& outer : parts) {
      for (const DimPart& inner : side.parts(d)) {
        auto both = joined(outer, inner, side.shape()[d]);
        if (both) runs += both->runs.size();
        if (!both || runs > kReshardLimits.joined_runs) {
          return fail(Code::limit, fmt::format("the view cuts a dimension into more than {} runs of indices",
                                               kReshardLimits.joined_runs));
        }
        next.push_back(std::move(*both));
      }
    }
    parts = std::move(next);
  }
  return parts;
}

std::vector<DimGroup> groups_of(std::span<const Index> from, std::span<const Index> to) {
  std::vector<DimGroup> groups;
  if (std::ranges::equal(from, to)) {
    for (std::size_t d = 0; d < from.size(); ++d) groups.push_back({d, d + 1, d, d + 1});
    return groups;
  }
  const bool empty = std::ranges::find(from, 0) != from.end();
  std::size_t i = 0;
  std::size_t j = 0;
  while (!empty && i < from.size() && j < to.size()) {
    DimGroup group{i, i + 1, j, j + 1};
    Index a = from[i++];
    Index b = to[j++];
    while (a != b) {
      if (a < b) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    }
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  // The remaining dimensions have extent 1, or the array has no elements.
  if (groups.empty()) return {{0, from.size(), 0, to.size()}};
  groups.back().from_end = from.size();
  groups.back().to_end = to.size();
  return groups;
}

std::vector<std::size_t> PlannedArray::parts_of(std::size_t shard) const { return parts_in(from, shard); }

std::vector<std::size_t> PlannedArray::target_parts_of(std::size_t shard) const {
  return parts_in(to, shard);
}

Result<PlannedArray> planned_array(const ReshardArray& array) {
  const auto count = [](std::span<const Index> shape) {
    Index product = 1;
    for (const Index extent : shape) product *= extent;
    return product;
  };
  const auto from = array.from.shape();
  const auto to = array.to.shape();
  if (count(from) != count(to)) {
    return fail(Code::different_shape,
                fmt::format("the array [{}] has {} elements, but its view [{}] has {}", fmt::join(from, ","),
                            count(from), fmt::join(to, ","), count(to)));
  }
  PlannedArray out;
  for (const DimGroup& group : groups_of(from, to)) {
    auto source = join_dims(array.from, group.from_begin, group.from_end);
    if (!source) return fail(source.error());
    auto target = join_dims(array.to, group.to_begin, group.to_end);
    if (!target) return fail(target.error());
    out.groups.push_back(group);
    out.tables.push_back(meet_parts(*source, *target));
    out.to_parts.push_back(target->size());
    out.from.push_back(std::move(*source));
    out.to.push_back(std::move(*target));
  }
  return out;
}

}  // namespace tessera::detail
