// SPDX-License-Identifier: Apache-2.0
// Predicts what XLA's heuristics say about accesses given as maps from threads to elements.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "expr/questions/view.h"
#include "map/values/enumerate.h"  // box_of
#include "tessera/access/memory_target.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

constexpr Index kWarp = 32;

// The map restricted to a box. Empty if the result is known empty, since its variables are then all [0, 0].
std::optional<IndexMap> in_box(const IndexMap& map, std::span<const Interval> box) {
  Domain domain = map.domain();
  for (std::size_t v = 0; v < box.size(); ++v)
    domain.constrain(Expr::variable(static_cast<Index>(v)), box[v]);
  const IndexMap out =
      simplify(IndexMap::make_unchecked(domain, {map.results().begin(), map.results().end()}));
  return out.known_empty() ? std::nullopt : std::optional(out);
}

using Intervals = std::vector<Interval>;

Intervals joined(Intervals runs) {
  std::ranges::sort(runs, {}, &Interval::lower);
  Intervals out;
  for (const Interval run : runs) {
    if (!out.empty() && run.lower <= out.back().upper + 1) {
      out.back().upper = std::max(out.back().upper, run.upper);
    } else {
      out.push_back(run);
    }
  }
  return out;
}

// The result as a sum of two parts: one depends on the thread, d0, and one on the range variable, s0.
struct Parts {
  Expr threads;
  Expr rest;
};

std::optional<Parts> parts_of(Expr result, std::span<const Interval> box) {
  const auto seen = detail::view(result, box);
  if (!seen || !seen->has_values) return std::nullopt;
  Parts out;
  for (const detail::DigitTerm& term : seen->terms) {
    const bool thread = term.mentions(0);
    if (thread && term.variables.size() > 1) return std::nullopt;
    Expr& part = thread ? out.threads : out.rest;
    part = part + term.digit() * term.coefficient;
  }
  return out;
}

// The runs of elements that the first warp reads.
std::optional<Intervals> runs_of(const IndexMap& map, const Parts& parts) {
  const std::vector<Interval> box = box_of(map.domain());
  const auto seen = detail::view(parts.threads, box);
  if (!seen) return std::nullopt;
  const Index factor =
      seen->terms.size() == 1 && seen->terms[0].is_variable() ? seen->terms[0].coefficient : 0;
  const bool counts_up = parts.rest.is_variable();  // the range variable itself
  const Index values = counts_up ? box[1].count().value_or(0) : 1;
  if (factor == 1 || factor == -1) return Intervals{{0, kWarp - 1}};
  Intervals runs;
  if (factor != 0) {
    const Index step = std::abs(factor);
    if (counts_up && values >= step) return Intervals{{0, step * (kWarp - 1) + values - 1}};
    for (Index i = 0; i < kWarp; ++i) runs.push_back({i * step, i * step + (counts_up ? values : 1) - 1});
    return runs;
  }
  std::vector<Index> point{0};
  for (Index lane = box[0].lower; lane <= box[0].upper; ++lane) {
    point[0] = lane;
    const auto value = evaluate(parts.threads, point);
    if (!value) return std::nullopt;
    runs.push_back(Interval::point(*value));
  }
  runs = joined(std::move(runs));
  if (!counts_up) return runs;
  for (Interval& run : runs) run.upper += values - 1;
  return joined(std::move(runs));
}

}  // namespace

bool coalesced_by_xla_rule(const std::optional<IndexMap>& map, Index element_bytes) {
  if (!map) return false;
  if (map->results().empty() || map->known_empty()) return true;
  std::vector<Interval> box = box_of(map->domain());
  for (std::size_t v = 0; v < box.size(); ++v) {
    const VariableKind kind = map->domain().kind(v);
    if (kind == VariableKind::runtime) {
      const auto sum = checked_add(box[v].lower, box[v].upper);
      if (!sum) return false;
      box[v] = Interval::point(floor_div(*sum, 2));
    } else if (kind == VariableKind::dimension) {
      box[v] = v == 0 ? Interval{0, kWarp - 1} : Interval::point(0);
    }
  }
  auto warp = in_box(*map, box);
  if (!warp) return true;
  warp = remove_unused_symbols(simplify(rescale_symbols(remove_unused_symbols(*warp).map).map)).map;
  if (warp->known_empty()) return true;
  box = box_of(warp->domain());
  for (std::size_t v = warp->dim_count(); v + 1 < box.size(); ++v) box[v] = Interval::point(box[v].lower);
  warp = in_box(*warp, box);
  if (!warp) return true;
  warp = remove_unused_symbols(*warp).map;
  // The thread and at most one range variable remain.
  std::vector<bool> dims(warp->dim_count(), true);
  if (!dims.empty()) dims[0] = false;
  const auto compressed = compress_vars(*warp, dims, std::vector<bool>(warp->domain().symbol_count(), false));
  if (!compressed || compressed->dim_count() != 1 || compressed->results().size() != 1) return false;
  box = box_of(compressed->domain());
  const auto parts = parts_of(compressed->results()[0], box);
  if (!parts || compressed->constraints().size() > 1) return false;
  for (const Constraint& c : compressed->constraints()) {
    // The same expression, except for its constant.
    const auto own = parts_of(c.expr, box);
    if (!own) return false;
    const Expr apart = (own->threads + own->rest) - (parts->threads + parts->rest);
    if (!simplify(apart, compressed->domain().with(box, {})).is_constant(0)) return false;
  }
  const auto runs = runs_of(*compressed, *parts);
  if (!runs) return false;
  Index pieces = 0;
  Index elements = 0;
  for (const Interval run : *runs) {
    const Index length = run.upper - run.lower + 1;
    pieces += ceil_div(length * element_bytes, kLineBytes);
    elements += length;
  }
  return pieces == 0 || 10 * ceil_div(elements * element_bytes, kLineBytes) > 9 * pieces;
}

Result<double> tile_bandwidth(const TensorType& type, std::span<const Index> tile,
                              std::span<const Index> strides, Index transaction_bytes) {
  if (tile.size() != type.rank() || (!strides.empty() && strides.size() != tile.size()))
    return fail(Code::rank_mismatch,
                fmt::format("the array has {} dimensions, but the tile has {}", type.rank(), tile.size()));
  if (transaction_bytes < 1 || std::ranges::any_of(tile, [](Index extent) { return extent < 1; }))
    return fail(Code::bad_extent, "the extents of a tile and of a transaction must be at least 1");
  Index elements = 1;
  for (const Index d : type.minor_to_major()) {
    const auto i = static_cast<std::size_t>(d);
    if (!strides.empty() && strides[i] != 1) break;
    if (mul_overflows(elements, std::min(tile[i], type.dims[i]), elements))
      return fail(Code::overflow, "the tile has more elements than fit in 64 bits");
    if (tile[i] < type.dims[i]) break;
  }
  const Index bytes = ceil_div(elements * bit_width(type.dtype), 8);
  return static_cast<double>(bytes) /
         static_cast<double>(transaction_bytes * ceil_div(bytes, transaction_bytes));
}

}  // namespace tessera
