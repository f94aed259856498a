// SPDX-License-Identifier: Apache-2.0
#include "reshard/views/view_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/index_walk.h"
#include "reshard/limits.h"

namespace tessera::detail {
namespace {

void divide_into_units(UnitGroup& units) {
  Index unit = 1;
  for (std::size_t e = units.group.to_begin; e < units.group.to_end; ++e) unit *= units.view[e];
  for (const DimPart& part : units.parts) {
    for (const IndexRun& run : part.runs) {
      unit = std::gcd(std::gcd(unit, run.lower), run.length);
      if (run.count > 1) unit = std::gcd(unit, run.step);
    }
  }
  units.shape.assign(units.view.begin() + static_cast<std::ptrdiff_t>(units.group.to_begin),
                     units.view.begin() + static_cast<std::ptrdiff_t>(units.group.to_end));
  units.unit_extents.assign(units.shape.size(), 1);
  for (std::size_t e = units.shape.size(); e-- > 0 && unit > 1;) {
    const Index here = std::gcd(unit, units.shape[e]);
    units.unit *= here;
    units.unit_extents[e] = here;
    // The unit goes on in the next dimension only if it has this one whole.
    unit = here == units.shape[e] ? unit / here : 1;
    units.shape[e] /= here;
  }
}

Result<void> place_parts(UnitGroup& units) {
  Index count = 1;
  for (const Index extent : units.shape) count *= extent;
  if (count > kReshardLimits.units) {
    return fail(Code::limit, fmt::format("the view divides the shards into {} pieces, more than {}", count,
                                         kReshardLimits.units));
  }
  units.part_of.resize(static_cast<std::size_t>(count));
  for (std::size_t p = 0; p < units.parts.size(); ++p) {
    for (const IndexRun& run : units.parts[p].runs) {
      for (Index k = 0; k < run.count; ++k) {
        const Index begin = (run.lower + k * run.step) / units.unit;
        std::fill_n(units.part_of.begin() + begin, run.length / units.unit, p);
      }
    }
  }
  return {};
}

}  // namespace

Result<UnitGroup> unit_group(const BoundDistribution& bound, const DimGroup& group,
                             std::span<const Index> view) {
  UnitGroup units{bound, group, view, {}, {}, 1, {}, {}};
  TESSERA_TRY(parts, join_dims(bound, group.from_begin, group.from_end));
  units.parts = std::move(parts);
  divide_into_units(units);
  TESSERA_NEED(place_parts(units));
  return units;
}

std::vector<Index> view_index(const UnitGroup& units, std::span<const Index> in_units) {
  std::vector<Index> index(units.view.size(), 0);
  for (std::size_t e = 0; e < in_units.size(); ++e)
    index[units.group.to_begin + e] = in_units[e] * units.unit_extents[e];
  return index;
}

Index place_holding(const UnitGroup& units, std::span<const Index> index) {
  Index flat = 0;
  for (std::size_t e = 0; e < index.size(); ++e) flat = flat * units.view[e] + index[e];
  const std::vector<Index> shape(units.bound.shape().begin(), units.bound.shape().end());
  return (*holders(units.bound, index_with_number(shape, flat)))[0].place;
}

}  // namespace tessera::detail
