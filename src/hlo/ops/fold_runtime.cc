// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/fold_runtime.h"

#include <algorithm>
#include <utility>

#include "hlo/indexing/variables.h"
#include "map/variable_set.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

// The value, clamped as the instruction clamps it.
Expr clamped(Expr value, Interval clamp, const Domain& domain) {
  if (value.is_constant()) return Expr::constant(std::clamp(value.value(), clamp.lower, clamp.upper));
  const Interval reach = range(value, domain);
  if (reach.lower < clamp.lower) value = max(value, Expr::constant(clamp.lower));
  if (reach.upper > clamp.upper) value = min(value, Expr::constant(clamp.upper));
  return simplify(value, domain);
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
  // The const_cast and the missing span are safe, because the trace neither changes instructions nor uses
  // spans.
  detail::TracedElement element =
      trace.origin({{const_cast<Instruction*>(runtime.source), runtime.tuple_index, {}, runtime.inner},
                    {runtime.map.results().begin(), runtime.map.results().end()},
                    runtime.calls},
                   moved);
  if (const auto value = trace.value(element)) {
    const Expr known = clamped(*value, runtime.clamp, domain);
    // A value that depends on the variable itself does not determine it.
    const std::size_t own = indexing.map.dim_count() + indexing.map.range_count() + which;
    if (!detail::uses_variable(known, own)) {
      if (remembered) options.scalars->add(runtime, known);
      detail::replace_runtime(indexing, which, known);
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
  if (indexing.exactness == Exactness::unknown || indexing.map.known_empty()) return false;
  for (std::size_t i = 0; i < indexing.runtime.size();) {
    if (fold_one(indexing, i, options, changed)) {
      changed = true;
    } else {
      ++i;
    }
  }
  return changed;
}

Indexing fold_starts(Indexing indexing) {
  fold_runtime(indexing);
  indexing.map = simplify(indexing.map, Points::preserve);
  return indexing;
}

}  // namespace tessera
