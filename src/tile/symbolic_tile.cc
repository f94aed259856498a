// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "tessera/map/map_algebra.h"
#include "tessera/tile/tile.h"
#include "tile/listed_tile.h"
#include "tile/propagation.h"

namespace tessera {
namespace {

std::string map_text(const SymbolicTile& tile, const char* name, Expr TileDimension::* part,
                     bool with_symbols) {
  std::vector<std::string> dims;
  std::vector<std::string> symbols;
  for (std::size_t v = 0; v < tile.parameters.variable_count(); ++v) {
    if (tile.parameters.kind(v) == VariableKind::runtime) {
      symbols.push_back(tile.namer()(static_cast<Index>(v)));
    } else {
      dims.push_back(tile.namer()(static_cast<Index>(v)));
    }
  }
  std::vector<std::string> results;
  for (const TileDimension& dim : tile.dims) results.push_back(to_string(dim.*part, tile.namer()));
  return fmt::format("  {}: ({}){} -> ({})\n", name, fmt::join(dims, ", "),
                     with_symbols && !symbols.empty() ? fmt::format("[{}]", fmt::join(symbols, ", ")) : "",
                     fmt::join(results, ", "));
}

}  // namespace

namespace {

// The tile of a map that has no points in the start tile.
SymbolicTile nothing_read(const IndexMap& map, const StartTile& start) {
  SymbolicTile out{.parameters = start.parameters, .dims = {}, .constraint = {}, .edges = {}, .active = {}};
  for (std::size_t v = 0; v < map.variables().size(); ++v)
    if (map.domain().kind(v) == VariableKind::runtime) out.parameters.append_runtime(map.variables()[v]);
  const Expr one = Expr::constant(1);
  out.dims.assign(map.results().size(), {.offset = {}, .size = {}, .stride = one, .lower = {}, .upper = {}});
  return out;
}

}  // namespace

VariableNamer SymbolicTile::namer() const {
  return [all = parameters](Index v) {
    const auto i = static_cast<std::size_t>(v);
    if (all.kind(i) != VariableKind::runtime) return all.name(i);
    return fmt::format("s{}", i - all.dim_count());
  };
}

StartTile tile_grid(std::span<const Index> extents, std::span<const Index> sizes) {
  StartTile out;
  const auto n = static_cast<Index>(extents.size());
  std::vector<Variable> numbers;
  std::vector<Variable> open;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Index size = i < sizes.size() ? sizes[i] : 0;
    const Index extent = std::max<Index>(extents[i], 1);
    numbers.push_back({{0, size > 0 ? ceil_div(extent, size) - 1 : extent - 1}, fmt::format("tid_{}", i)});
    open.push_back({size > 0 ? Interval::point(size) : Interval{1, extent}, fmt::format("ts_{}", i)});
    const auto k = static_cast<Index>(i);
    const Expr length = size > 0 ? Expr::constant(size) : Expr::variable(n + k);
    out.dims.push_back({.offset = Expr::variable(k) * length, .size = length, .extent = extent});
  }
  numbers.insert(numbers.end(), open.begin(), open.end());
  out.parameters = Domain(std::move(numbers), {}, {});
  return out;
}

Result<void> place_at(StartTile& start, std::span<const Index> at) {
  if (at.size() > start.dims.size())
    return fail(Code::rank_mismatch,
                fmt::format("the tile has {}, but it begins at {}",
                            detail::plural(start.dims.size(), "dimension"), fmt::join(at, ",")),
                {}, "give one index for each dimension");
  for (std::size_t i = 0; i < at.size(); ++i) {
    StartTile::Dimension& dim = start.dims[i];
    if (at[i] < 0 || at[i] >= dim.extent)
      return fail(Code::index_out_of_range,
                  fmt::format("index {} of dimension {} is outside [0, {}]", at[i], i, dim.extent - 1), {},
                  "give the first index of the tile, not its number");
    if (!dim.size.is_constant())
      return fail(Code::unbounded, fmt::format("the size of dimension {} is open", i), {},
                  "give the size of each dimension of the tile");
    dim.offset = Expr::constant(at[i]);
    dim.size = Expr::constant(std::min(dim.size.value(), dim.extent - at[i]));
    dim.stride = 1;
    dim.upper.reset();
  }
  return {};
}

Result<SymbolicTile> propagate(const IndexMap& map, const StartTile& start) {
  const bool placed = std::ranges::any_of(start.dims, detail::is_fixed);
  const IndexMap inside = placed ? simplify(detail::in_tiles(map, start), Points::preserve) : map;
  if (inside.known_empty() && !map.known_empty()) return nothing_read(map, start);
  auto frame = detail::make_frame(map, start);
  if (!frame) return fail(std::move(frame.error()));
  Result<SymbolicTile> tile = detail::Propagation(*std::move(frame)).run(start.extents);
  const bool one_tile =
      start.dims.size() >= map.dim_count() && std::ranges::all_of(start.dims, detail::is_fixed);
  if ((tile && tile->exact) || !one_tile || map.runtime_count() > 0) return tile;
  if (auto listed = detail::listed_tile(inside, start.parameters)) return *std::move(listed);
  return tile;
}

Result<std::vector<Index>> tiled_extents(const IndexMap& map) {
  std::vector<Index> extents;
  for (std::size_t i = 0; i < map.dim_count(); ++i) {
    const Interval bounds = map.variables()[i].bounds;
    if (bounds.upper == kPosInf - 1)
      return fail(Code::overflow, fmt::format("the extent of {} exceeds 64 bits", map.domain().name(i)));
    if (!bounds.is_finite())
      return fail(Code::unbounded, fmt::format("{} has no bounds", map.domain().name(i)), {},
                  fmt::format("give it a finite interval: {} in [0, 127]", map.domain().name(i)));
    if (bounds.upper < 0)
      return fail(Code::not_representable,
                  fmt::format("{} is always negative, but tiles start at 0", map.domain().name(i)), {},
                  "shift the variable, so that its interval starts at 0");
    extents.push_back(bounds.upper + 1);
  }
  return extents;
}

Result<SymbolicTile> symbolic_tile(const IndexMap& map) {
  const Result<std::vector<Index>> extents = tiled_extents(map);
  if (!extents) return fail(extents.error());
  StartTile start{.uniform = true};
  std::vector<Variable> sizes;
  for (std::size_t i = 0; i < extents->size(); ++i) {
    sizes.push_back({{1, (*extents)[i]}, map.variables()[i].name});
    start.dims.push_back({.size = Expr::variable(static_cast<Index>(i)), .extent = (*extents)[i]});
  }
  start.parameters = Domain(std::move(sizes), {}, {});
  return propagate(map, start);
}

Result<std::vector<ConcreteDimension>> at(const SymbolicTile& tile, std::span<const Index> values) {
  if (values.size() != tile.parameters.variable_count()) {
    return fail(Code::value_count, fmt::format("the tile has {} parameters, but the number of values is {}",
                                               tile.parameters.variable_count(), values.size()));
  }
  if (!tile.constraint.satisfied(values)) {
    return fail(Code::index_out_of_range,
                fmt::format("these sizes do not satisfy {}", to_string(tile.constraint, tile.namer())));
  }
  const bool active = tile.active.satisfied(values);
  std::vector<ConcreteDimension> out;
  for (const TileDimension& dim : tile.dims) {
    const auto offset = evaluate(dim.offset, values);
    const auto size = evaluate(dim.size, values);
    const auto stride = evaluate(dim.stride, values);
    const auto lower = evaluate(dim.lower, values);
    const auto upper = evaluate(dim.upper, values);
    if (!offset || !size || !stride || !lower || !upper)
      return fail(Code::undefined_value, "the tile has no value at these parameters");
    Index first = 0;  // the numbers k of the indices that are inside
    Index last = *size - 1;
    if (*stride > 0) {
      first = std::max(first, ceil_div(*lower - *offset, *stride));
      last = std::min(last, floor_div(*upper - 1 - *offset, *stride));
    } else if (*stride < 0) {
      first = std::max(first, ceil_div(*offset - *upper + 1, -*stride));
      last = std::min(last, floor_div(*offset - *lower, -*stride));
    } else if (*offset < *lower || *offset >= *upper) {
      last = -1;
    } else {
      last = std::min<Index>(last, 0);
    }
    const Index count = active ? std::max<Index>(last - first + 1, 0) : 0;
    out.push_back({.first = *offset + first * *stride, .count = count, .step = count > 1 ? *stride : 0});
  }
  return out;
}

std::string to_string(const SymbolicTile& tile) {
  std::string out = "Symbolic tile with\n";
  out += map_text(tile, "offset_map", &TileDimension::offset, true);
  out += map_text(tile, "size_map", &TileDimension::size, false);
  out += map_text(tile, "stride_map", &TileDimension::stride, false);
  std::vector<std::string> runtime;
  for (std::size_t v = 0; v < tile.parameters.variable_count(); ++v) {
    if (tile.parameters.kind(v) == VariableKind::runtime)
      runtime.push_back(fmt::format("{} in {}", tile.namer()(static_cast<Index>(v)),
                                    to_string(tile.parameters.variables()[v].bounds)));
  }
  if (!runtime.empty()) out += fmt::format("  rt_vars: {}\n", fmt::join(runtime, ", "));
  if (!tile.constraint.always_satisfied())
    out += fmt::format("  constraints: {}\n", to_string(tile.constraint, tile.namer()));
  if (!tile.active.always_satisfied())
    out += fmt::format("  active: {}\n", to_string(tile.active, tile.namer()));
  if (!tile.edges.always_satisfied())
    out += fmt::format("  edges: {}\n", to_string(tile.edges, tile.namer()));
  if (!tile.exact) out += fmt::format("  bound: {}\n", tile.reason);
  return out;
}

}  // namespace tessera
