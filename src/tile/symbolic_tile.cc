// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tessera/map/map_algebra.h"
#include "tessera/tile/tile.h"
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

Result<SymbolicTile> propagate(const IndexMap& map, const StartTile& start) {
  auto frame = detail::make_frame(map, start);
  if (!frame) return fail(std::move(frame.error()));
  return detail::Propagation(*std::move(frame)).run(start.extents);
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
