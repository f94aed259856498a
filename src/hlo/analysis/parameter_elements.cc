// SPDX-License-Identifier: Apache-2.0
// The elements of the parameters that one element of an instruction reads.
#include "hlo/analysis/parameter_elements.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/cancellation.h"
#include "base/plural.h"
#include "hlo/analysis/same_value.h"
#include "hlo/limits.h"
#include "map/values/enumerate.h"

namespace tessera {
namespace {

using Point = std::vector<Index>;

// The map at an index: without dimensions. Empty outside its domain. A set without its dimensions keeps the
// other variables, so that sources stay in the same order.
std::optional<Indexing> at_index(const Indexing& x, std::span<const Index> index) {
  if (x.exactness == Exactness::unknown) return x;
  Indexing out = x;
  const auto fixed = [&](const IndexMap& map) -> std::optional<IndexMap> {
    if (map.known_empty()) return std::nullopt;
    IndexMap narrow = map;
    for (std::size_t d = 0; d < index.size(); ++d) {
      auto one = restrict_to(narrow, Expr::variable(static_cast<Index>(d)), Interval::point(index[d]));
      if (!one) return std::nullopt;
      narrow = *std::move(one);
    }
    if (narrow.known_empty()) return std::nullopt;
    return narrow;
  };
  auto map = fixed(x.map);
  if (!map) return std::nullopt;
  out.map = *std::move(map);
  for (RuntimeValue& value : out.runtime) {
    if (auto narrow = fixed(value.map)) value.map = *std::move(narrow);
  }
  for (ReplicaHop& hop : out.replica) {
    if (hop.from != ReplicaHop::From::element) continue;
    if (auto narrow = fixed(hop.map)) hop.map = *std::move(narrow);
  }
  out = normalize(detail::with_joined_values(normalize(std::move(out))));
  if (out.map.known_empty()) return std::nullopt;
  return out;
}

// Removes the dimensions, which have one value each.
IndexMap without_dimensions(const IndexMap& map, std::span<const Index> index) {
  if (map.dim_count() != index.size()) return map;
  auto fixed = fix_variables(map, index);
  return fixed ? *std::move(fixed) : map;
}

// The element that a value is read from at an index, if it is one element.
std::optional<Point> place_of(const RuntimeValue& value, std::span<const Index> index) {
  if (value.map.dim_count() != index.size() || value.map.domain().symbol_count() != 0) {
    for (const Expr e : value.map.results()) {
      if (!e.is_constant()) return std::nullopt;
    }
  }
  Point all(index.begin(), index.end());
  all.resize(value.map.variables().size(), 0);
  return value.map.evaluate(all);
}

// Sets the values that are read at the same place of the output's element as one that is set.
Result<void> spread_values(ParameterReads& reads, std::uint32_t output, std::span<const Index> index) {
  for (std::size_t i = 0; i < reads.runtime.size(); ++i) {
    if (!reads.runtime[i].set || reads.runtime[i].output != output) continue;
    const auto place = place_of(reads.runtime[i].value, index);
    if (!place) continue;
    for (std::size_t j = 0; j < reads.runtime.size(); ++j) {
      const RuntimeInput& other = reads.runtime[j];
      if (j == i || other.output != output || place_of(other.value, index) != place) continue;
      RuntimeValue same = other.value;
      same.map = reads.runtime[i].value.map;
      if (!detail::same_value(reads.runtime[i].value, same, true)) continue;
      const Index value = *reads.runtime[i].set;
      if (other.set && *other.set != value) {
        return fail(Code::bad_option,
                    fmt::format("{} and {} are the same element here, so they cannot be {} and {}",
                                reads.runtime[i].name, other.name, value, *other.set));
      }
      if (auto done = set_runtime(reads, other.name, value); !done) return done;
    }
  }
  return {};
}

// Disjoint boxes with these points, which are sorted: rows that adjoin become one box, dimension by
// dimension.
std::vector<ElementBox> boxes_of(const std::set<Point>& points) {
  std::vector<ElementBox> out;
  for (const Point& point : points) {
    ElementBox box{point, point};
    for (Index& end : box.upper) ++end;
    out.push_back(std::move(box));
  }
  const std::size_t rank = points.empty() ? 0 : points.begin()->size();
  for (std::size_t d = rank; d-- > 0;) {
    std::vector<ElementBox> joined;
    // Boxes that differ in dimension d only are neighbors once the others are sorted before it.
    std::ranges::sort(out, [&](const ElementBox& a, const ElementBox& b) {
      for (std::size_t k = 0; k < rank; ++k) {
        if (k == d) continue;
        if (a.lower[k] != b.lower[k]) return a.lower[k] < b.lower[k];
        if (a.upper[k] != b.upper[k]) return a.upper[k] < b.upper[k];
      }
      return a.lower[d] < b.lower[d];
    });
    for (ElementBox& box : out) {
      bool adjoins = !joined.empty() && joined.back().upper[d] == box.lower[d];
      for (std::size_t k = 0; adjoins && k < rank; ++k) {
        adjoins =
            k == d || (joined.back().lower[k] == box.lower[k] && joined.back().upper[k] == box.upper[k]);
      }
      if (adjoins) {
        joined.back().upper[d] = box.upper[d];
      } else {
        joined.push_back(std::move(box));
      }
    }
    out = std::move(joined);
  }
  std::ranges::sort(out, {}, &ElementBox::lower);
  return out;
}

// Lists the elements of the maps, or counts them.
void list(ParameterElements& out) {
  if (out.maps.size() == 1 && out.maps[0].exactness != Exactness::unknown) {
    // Most often one box, of any size.
    const Image found = image(out.maps[0].map);
    if (found.exact && found.pieces.size() == 1 && found.pieces[0].constraints().empty()) {
      ElementBox box;
      for (const Variable& v : found.pieces[0].variables()) {
        box.lower.push_back(v.bounds.lower);
        box.upper.push_back(v.bounds.upper + 1);
      }
      Index count = 1;
      bool fits = true;
      for (std::size_t d = 0; d < box.lower.size(); ++d)
        fits = fits && !mul_overflows(count, box.upper[d] - box.lower[d], count);
      if (fits) {
        out.boxes = {std::move(box)};
        out.count = {count, count, {}};
        return;
      }
    }
  }
  Index points = 0;
  for (const Indexing& x : out.maps) {
    if (x.exactness == Exactness::unknown) {
      out.count = {0, std::nullopt, x.reason};
      return;
    }
    const auto own = point_count(box_of(x.map.domain()));
    if (!own || add_overflows(points, *own, points)) points = kIndexMax;
  }
  if (points <= detail::kHloLimits.analysis.listed_points) {
    std::set<Point> elements;
    for (const Indexing& x : out.maps) {
      for_each_point(x.map, box_of(x.map.domain()), [&](const WalkedPoint& point) {
        if (auto values = point.values()) elements.insert(*std::move(values));
        return true;
      });
    }
    if (detail::cancelled()) {
      out.count = {0, std::nullopt, std::string(detail::kCanceled)};
      return;
    }
    out.boxes = boxes_of(elements);
    const auto count = static_cast<Index>(elements.size());
    out.count = {count, count, {}};
    return;
  }
  if (out.maps.size() == 1) {
    out.count = count_image(out.maps[0].map);
    return;
  }
  out.count = {0, 0, {}};
  for (const Indexing& x : out.maps) {
    const Count own = count_image(x.map);
    Index upper = 0;
    out.count.lower = std::max(out.count.lower, own.lower);
    const bool known = out.count.upper && own.upper && !add_overflows(*out.count.upper, *own.upper, upper);
    out.count.upper = known ? std::optional(upper) : std::nullopt;
  }
  out.count.reason =
      fmt::format("the maps have more than {} points", detail::kHloLimits.analysis.listed_points);
}

void add_map(std::vector<ParameterElements>& all, const ParameterRead& read, Indexing x,
             std::span<const Index> index) {
  x.map = x.exactness == Exactness::unknown ? x.map : without_dimensions(x.map, index);
  for (RuntimeValue& value : x.runtime) value.map = without_dimensions(value.map, index);
  for (ReplicaHop& hop : x.replica) {
    if (hop.from == ReplicaHop::From::element) hop.map = without_dimensions(hop.map, index);
  }
  auto group = std::ranges::find_if(all, [&](const ParameterElements& one) {
    return one.parameter == read.parameter && one.leaf == read.leaf && one.replica == x.replica;
  });
  if (group == all.end())
    group = all.insert(all.end(), {.parameter = read.parameter, .leaf = read.leaf, .replica = x.replica});
  group->exactness = std::max(group->exactness, x.exactness);
  if (x.exactness != Exactness::exact && std::ranges::find(group->reasons, x.reason) == group->reasons.end())
    group->reasons.push_back(x.reason);
  for (std::size_t i = 0; i < x.runtime.size() && x.exactness != Exactness::unknown; ++i) {
    const std::string name = x.map.domain().name(x.map.dim_count() + x.map.range_count() + i);
    if (std::ranges::find(group->depends, name) == group->depends.end()) group->depends.push_back(name);
  }
  insert(group->maps, std::move(x));
}

}  // namespace

Result<std::vector<ParameterElements>> elements_at(const ParameterReads& reads, std::uint32_t output,
                                                   std::span<const Index> index) {
  const std::uint64_t leaves = reads.instruction->type.leaf_count();
  if (output >= leaves) {
    return fail(Code::index_out_of_range,
                fmt::format("'{}' has no output {}: it has {}", reads.instruction->name, output, leaves));
  }
  const HloType& type = leaf_type(reads.instruction->type, output);
  const auto dims = type.dims();
  if (dims.size() != index.size()) {
    return fail(Code::rank_mismatch,
                fmt::format("the index has {}, but {} has {}",
                            detail::plural(static_cast<Index>(index.size()), "number"), to_string(type),
                            detail::plural(static_cast<Index>(dims.size()), "dimension")));
  }
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (index[d] >= 0 && (dims[d] < 0 || index[d] < dims[d])) continue;
    return fail(Code::index_out_of_range,
                fmt::format("index {} of dimension {} is not in [0, {}]", index[d], d, dims[d] - 1));
  }
  ParameterReads set = reads;
  if (auto spread = spread_values(set, output, index); !spread) return fail(std::move(spread).error());
  std::vector<ParameterElements> out;
  for (const ParameterRead& read : set.reads) {
    if (read.output != output) continue;
    for (const Indexing& x : read.maps) {
      if (auto here = at_index(x, index)) add_map(out, read, *std::move(here), index);
    }
  }
  for (ParameterElements& one : out) {
    list(one);
    if (one.exactness == Exactness::superset) one.count = {0, one.count.upper, one.reasons[0]};
  }
  std::erase_if(out, [](const ParameterElements& one) { return one.listed() && one.boxes.empty(); });
  return out;
}

}  // namespace tessera
