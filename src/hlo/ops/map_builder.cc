// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/map_builder.h"

#include <algorithm>

#include "base/check.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

MapBuilder::MapBuilder(std::span<const Index> extents) : dim_count_(extents.size()) {
  dims_.reserve(extents.size());
  for (const Index extent : extents) {
    if (extent < 1) empty_ = true;
    dims_.push_back({extent < 1 ? Interval::point(0) : Interval::of_extent(extent), {}});
  }
}

std::vector<Expr> MapBuilder::dims() const {
  std::vector<Expr> all;
  all.reserve(dim_count_);
  for (std::size_t i = 0; i < dim_count_; ++i) all.push_back(dim(i));
  return all;
}

Expr MapBuilder::range(Index extent) {
  TESSERA_CHECK(runtimes_.empty(), "range variables come before runtime variables");
  if (extent < 1) empty_ = true;
  ranges_.push_back({extent < 1 ? Interval::point(0) : Interval::of_extent(extent), {}});
  return extent <= 1 ? Expr() : Expr::variable(static_cast<Index>(dim_count_ + ranges_.size() - 1));
}

std::vector<Expr> MapBuilder::ranges(std::span<const Index> extents) {
  std::vector<Expr> all;
  all.reserve(extents.size());
  for (const Index extent : extents) all.push_back(range(extent));
  return all;
}

Expr MapBuilder::runtime(Interval bounds, Interval clamp, const Operand& source, std::vector<Expr> at) {
  runtimes_.push_back({bounds, {}});
  sources_.push_back({source.instruction, source.tuple_index, source.inner, clamp, std::move(at)});
  return runtime_value(runtimes_.size() - 1);
}

Expr MapBuilder::size(std::string text, Interval bounds) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].instruction != nullptr || sources_[i].groups.exist() || sources_[i].text != text)
      continue;
    Interval& known = runtimes_[i].bounds;
    known = {std::max(known.lower, bounds.lower), std::min(known.upper, bounds.upper)};
    sources_[i].clamp = {0, known.upper};
    return runtime_value(i);
  }
  runtimes_.push_back({bounds, {}});
  sources_.push_back({nullptr, -1, nullptr, {0, bounds.upper}, {}, {}, std::move(text)});
  return runtime_value(runtimes_.size() - 1);
}

Expr MapBuilder::own_position(const CollectiveGroups& groups, Interval bounds, Interval possible) {
  runtimes_.push_back({bounds, {}});
  sources_.push_back({nullptr, -1, nullptr, possible, {}, groups});
  return runtime_value(runtimes_.size() - 1);
}

Expr MapBuilder::runtime_value(std::size_t i) const {
  const Interval bounds = runtimes_[i].bounds;
  return bounds.is_point() ? Expr::constant(bounds.lower)
                           : Expr::variable(static_cast<Index>(dim_count_ + ranges_.size() + i));
}

namespace {

// ()[s0] -> (s0)
IndexMap every_position(const CollectiveGroups& groups) {
  const Index size = groups.size().value_or(kAssumedGroupSize);
  return IndexMap::make_unchecked(Domain({}, {Variable{Interval::of_extent(size), {}}}, {}),
                                  {Expr::variable(0)});
}

}  // namespace

Domain MapBuilder::domain(bool with_runtimes) const {
  Domain result(dims_, ranges_, with_runtimes ? runtimes_ : std::vector<Variable>());
  if (empty_) result.set_known_empty();
  return result;
}

Indexing MapBuilder::build(std::vector<Expr> results, Simplification simplification) && {
  Indexing out;
  out.runtime.reserve(sources_.size());
  for (Source& source : sources_) {
    // A size is the same for all range variables.
    const bool is_size = source.instruction == nullptr && !source.text.empty();
    out.runtime.push_back(
        {.source = source.instruction,
         .tuple_index = source.tuple_index,
         .inner = source.inner,
         .text = source.instruction == nullptr && source.text.empty() ? std::string(kOwnPosition)
                                                                      : std::move(source.text),
         .map =
             IndexMap::make_unchecked(is_size ? Domain(dims_, {}, {}) : domain(false), std::move(source.at)),
         .clamp = source.clamp,
         .groups = std::move(source.groups)});
  }
  out.replica.reserve(replica_.size());
  for (auto& [groups, position] : replica_) {
    IndexMap map = position ? IndexMap::make_unchecked(domain(false), {*position}) : every_position(groups);
    out.replica.push_back({.map = std::move(map),
                           .from = position ? ReplicaHop::From::element : ReplicaHop::From::group,
                           .groups = std::move(groups)});
  }
  Domain all = [&] {
    if (!sources_.empty() || !replica_.empty()) return domain(true);
    Domain moved(std::move(dims_), std::move(ranges_), {});
    if (empty_) moved.set_known_empty();
    return moved;
  }();
  for (const Constraint& c : constraints_) all.constrain(c.expr, c.range);
  out.map = IndexMap::make_unchecked(std::move(all), std::move(results));
  if (simplification != Simplification::none) {
    const Points points =
        simplification == Simplification::preserve_points ? Points::preserve : Points::replace;
    out.map = simplify(out.map, points);
    for (ReplicaHop& hop : out.replica) hop.map = simplify(hop.map, points);
  }
  return out;
}

Indexing MapBuilder::superset(std::vector<Expr> results, std::string reason,
                              Simplification simplification) && {
  return as_superset(std::move(*this).build(std::move(results), simplification), std::move(reason));
}

IndexingSet just(Indexing&& one) {
  IndexingSet set;
  set.push_back(std::move(one));
  return set;
}

Indexing identity_indexing(std::span<const Index> extents) { return {.map = IndexMap::identity(extents)}; }

IndexingSet identities(std::span<const Index> extents, std::vector<Domain> parts) {
  IndexingSet out;
  const std::vector<Expr> dims = MapBuilder(extents).dims();
  for (Domain& part : parts) out.push_back({.map = IndexMap::make_unchecked(std::move(part), dims)});
  if (out.empty()) out.push_back({.map = IndexMap::empty(Domain::box(extents), extents.size())});
  return out;
}

Indexing scalar_indexing(std::span<const Index> extents) {
  return {.map = IndexMap::make_unchecked(Domain::box(extents), {})};
}

Indexing whole_indexing(std::span<const Index> extents, std::span<const Index> target) {
  MapBuilder map(extents);
  std::vector<Expr> all = map.ranges(target);
  return std::move(map).build(std::move(all));
}

Indexing as_superset(Indexing indexing, std::string reason) {
  // An empty superset is exact.
  if (indexing.exactness == Exactness::exact && indexing.map.known_empty()) return indexing;
  if (indexing.exactness != Exactness::unknown) {
    indexing.exactness = Exactness::superset;
    indexing.reason = std::move(reason);
  }
  return indexing;
}

}  // namespace tessera::detail
