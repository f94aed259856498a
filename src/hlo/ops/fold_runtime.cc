// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/fold_runtime.h"

#include <algorithm>
#include <utility>

#include "hlo/indexing/normalize.h"
#include "hlo/indexing/variables.h"
#include "hlo/limits.h"
#include "map/variable_set.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using detail::clamped;
using detail::IntegerTable;
using detail::TablePiece;

detail::TracedElement element_of(const RuntimeValue& runtime) {
  // The const_cast and the missing span are safe, because the trace neither changes instructions nor uses
  // spans.
  return {{const_cast<Instruction*>(runtime.source), runtime.tuple_index, {}, runtime.inner},
          {runtime.map.results().begin(), runtime.map.results().end()},
          runtime.calls};
}

/// The pieces of the table, clamped; empty if there are more than `limit`.
std::vector<TablePiece> clamped_pieces(const IntegerTable& table, std::span<const Expr> at, Interval clamp,
                                       const Domain& domain, std::size_t limit) {
  std::vector<TablePiece> out;
  const auto is_small = [](Index value) {
    return -detail::kHloLimits.ops.table_entry < value && value < detail::kHloLimits.ops.table_entry;
  };
  if (std::ranges::all_of(table.values, is_small)) {
    out = table_pieces(table, {at.begin(), at.end()}, limit);
    for (TablePiece& piece : out) piece.value = clamped(piece.value, clamp, domain);
    if (out.size() == 1) return out;
  }
  IntegerTable values = table;
  for (Index& value : values.values) value = std::clamp(value, clamp.lower, clamp.upper);
  if (!std::ranges::all_of(values.values, is_small)) return out;
  auto other = table_pieces(std::move(values), {at.begin(), at.end()}, limit);
  return out.empty() || (!other.empty() && other.size() < out.size()) ? other : out;
}

/// Narrows the variable to the values that its source can have. Returns whether that changed anything.
bool narrow(Indexing& indexing, std::size_t which, Interval reach) {
  RuntimeValue& runtime = indexing.runtime[which];
  const auto clamp = [&](Index value) { return std::clamp(value, runtime.clamp.lower, runtime.clamp.upper); };
  const Interval possible{clamp(reach.lower), clamp(reach.upper)};
  if (runtime.clamp.is_finite()) runtime.clamp = possible;
  const std::size_t variable = indexing.map.dim_count() + indexing.map.range_count() + which;
  if (possible.contains(indexing.map.variables()[variable].bounds)) return false;
  std::vector<Expr> results(indexing.map.results().begin(), indexing.map.results().end());
  Domain domain = indexing.map.domain();
  domain.constrain(Expr::variable(static_cast<Index>(variable)), possible);
  indexing.map = IndexMap::make_unchecked(std::move(domain), std::move(results));
  return true;
}

// Replaces one runtime variable; true on success.
bool fold_one(Indexing& indexing, std::size_t which, const FoldOptions& options, bool& changed) {
  RuntimeValue& runtime = indexing.runtime[which];
  if (options.single_values && runtime.clamp.is_point()) {
    detail::replace_runtime(indexing, which, Expr::constant(runtime.clamp.lower));
    return true;
  }
  if (runtime.source == nullptr || runtime.map.known_empty()) return false;
  const bool remembered = options.scalars != nullptr && ScalarValues::is_scalar(runtime);
  if (const auto known = remembered ? options.scalars->find(runtime) : std::nullopt) {
    detail::replace_runtime(indexing, which, *known);
    return true;
  }
  const Domain& domain = runtime.map.domain();
  detail::ElementTrace trace(domain, options.elements);
  bool moved = false;
  detail::TracedElement element = trace.origin(element_of(runtime), moved);
  auto value = trace.value(element);
  if (value) value = clamped(*value, runtime.clamp, domain);
  if (!value && options.arrays) {
    detail::ElementTrace whole(domain, options.elements);
    if (const auto table = whole.table(element)) {
      const auto pieces = clamped_pieces(*table, element.at, runtime.clamp, domain, 1);
      if (!pieces.empty()) value = simplify(pieces[0].value, domain);
    }
  }
  // A value that depends on the variable itself does not determine it.
  const std::size_t own = indexing.map.dim_count() + indexing.map.range_count() + which;
  if (value && !detail::uses_variable(*value, own)) {
    if (remembered) options.scalars->add(runtime, *value);
    detail::replace_runtime(indexing, which, *value);
    return true;
  }
  if (options.keep_sources) return false;
  if (options.arrays || moved) {
    detail::ElementTrace values(domain, options.elements);
    const Interval before = runtime.clamp;
    changed = narrow(indexing, which, values.reach(element)) || changed;
    if (runtime.clamp.is_point() && !before.is_point()) {
      detail::replace_runtime(indexing, which, Expr::constant(runtime.clamp.lower));
      return true;
    }
  }
  if (moved) {
    changed = true;
    runtime.source = element.value.instruction;
    runtime.tuple_index = element.value.tuple_index;
    runtime.inner = element.value.inner;
    runtime.calls = std::move(element.calls);
    runtime.map = IndexMap::make_unchecked(Domain(domain), std::move(element.at));
  }
  return false;
}

}  // namespace

std::optional<Expr> ScalarValues::find(const RuntimeValue& scalar) const {
  const auto [begin, end] = known_.equal_range(scalar.source);
  for (auto at = begin; at != end; ++at) {
    const auto& [other, first, value] = at->second;
    if (other.tuple_index == scalar.tuple_index && other.inner == scalar.inner &&
        other.clamp == scalar.clamp && other.calls == scalar.calls &&
        first == scalar.map.variables()[0].bounds) {
      return value;
    }
  }
  return std::nullopt;
}

void ScalarValues::add(const RuntimeValue& scalar, Expr clamped) {
  known_.emplace(scalar.source, Known{.scalar = {.source = scalar.source,
                                                 .tuple_index = scalar.tuple_index,
                                                 .inner = scalar.inner,
                                                 .map = {},
                                                 .clamp = scalar.clamp,
                                                 .calls = scalar.calls},
                                      .first = scalar.map.variables()[0].bounds,
                                      .value = clamped});
}

bool fold_runtime(Indexing& indexing, const FoldOptions& options) {
  bool changed = false;
  if (indexing.exactness == Exactness::unknown) return false;
  for (std::size_t i = 0; i < indexing.runtime.size() && !indexing.map.known_empty();) {
    if (fold_one(indexing, i, options, changed)) {
      changed = true;
    } else {
      ++i;
    }
  }
  return changed;
}

Indexing known_starts(const detail::OpQuery& query, Indexing indexing) {
  if (query.known_starts) {
    if (const detail::ElementOptions* const operands = query.facts.known_operands())
      fold_runtime(indexing, {.elements = *operands, .keep_sources = true});
    fold_runtime(indexing);
  }
  indexing.map = simplify(indexing.map, Points::preserve);
  return indexing;
}

namespace {

/// The maps of the pieces of the table that the runtime variable reads; empty if it reads none with at most
/// `limit` pieces.
IndexingSet pieces_of(const Indexing& x, std::size_t which, std::size_t limit) {
  const RuntimeValue& runtime = x.runtime[which];
  if (runtime.source == nullptr || runtime.map.known_empty()) return {};
  const detail::ElementOptions options;
  detail::ElementTrace trace(runtime.map.domain(), options);
  const detail::TracedElement element = element_of(runtime);
  const auto table = trace.table(element);
  if (!table) return {};
  const std::size_t own = x.map.dim_count() + x.map.range_count() + which;
  IndexingSet out;
  for (const TablePiece& piece :
       clamped_pieces(*table, element.at, runtime.clamp, runtime.map.domain(), limit)) {
    if (detail::uses_variable(piece.value, own)) return {};
    Indexing part = x;
    const auto restrict = [&](IndexMap& map) {
      std::vector<Expr> results(map.results().begin(), map.results().end());
      Domain domain = map.domain();
      for (const Constraint& c : piece.where) {
        const auto used = variables(c.expr);
        if (used.empty() || used.back() < static_cast<Index>(map.variables().size()))
          domain.constrain(c.expr, c.range);
      }
      map = IndexMap::make_unchecked(std::move(domain), std::move(results));
    };
    restrict(part.map);
    for (RuntimeValue& other : part.runtime) restrict(other.map);
    detail::replace_runtime(part, which, piece.value);
    out.push_back(std::move(part));
  }
  return out;
}

/// Adds the maps of the pieces of all tables from variable `first` on, at most `limit`.
void split(const Indexing& x, std::size_t first, std::size_t limit, Points points, IndexingSet& out) {
  for (std::size_t i = first; i < x.runtime.size() && limit > 1; ++i) {
    const IndexingSet parts = pieces_of(x, i, limit);
    if (parts.empty()) continue;
    for (const Indexing& part : parts) split(part, i, limit / parts.size(), points, out);
    return;
  }
  out.push_back(x);
  out.back().map = simplify(x.map, points);
}

}  // namespace

IndexingSet split_tables(IndexingSet set, Points points) {
  const auto may_split = [](const Indexing& x) {
    return x.exactness != Exactness::unknown && !x.map.known_empty() && !x.runtime.empty();
  };
  if (std::ranges::none_of(set, may_split)) return set;
  const std::size_t limit = detail::kHloLimits.ops.table_maps / set.size();
  IndexingSet out;
  for (Indexing& x : set) {
    IndexingSet parts;
    if (may_split(x)) split(x, 0, limit, points, parts);
    if (parts.empty() || parts[0].runtime.size() == x.runtime.size()) {
      insert(out, std::move(x));
      continue;
    }
    for (Indexing& part : parts) {
      if (points == Points::replace) detail::normalize_in_place(part);
      insert(out, std::move(part));
    }
  }
  return out;
}

}  // namespace tessera
