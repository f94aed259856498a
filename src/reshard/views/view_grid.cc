// SPDX-License-Identifier: Apache-2.0
#include "reshard/views/view_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/index_walk.h"
#include "reshard/parts/run_intersection.h"
#include "reshard/views/view_units.h"

namespace tessera::detail {
namespace {

// An interval of indices, [first, second).
using BeginEnd = std::pair<Index, Index>;

Failure refuse(const UnitGroup& units, std::string_view reason, std::string note, std::string witness) {
  return fail(Diagnostic{
      .code = Code::not_representable,
      .message = fmt::format("the view [{}] has no distribution ({})", fmt::join(units.view, ","), reason),
      .reason = std::string(reason),
      .witness = std::move(witness),
      .notes = {std::move(note)},
      .help = "reshard to a distribution whose shards the view does not divide: tessera "
              "reshard plan --view"});
}

// For each part, the indices of each dimension that its units have.
using Projections = std::vector<std::vector<std::vector<Index>>>;

Projections projections_of(const UnitGroup& units) {
  Projections out(units.parts.size(), std::vector<std::vector<Index>>(units.shape.size()));
  std::vector<Index> index(units.shape.size(), 0);
  for (const std::size_t part : units.part_of) {
    for (std::size_t e = 0; e < index.size(); ++e) {
      std::vector<Index>& seen = out[part][e];
      if (seen.empty() || seen.back() != index[e]) seen.push_back(index[e]);
    }
    next_index(index, units.shape);
  }
  for (auto& part : out) {
    for (std::vector<Index>& seen : part) {
      std::ranges::sort(seen);
      seen.erase(std::ranges::unique(seen).begin(), seen.end());
    }
  }
  return out;
}

std::size_t unit_number(const UnitGroup& units, std::span<const Index> index) {
  Index flat = 0;
  for (std::size_t e = 0; e < index.size(); ++e) flat = flat * units.shape[e] + index[e];
  return static_cast<std::size_t>(flat);
}

// The error of a part that is not the product of its projections: elements that its place holds, and one with
// a coordinate of each of them that it does not hold.
Failure no_product(const UnitGroup& units, std::size_t part, const std::vector<std::vector<Index>>& sets) {
  std::vector<Index> extents;
  for (const auto& set : sets) extents.push_back(std::ssize(set));
  std::vector<Index> at(sets.size(), 0);
  std::vector<Index> missing(sets.size());
  do {
    for (std::size_t e = 0; e < at.size(); ++e) missing[e] = sets[e][static_cast<std::size_t>(at[e])];
  } while (units.part_of[unit_number(units, missing)] == part && next_index(at, extents));
  std::vector<std::string> held;
  Index place = 0;
  for (std::size_t e = 0; e < missing.size(); ++e) {
    std::vector<Index> index(units.shape.size(), 0);
    do {
      if (index[e] == missing[e] && units.part_of[unit_number(units, index)] == part) break;
    } while (next_index(index, units.shape));
    const std::vector<Index> whole = view_index(units, index);
    place = place_holding(units, whole);
    const std::string text = fmt::format("{}", fmt::join(whole, ","));
    if (std::ranges::find(held, text) == held.end()) held.push_back(text);
  }
  const std::vector<Index> lacking = view_index(units, missing);
  return refuse(
      units, "product",
      "a distribution cuts each dimension on its own, so what a place holds is a product of sets of "
      "indices",
      fmt::format("place {} holds {} of the view, but {} is on place {}", place, fmt::join(held, " and "),
                  fmt::join(lacking, ","), place_holding(units, lacking)));
}

// The first unit of a part, as an index of the view.
std::vector<Index> first_of(const UnitGroup& units, std::size_t part) {
  const auto found = std::ranges::find(units.part_of, part);
  const Index flat = found - units.part_of.begin();
  return view_index(units, index_with_number(units.shape, flat));
}

// Classes of the indices of one dimension, numbered by their first index, and the class of each part.
struct DimClasses {
  std::vector<std::vector<Index>> sets;
  std::vector<std::size_t> of_part;
};

Result<DimClasses> classes_of(const UnitGroup& units, const Projections& sets, std::size_t dim) {
  constexpr std::size_t kNone = ~std::size_t{0};
  DimClasses out;
  out.of_part.assign(units.parts.size(), kNone);
  const auto extent = static_cast<std::size_t>(units.shape[dim]);
  std::vector<std::size_t> class_of(extent, kNone);
  std::vector<std::size_t> part_with;  // a part of each class
  std::vector<std::size_t> order(units.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t part) { return sets[part][dim].empty(); });
  std::ranges::stable_sort(order, {}, [&](std::size_t part) { return sets[part][dim][0]; });
  for (const std::size_t part : order) {
    const std::vector<Index>& set = sets[part][dim];
    for (const Index index : set) {
      const std::size_t other = class_of[static_cast<std::size_t>(index)];
      if (other == kNone || out.sets[other] == set) continue;
      // The two sets share `index` but not all of their indices.
      std::vector<Index> different;
      std::ranges::set_symmetric_difference(out.sets[other], set, std::back_inserter(different));
      const bool in_set = std::ranges::binary_search(set, different[0]);
      const Index a = place_holding(units, first_of(units, part));
      const Index b = place_holding(units, first_of(units, part_with[other]));
      return refuse(
          units, "overlap",
          "a distribution cuts each dimension on its own, so two places hold the same indices of a "
          "dimension or none in common",
          fmt::format("in dimension {} of the view, places {} and {} both have elements with index {}, "
                      "but only place {} has elements with index {}",
                      units.group.to_begin + dim, std::min(a, b), std::max(a, b),
                      index * units.unit_extents[dim], in_set ? a : b,
                      different[0] * units.unit_extents[dim]));
    }
    if (class_of[static_cast<std::size_t>(set[0])] == kNone) {
      for (const Index index : set) class_of[static_cast<std::size_t>(index)] = out.sets.size();
      out.sets.push_back(set);
      part_with.push_back(part);
    }
    out.of_part[part] = class_of[static_cast<std::size_t>(set[0])];
  }
  return out;
}

// The indices of a part as intervals.
std::vector<BeginEnd> intervals_of(const DimPart& part) {
  std::vector<BeginEnd> out;
  for (const IndexRun& run : part.runs) {
    for (Index k = 0; k < run.count; ++k) {
      const Index begin = run.lower + k * run.step;
      out.emplace_back(begin, begin + run.length);
    }
  }
  std::ranges::sort(out);
  std::vector<BeginEnd> joined;
  for (const BeginEnd& one : out) {
    if (!joined.empty() && joined.back().second == one.first) {
      joined.back().second = one.second;
    } else {
      joined.push_back(one);
    }
  }
  return joined;
}

std::vector<BeginEnd> intervals_of(const std::vector<Index>& set, Index unit) {
  std::vector<BeginEnd> out;
  for (const Index index : set) {
    if (!out.empty() && out.back().second == index * unit) {
      out.back().second += unit;
    } else {
      out.emplace_back(index * unit, (index + 1) * unit);
    }
  }
  return out;
}

// A cut into `count` parts that gives part k the indices of class k, and nothing to further parts.
std::optional<DimCut> cut_for(const DimClasses& classes, Index count, Index extent, Index unit) {
  std::vector<std::vector<BeginEnd>> wanted;
  for (const auto& set : classes.sets) wanted.push_back(intervals_of(set, unit));
  wanted.resize(static_cast<std::size_t>(count));
  std::vector<DimCut> tries = {DimCut{}};
  DimCut cut;
  if (std::ranges::all_of(wanted, [](const auto& intervals) { return intervals.size() <= 1; })) {
    cut.rule = CutRule::sizes;
    for (const auto& intervals : wanted)
      cut.sizes.push_back(intervals.empty() ? 0 : intervals[0].second - intervals[0].first);
    tries.push_back(cut);
  } else {
    cut.rule = CutRule::cyclic;
    cut.size = wanted[0][0].second - wanted[0][0].first;
    tries.push_back(cut);
    cut.size = std::ssize(wanted[0]);
    for (const CutRule rule : {CutRule::strided, CutRule::strided_padded}) {
      cut.rule = rule;
      tries.push_back(cut);
    }
  }
  for (const DimCut& one : tries) {
    const std::vector<DimPart> parts = cut_parts(one, count, extent);
    bool same = true;
    for (std::size_t k = 0; same && k < parts.size(); ++k) same = intervals_of(parts[k]) == wanted[k];
    if (same) return one;
  }
  return {};
}

class CountSearch {
 public:
  CountSearch(const UnitGroup& units, const std::vector<DimClasses>& classes)
      : units_(units), classes_(classes) {}

  // Cuts whose numbers of parts have the product `left`.
  bool choose(Index left, ViewGrid& grid) {
    const std::size_t e = grid.cuts.size();
    if (e == classes_.size()) return left == 1;
    for (Index count = std::max<Index>(1, std::ssize(classes_[e].sets)); count <= left; ++count) {
      if (left % count != 0) continue;
      auto cut = cut_for(classes_[e], count, units_.view[units_.group.to_begin + e], units_.unit_extents[e]);
      if (!cut) continue;
      cut->dim = static_cast<Index>(units_.group.to_begin + e);
      grid.cuts.push_back(std::move(*cut));
      grid.counts.push_back(count);
      if (choose(left / count, grid)) return true;
      grid.cuts.pop_back();
      grid.counts.pop_back();
    }
    return false;
  }

 private:
  const UnitGroup& units_;
  const std::vector<DimClasses>& classes_;
};

// The part of each cell of the grid. Cells without indices take the empty parts.
std::vector<std::size_t> parts_of_cells(const UnitGroup& units, const std::vector<DimClasses>& classes,
                                        const std::vector<Index>& counts) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> out(units.parts.size(), kNone);
  std::vector<std::size_t> empty;
  for (std::size_t part = 0; part < units.parts.size(); ++part) {
    if (units.parts[part].extent == 0) {
      empty.push_back(part);
      continue;
    }
    std::size_t cell = 0;
    for (std::size_t e = 0; e < counts.size(); ++e)
      cell = cell * static_cast<std::size_t>(counts[e]) + classes[e].of_part[part];
    out[cell] = part;
  }
  std::size_t next = 0;
  for (std::size_t& part : out) {
    if (part == kNone) part = empty[next++];
  }
  return out;
}

}  // namespace

Result<ViewGrid> grid_cuts(const BoundDistribution& bound, const DimGroup& group,
                           std::span<const Index> view) {
  TESSERA_TRY(units, unit_group(bound, group, view));
  const Projections sets = projections_of(units);
  for (std::size_t part = 0; part < sets.size(); ++part) {
    Index product = units.unit;
    for (const auto& set : sets[part]) product *= std::ssize(set);
    if (units.parts[part].extent > 0 && product != units.parts[part].extent)
      return no_product(units, part, sets[part]);
  }
  std::vector<DimClasses> classes;
  for (std::size_t e = 0; e < units.shape.size(); ++e) {
    TESSERA_TRY(found, classes_of(units, sets, e));
    classes.push_back(std::move(found));
  }
  ViewGrid grid;
  if (!CountSearch(units, classes).choose(std::ssize(units.parts), grid)) {
    return fail(Code::undecided,
                fmt::format("no cuts were found that divide the view [{}] as the array is divided",
                            fmt::join(view, ",")),
                {}, "tessera reshard plan --view answers for such views, too");
  }
  grid.part_of = parts_of_cells(units, classes, grid.counts);
  return grid;
}

}  // namespace tessera::detail
