// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "hlo/analysis/read_counts.h"
#include "map/image/image_union.h"
#include "tessera/hlo/traffic.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using detail::CountedMap;

std::optional<Index> volume(std::span<const Index> extents) {
  Index count = 1;
  for (const Index extent : extents) {
    if (extent < 0 || mul_overflows(count, extent, count)) return std::nullopt;
  }
  return count;
}

ArrayReads reads_of(std::span<const CountedMap> maps, std::span<const Index> extents,
                    const JudgeLimits& limits) {
  const auto elements = volume(extents);
  detail::ReadCounts counts = detail::count_all(maps, elements.value_or(kIndexMax), limits);
  return {.elements = elements.value_or(kIndexMax),
          .used = std::move(counts.used),
          .reads = std::move(counts.reads),
          .reachable = std::move(counts.reachable),
          .exactness = counts.exactness,
          .reason = std::move(counts.reason)};
}

std::vector<CountedMap> counted_maps(const IndexingSet& maps) {
  std::vector<CountedMap> out;
  for (const Indexing& x : maps) out.push_back(detail::counted_map(x));
  return out;
}

// From the index of a tile and an index inside it to the index of the tile and what the element reads.
// Dimensions with one tile have no tile index.
CountedMap in_tiles(const CountedMap& from, std::span<const Index> output, std::span<const Index> tile) {
  const IndexMap& map = from.map;
  std::vector<Variable> dims;
  std::vector<Expr> moved(map.variables().size());
  std::vector<Expr> results;
  std::vector<Expr> inside;  // the index of the output, to be constrained
  for (std::size_t d = 0; d < map.dim_count(); ++d) {
    const Interval bounds = map.variables()[d].bounds;
    const Expr first = Expr::variable(static_cast<Index>(dims.size()));
    if (tile[d] >= output[d]) {
      dims.push_back({bounds});
      moved[d] = first;
      continue;
    }
    dims.push_back({{floor_div(bounds.lower, tile[d]), floor_div(bounds.upper, tile[d])}});
    dims.push_back({{0, tile[d] - 1}});
    moved[d] = first * tile[d] + Expr::variable(first.value() + 1);
    results.push_back(first);
  }
  std::vector<Variable> ranges;
  std::vector<Variable> runtimes;
  for (std::size_t v = map.dim_count(); v < moved.size(); ++v) {
    const bool runtime = map.domain().kind(v) == VariableKind::runtime;
    moved[v] = Expr::variable(static_cast<Index>(dims.size() + v - map.dim_count()));
    (runtime ? runtimes : ranges).push_back({map.variables()[v].bounds});
  }
  Domain domain(std::move(dims), std::move(ranges), std::move(runtimes));
  for (std::size_t d = 0; d < map.dim_count(); ++d) {
    if (tile[d] < output[d]) domain.constrain(moved[d], map.variables()[d].bounds);
  }
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, moved), c.range);
  for (const Expr e : map.results()) results.push_back(substitute(e, moved));
  if (map.known_empty()) domain.set_known_empty();
  CountedMap out = from;
  out.map = simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)));
  out.sources.clear();
  for (const std::size_t v : from.sources) {
    for (const Index used : variables(moved[v])) out.sources.push_back(static_cast<std::size_t>(used));
  }
  return out;
}

CountedMap in_first_tile(CountedMap from, std::span<const Index> tile) {
  Domain domain = from.map.domain();
  for (std::size_t d = 0; d < tile.size(); ++d)
    domain.constrain(Expr::variable(static_cast<Index>(d)), {0, tile[d] - 1});
  const IndexMap map =
      IndexMap::make_unchecked(std::move(domain), {from.map.results().begin(), from.map.results().end()});
  from.map = simplify(map);
  return from;
}

}  // namespace

ArrayReads count_reads(const IndexingSet& maps, std::span<const Index> extents, const JudgeLimits& limits) {
  return reads_of(counted_maps(maps), extents, limits);
}

Result<ArrayReads> count_reads(const Instruction& instruction, OutputOperand pair,
                               const JudgeLimits& limits) {
  const auto [output, operand] = pair;
  const auto maps = output_to_input(instruction, pair);
  if (!maps) return fail(maps.error());
  const HloType& type = instruction.operand_type(operand);
  InstructionIndexing one{.instruction = &instruction, .pairs = {}};
  one.pairs.push_back({static_cast<std::uint32_t>(output), static_cast<std::uint32_t>(operand), *maps});
  ArrayReads out;
  for (std::size_t leaf = 0; leaf < type.leaf_count(); ++leaf) {
    const HloType& array = leaf_type(type, leaf);
    if (!array.is_array()) continue;
    const auto elements = array.array().element_count();
    if (!elements || add_overflows(out.elements, *elements, out.elements))
      return fail(Code::overflow,
                  "the operand has an unbounded number of elements, or more than fit in 64 bits");
  }
  for (OperandReads& x : count_reads(one, limits)) {
    out.used = detail::sum(out.used, x.reads.used);
    out.reads = detail::sum(out.reads, x.reads.reads);
    out.reachable = detail::sum(out.reachable, x.reads.reachable);
    out.exactness = std::max(out.exactness, x.reads.exactness);
    if (out.reason.empty()) out.reason = std::move(x.reads.reason);
  }
  return out;
}

Result<TileReads> count_tile_reads(const IndexingSet& maps, std::span<const Index> output,
                                   std::span<const Index> tile, std::span<const Index> extents,
                                   const JudgeLimits& limits) {
  if (tile.size() != output.size()) {
    return fail(Code::rank_mismatch, fmt::format("the tile has {} extents, but the output has {} dimensions",
                                                 tile.size(), output.size()));
  }
  TileReads out;
  out.tile.assign(tile.begin(), tile.end());
  out.tiles = 1;
  for (std::size_t d = 0; d < tile.size(); ++d) {
    if (tile[d] < 1 || (tile[d] > output[d] && tile[d] > 1)) {
      return fail(Code::bad_extent,
                  fmt::format("extent {0} of the tile is {1}, but extent {0} of the output is {2}", d,
                              tile[d], output[d]),
                  {}, "an extent of a tile must be at least 1 and at most that of the output");
    }
    if (mul_overflows(out.tiles, ceil_div(output[d], tile[d]), out.tiles))
      return fail(Code::overflow, "the number of tiles exceeds 64 bits");
  }
  std::vector<CountedMap> all;
  std::vector<CountedMap> first;
  for (const Indexing& x : maps) {
    if (x.exactness != Exactness::unknown && x.map.dim_count() != tile.size())
      return fail(Code::rank_mismatch, "the maps and the tile have different numbers of dimensions");
    const CountedMap own = detail::counted_map(x);
    const bool known = x.exactness != Exactness::unknown;
    all.push_back(known ? in_tiles(own, output, tile) : own);
    first.push_back(known ? in_first_tile(own, tile) : own);
  }
  const Index elements = volume(extents).value_or(kIndexMax);
  detail::ReadCounts counts =
      detail::count_all(all, checked_mul(elements, out.tiles).value_or(kIndexMax), limits);
  detail::ReadCounts of_first = detail::count_all(first, elements, limits);
  out.used = std::move(counts.used);
  out.reads = std::move(counts.reads);
  out.used_by_first = std::move(of_first.used);
  out.reads_by_first = std::move(of_first.reads);
  out.exactness = counts.exactness;
  out.reason = counts.reason.empty() ? std::move(of_first.reason) : std::move(counts.reason);
  return out;
}

std::vector<OperandReads> count_reads(const InstructionIndexing& maps, const JudgeLimits& limits) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Indexing*>> by_array;
  const auto add = [&](std::uint32_t operand, std::uint32_t leaf, const Indexing& x) {
    std::vector<const Indexing*>& all = by_array[{operand, leaf}];
    if (std::ranges::none_of(all, [&](const Indexing* other) { return *other == x; })) all.push_back(&x);
  };
  for (const PairIndexing& pair : maps.pairs) {
    const Instruction& instruction = *maps.instruction;
    const bool known = pair.operand < instruction.operands.size();
    const bool tuple = known && instruction.operand_type(pair.operand).is_tuple();
    for (const Indexing& x : pair.maps) {
      if (!tuple || x.leaf >= 0) {
        add(pair.operand, x.leaf < 0 ? 0 : static_cast<std::uint32_t>(x.leaf), x);
        continue;
      }
      const std::size_t leaves = instruction.operand_type(pair.operand).leaf_count();
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) add(pair.operand, leaf, x);
    }
  }
  std::vector<OperandReads> out;
  for (const auto& [array, members] : by_array) {
    if (array.first >= maps.instruction->operands.size()) continue;
    const HloType& type = leaf_type(maps.instruction->operand_type(array.first), array.second);
    if (!type.is_array()) continue;
    std::vector<CountedMap> counted;
    for (const Indexing* x : members) counted.push_back(detail::counted_map(*x));
    out.push_back({array.first, array.second, reads_of(counted, type.array().dims, limits)});
  }
  return out;
}

}  // namespace tessera
