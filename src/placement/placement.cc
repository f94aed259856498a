// SPDX-License-Identifier: Apache-2.0
#include "tessera/placement/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "placement/limits.h"

namespace tessera {
namespace {

std::string axis_count(std::size_t count) { return count == 1 ? "1 axis" : fmt::format("{} axes", count); }

Result<Index> checked_shape(std::span<const Index> shape) {
  for (const Index extent : shape) {
    if (extent < 0) return fail(Code::bad_extent, fmt::format("the extent {} is negative", extent));
  }
  const auto size = detail::element_count(shape);
  if (!size || *size >= detail::kPlacementLimits.value)
    return fail(Code::overflow, "the placement has 2^62 indices or more; use smaller extents");
  return *size;
}

Result<void> check_axes(std::span<const PlacementAxis> axes) {
  std::set<std::string_view> names;
  for (const PlacementAxis& axis : axes) {
    if (!names.insert(axis.name).second)
      return fail(Code::duplicate_name, fmt::format("the axis {} is named twice", axis.name));
  }
  return {};
}

struct AxisRange {
  Index lowest = 0;
  Index largest = 0;
};

// The values of one axis, before the swizzle. Errors: overflow.
Result<AxisRange> range_of(const PlacementDigits& digits, std::size_t axis, std::string_view name) {
  const auto too_large = [&] {
    return fail(Code::overflow, fmt::format("values on the axis {} pass 2^62; use smaller strides", name));
  };
  AxisRange out{digits.offset[axis], digits.offset[axis]};
  const auto fits = [most = detail::kPlacementLimits.value](Index value) {
    return value > -most && value < most;
  };
  if (!fits(out.lowest)) return too_large();
  for (const auto* list : {&digits.index, &digits.replicas}) {
    for (const PlacementDigit& digit : *list) {
      Index span = 0;
      if (mul_overflows(digit.extent - 1, digit.step[axis], span) || !fits(span)) return too_large();
      // A step that no digit takes is still multiplied when neighbors are joined.
      if (!fits(digit.step[axis])) return too_large();
      Index& end = span < 0 ? out.lowest : out.largest;
      end += span;
      if (!fits(end)) return too_large();
    }
  }
  return out;
}

Result<void> check_digit(const PlacementDigit& digit, std::size_t axes, DigitCombination combination) {
  if (digit.extent < 1) return fail(Code::bad_extent, fmt::format("the extent {} is below 1", digit.extent));
  if (digit.step.size() != axes) {
    return fail(Code::value_count,
                fmt::format("a step has {}, but there are {}", detail::plural(digit.step.size(), "number"),
                            axis_count(axes)));
  }
  if (combination == DigitCombination::sum) return {};
  if (digit.extent != 2) {
    return fail(Code::not_applicable,
                fmt::format("a digit of {} values is not a bit, so it has no exclusive or", digit.extent));
  }
  for (const Index step : digit.step) {
    if (step < 0) {
      return fail(Code::index_out_of_range,
                  fmt::format("{} is negative, and an exclusive or needs numbers of at least 0", step));
    }
  }
  return {};
}

Result<void> check_digits(const PlacementDigits& digits, std::span<const PlacementAxis> axes, Index size) {
  if (digits.offset.size() != axes.size()) {
    return fail(Code::value_count,
                fmt::format("the offset has {}, but there are {}",
                            detail::plural(digits.offset.size(), "number"), axis_count(axes.size())));
  }
  Index count = 1;
  for (const PlacementDigit& digit : digits.index) {
    TESSERA_NEED(check_digit(digit, axes.size(), digits.combination));
    if (mul_overflows(count, digit.extent, count)) return fail(Code::overflow, "the digits pass 64 bits");
  }
  if (size != 0 && count != size) {
    return fail(Code::shape_mismatch,
                fmt::format("the digits have {} values, but the shape has {} elements", count, size));
  }
  for (const PlacementDigit& digit : digits.replicas)
    TESSERA_NEED(check_digit(digit, axes.size(), digits.combination));
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (digits.combination == DigitCombination::exclusive_or) {
      if (digits.offset[a] < 0) {
        return fail(
            Code::index_out_of_range,
            fmt::format("{} is negative, and an exclusive or needs numbers of at least 0", digits.offset[a]));
      }
      Index all = digits.offset[a];
      for (const auto* list : {&digits.index, &digits.replicas}) {
        for (const PlacementDigit& digit : *list) all |= digit.step[a];
      }
      if (all >= detail::kPlacementLimits.value)
        return fail(Code::overflow, fmt::format("values on the axis {} pass 2^62", axes[a].name));
      continue;
    }
    TESSERA_TRY(range, range_of(digits, a, axes[a].name));
    if (digits.swizzle && digits.swizzle->axis == a && range.lowest < 0) {
      return fail(
          Code::index_out_of_range,
          fmt::format("the value {} on the axis {} is negative, and a swizzle needs values of at least 0",
                      range.lowest, axes[a].name));
    }
  }
  if (!digits.swizzle) return {};
  if (digits.swizzle->axis >= axes.size()) {
    return fail(Code::index_out_of_range, fmt::format("the swizzle is on axis {}, but there are {}",
                                                      digits.swizzle->axis, axes.size()));
  }
  const Swizzle& swizzle = digits.swizzle->swizzle;
  const int shift = std::abs(swizzle.shift);
  if (swizzle.bits < 0 || swizzle.base < 0 || shift < swizzle.bits ||
      swizzle.bits + swizzle.base + shift > 62)
    return fail(Code::bad_swizzle, "a swizzle needs |S| >= B >= 0, M >= 0 and B + M + |S| <= 62");
  return {};
}

// Whether a replica moves nothing, so that its copies are one place.
bool stays(const PlacementDigit& replica) {
  return std::ranges::all_of(replica.step, [](Index step) { return step == 0; });
}

void combine(Place& place, const PlacementDigit& digit, Index value, DigitCombination combination) {
  for (std::size_t a = 0; a < place.size(); ++a) {
    if (combination == DigitCombination::sum)
      place[a] += value * digit.step[a];
    else if (value != 0)
      place[a] ^= digit.step[a];
  }
}

Result<std::vector<Place>> places_of(const PlacementDigits& digits, Index flat) {
  Place first = digits.offset;
  for (std::size_t d = digits.index.size(); d-- > 0;) {
    combine(first, digits.index[d], flat % digits.index[d].extent, digits.combination);
    flat /= digits.index[d].extent;
  }
  std::vector<Place> out{std::move(first)};
  for (const PlacementDigit& replica : digits.replicas) {
    if (stays(replica)) continue;
    const std::size_t before = out.size();
    for (Index value = 1; value < replica.extent; ++value) {
      for (std::size_t k = 0; k < before; ++k) {
        Place place = out[k];
        combine(place, replica, value, digits.combination);
        out.push_back(std::move(place));
      }
    }
  }
  if (digits.swizzle) {
    for (Place& place : out)
      place[digits.swizzle->axis] = digits.swizzle->swizzle(place[digits.swizzle->axis]);
  }
  return out;
}

Result<std::vector<Place>> places_of(std::span<const IndexMap> maps, std::span<const Index> index) {
  std::vector<Place> out;
  std::vector<Index> values;
  for (const IndexMap& map : maps) {
    if (map.known_empty()) continue;
    values.assign(index.begin(), index.end());
    for (std::size_t v = map.dim_count(); v < map.variables().size(); ++v)
      values.push_back(map.variables()[v].bounds.lower);
    do {
      if (!map.domain().contains(values)) continue;
      auto place = map.evaluate(values);
      if (!place) return fail(Code::overflow, "a map of the placement has no value at this index");
      out.push_back(*std::move(place));
    } while (detail::advance_last(values.size() - index.size(), [&](std::size_t k) {
      const Interval bounds = map.variables()[index.size() + k].bounds;
      return detail::next_step(values[index.size() + k], bounds.lower, bounds.upper, 1);
    }));
  }
  return out;
}

std::optional<Index> replicas_of(const IndexMap& map) {
  Index count = 1;
  for (const Variable& variable : map.variables().subspan(map.dim_count())) {
    Index extent = 0;
    if (sub_overflows(variable.bounds.upper, variable.bounds.lower, extent) ||
        add_overflows(extent, 1, extent) || mul_overflows(count, extent, count))
      return std::nullopt;
  }
  return map.known_empty() ? 0 : count;
}

}  // namespace

std::string_view to_string(AxisRole role) { return role == AxisRole::memory ? "memory" : "place"; }

Result<Placement> Placement::make(std::vector<Index> shape, std::vector<PlacementAxis> axes,
                                  PlacementDigits digits) {
  TESSERA_TRY(size, checked_shape(shape));
  TESSERA_NEED(check_axes(axes));
  TESSERA_NEED(check_digits(digits, axes, size));
  Placement out;
  out.shape_ = std::move(shape);
  out.size_ = size;
  out.axes_ = std::move(axes);
  out.form_ = std::move(digits);
  return out;
}

Result<Placement> Placement::make(std::vector<Index> shape, std::vector<PlacementAxis> axes,
                                  std::vector<IndexMap> maps) {
  TESSERA_TRY(size, checked_shape(shape));
  TESSERA_NEED(check_axes(axes));
  if (maps.size() > kMaxMaps)
    return fail(Code::limit, fmt::format("{} maps; a placement has at most {}", maps.size(), kMaxMaps));
  for (const IndexMap& map : maps) {
    if (map.dim_count() != shape.size() || map.runtime_count() != 0) {
      return fail(Code::rank_mismatch,
                  fmt::format("a map of the placement has {}, but the shape has {}",
                              detail::plural(map.dim_count(), "dimension"), shape.size()));
    }
    if (map.results().size() != axes.size()) {
      return fail(Code::value_count,
                  fmt::format("a map of the placement has {}, but there are {}",
                              detail::plural(map.results().size(), "result"), axis_count(axes.size())));
    }
  }
  Placement out;
  out.shape_ = std::move(shape);
  out.size_ = size;
  out.axes_ = std::move(axes);
  out.form_ = std::move(maps);
  return out;
}

std::optional<std::size_t> Placement::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes_, name, &PlacementAxis::name);
  if (found == axes_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes_.begin());
}

std::optional<Index> Placement::replicas() const {
  if (const PlacementDigits* const by_digits = digits()) {
    Index count = 1;
    for (const PlacementDigit& digit : by_digits->replicas) {
      if (!stays(digit) && mul_overflows(count, digit.extent, count)) return std::nullopt;
    }
    return count;
  }
  Index all = 0;
  for (const IndexMap& map : std::get<std::vector<IndexMap>>(form_)) {
    const auto count = replicas_of(map);
    if (!count || add_overflows(all, *count, all)) return std::nullopt;
  }
  return all;
}

Result<std::vector<Place>> places(const Placement& placement, std::span<const Index> index) {
  if (index.size() != placement.rank()) {
    return fail(Code::rank_mismatch, fmt::format("the index has {}, but the placement has {}",
                                                 detail::plural(index.size(), "coordinate"),
                                                 detail::plural(placement.rank(), "dimension")));
  }
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] >= 0 && index[d] < placement.shape()[d]) continue;
    return fail(Code::index_out_of_range, fmt::format("{} is not in dimension {}, which has {}", index[d], d,
                                                      detail::plural(placement.shape()[d], "index")));
  }
  const auto combinations = placement.replicas();
  if (!combinations || *combinations > kMaxReplicas)
    return fail(Code::limit, fmt::format("an index has more than {} combinations of replicas, and places are "
                                         "listed up to that many",
                                         kMaxReplicas));
  TESSERA_TRY(found, placement.digits() != nullptr
                         ? places_of(*placement.digits(), detail::number_of_index(index, placement.shape()))
                         : places_of(*placement.given_maps(), index));
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return std::move(found);
}

std::string to_string(const Place& place, std::span<const PlacementAxis> axes) {
  std::string out;
  for (std::size_t a = 0; a < axes.size(); ++a)
    out += fmt::format("{}{} {}", a == 0 ? "" : ", ", axes[a].name, place[a]);
  return out;
}

std::string to_string(std::span<const Place> places, std::span<const PlacementAxis> axes) {
  if (places.empty()) return "nothing";
  std::string out;
  for (const Place& place : places)
    out += fmt::format("{}{{{}}}", out.empty() ? "" : " and ", to_string(place, axes));
  return out;
}

}  // namespace tessera
