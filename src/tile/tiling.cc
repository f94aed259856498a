// SPDX-License-Identifier: Apache-2.0
#include "tile/tiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/cancellation.h"
#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/read_counts.h"
#include "tessera/map/map_algebra.h"
#include "tessera/tile/tile.h"
#include "tile/limits.h"
#include "tile/operand_tiles.h"

namespace tessera {
namespace {

std::vector<Index> candidates(Index extent, bool divisors) {
  std::set<Index> out = {extent};
  for (Index p = 1; p < extent; p *= 2) out.insert(p);
  for (Index d = 1; divisors && d <= extent / d; ++d) {
    if (extent % d != 0) continue;
    out.insert(d);
    out.insert(extent / d);
  }
  return {out.begin(), out.end()};
}

std::optional<std::size_t> choices(const std::vector<std::vector<Index>>& all) {
  std::size_t count = 1;
  for (const std::vector<Index>& own : all) {
    count *= own.size();
    if (count > detail::kTileLimits.tilings) return std::nullopt;
  }
  return count;
}

Index to_bytes(Index elements, Index bits) {
  Index out = 0;
  return mul_overflows(elements, bits, out) ? kIndexMax : ceil_div(out, 8);
}

struct OperandRead {
  OperandTile tile;
  Index elements = 0;      // number of elements of the array
  Index bits = 0;          // of an element in memory
  bool contracts = false;  // each step of a contraction reads another tile
};

Index element_count(const HloType& type) {
  Index out = 1;
  for (const Index extent : type.dims()) out = detail::saturating_mul(out, extent);
  return out;
}

// The most elements that a tile of these sizes has, over all tile numbers and runtime values. `point` has the
// sizes after numbers that are not used.
std::optional<Index> most_elements(const SymbolicTile& tile, const StartTile& start,
                                   std::span<const Index> point) {
  const std::size_t rank = start.dims.size();
  std::optional<Domain> tiles;  // made only if a size depends on the tile's number, which is rare
  const auto all_tiles = [&]() -> const Domain& {
    if (tiles) return *tiles;
    std::vector<Interval> bounds;
    for (std::size_t i = 0; i < rank; ++i)
      bounds.push_back(
          Interval::of_extent(std::max<Index>(1, ceil_div(start.dims[i].extent, point[rank + i]))));
    for (std::size_t i = rank; i < 2 * rank; ++i) bounds.push_back(Interval::point(point[i]));
    for (std::size_t v = 2 * rank; v < tile.parameters.variable_count(); ++v)
      bounds.push_back(tile.parameters.variables()[v].bounds);
    return tiles.emplace(tile.parameters.with(bounds, {}));
  };
  const auto is_size = [&](Index v) {
    return static_cast<std::size_t>(v) >= rank && static_cast<std::size_t>(v) < 2 * rank;
  };
  Index out = 1;
  for (const TileDimension& dim : tile.dims) {
    if (std::ranges::all_of(variables(dim.size), is_size)) {
      const auto size = evaluate(dim.size, point);
      if (!size) return std::nullopt;
      out = detail::saturating_mul(out, *size);
    } else {
      const Interval size = range(dim.size, all_tiles());
      if (!size.is_finite()) return std::nullopt;
      out = detail::saturating_mul(out, size.upper);
    }
  }
  return out;
}

// The array of a result that a tile has a part of.
struct ResultTile {
  StartTile start;
  std::size_t rank = 0;
  Index bits = 0;  // of an element
};

// Everything that a search needs: the tile of the first array has the open sizes.
struct TilingSpace {
  std::vector<ResultTile> results;
  std::vector<OperandRead> reads;

  const StartTile& start() const { return results.front().start; }
};

ResultTile result_tile(const HloType& type, StartTile start) {
  return {std::move(start), type.is_array() ? type.rank() : 0,
          type.is_array() ? detail::element_bits(type.array()) : 0};
}

// Operands that are one array, in the same elements, share a tile.
std::vector<OperandRead> shared_reads(const Instruction& instruction, std::vector<OperandTile> tiles) {
  std::vector<OperandRead> reads;
  detail::ArrayOrigins origins({instruction.parent});
  std::vector<std::pair<detail::ProgramArray, Indexing>> known;
  for (OperandTile& tile : tiles) {
    const HloType& type = leaf_type(instruction.operand_type(tile.operand), tile.leaf);
    if (!type.is_array()) continue;
    const detail::ArrayAlias alias = origins.of(instruction.operands[tile.operand], tile.leaf);
    if (alias.elementwise && tile.tile) {
      std::pair own(alias.array, alias.map ? compose(tile.indexing, *alias.map) : tile.indexing);
      own.second.leaf = -1;
      own.second.map = simplify(own.second.map);
      if (std::ranges::find(known, own) != known.end()) continue;
      known.push_back(std::move(own));
    }
    const bool contracts = tile.indexing.map.range_count() > 0;
    reads.push_back({std::move(tile), element_count(type), detail::element_bits(type.array()), contracts});
  }
  return reads;
}

// Whether the dimension has every index of the array.
bool is_whole(const TileDimension& dim, Index extent) {
  return dim.offset.is_constant(0) && dim.size.is_constant(extent) &&
         (extent == 1 || dim.stride.is_constant(1)) && dim.lower.is_constant() && dim.lower.value() <= 0 &&
         dim.upper.is_constant() && dim.upper.value() >= extent;
}

// Whether the first tile has all elements of the second one: each of its dimensions is the same or whole.
bool contains(const SymbolicTile& a, const SymbolicTile& b, std::span<const Index> extents) {
  if (a.dims.size() != b.dims.size() || a.dims.size() != extents.size()) return false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const bool same = a.dims[i].offset == b.dims[i].offset && a.dims[i].size == b.dims[i].size &&
                      a.dims[i].stride == b.dims[i].stride;
    if (!same && !is_whole(a.dims[i], extents[i])) return false;
  }
  return true;
}

// Leaves out what another read of the same operand has, such as a part of a row that is read whole. The reads
// of all steps of sums must be whole.
void leave_out_parts(const Instruction& instruction, std::vector<OperandRead>& reads) {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (!reads[i].tile.exact() || reads[i].tile.replica) continue;
    const auto extents =
        leaf_type(instruction.operand_type(reads[i].tile.operand), reads[i].tile.leaf).dims();
    for (std::size_t k = reads.size(); k-- > 0;) {
      const OperandRead& part = reads[k];
      const bool same = part.tile.operand == reads[i].tile.operand && part.tile.leaf == reads[i].tile.leaf;
      if (k == i || !same || !part.tile.tile || part.tile.replica ||
          !contains(*reads[i].tile.tile, *part.tile.tile, extents))
        continue;
      reads.erase(reads.begin() + static_cast<std::ptrdiff_t>(k));
      if (k < i) --i;
    }
  }
}

// The bytes of the tiles of the results; empty if a size is not known.
std::optional<Index> result_bytes(const TilingSpace& space, std::span<const Index> point) {
  Index out = 0;
  for (const ResultTile& result : space.results) {
    Index elements = 1;
    for (std::size_t i = 0; i < result.rank; ++i) {
      const auto size = evaluate(result.start.dims[i].size, point);
      if (!size) return std::nullopt;
      elements = detail::saturating_mul(elements, *size);
    }
    out = detail::saturating_add(out, to_bytes(elements, result.bits));
  }
  return out;
}

Result<TilingSearch> search(const TilingSpace& space, std::span<const Index> sizes,
                            std::optional<Index> budget) {
  TilingSearch out;
  const StartTile& start = space.start();
  const std::size_t rank = start.dims.size();
  std::vector<std::vector<Index>> all;
  const auto collect = [&](bool divisors) {
    all.clear();
    for (std::size_t i = 0; i < rank; ++i) {
      const bool given = i < sizes.size() && sizes[i] > 0;
      all.push_back(given ? std::vector<Index>{sizes[i]} : candidates(start.dims[i].extent, divisors));
    }
    return choices(all);
  };
  auto count = collect(true);
  if (!count) {
    out.divisors = false;
    count = collect(false);
  }
  if (!count) {
    return fail(Code::limit, fmt::format("there are more than {} tilings", detail::kTileLimits.tilings), {},
                "fix some sizes: --tile 1,128,0 leaves only the last one open");
  }
  const std::size_t output_rank = space.results.front().rank;
  std::vector<Index> point;
  for (out.tried = 0; out.tried < *count && !detail::cancelled(); ++out.tried) {
    Tiling tiling;
    std::size_t rest = out.tried;
    for (const std::vector<Index>& own : all) {
      tiling.sizes.push_back(own[rest % own.size()]);
      rest /= own.size();
    }
    Index output_tiles = 1;
    for (std::size_t i = 0; i < rank; ++i) {
      const Index own = ceil_div(start.dims[i].extent, tiling.sizes[i]);
      tiling.tiles = detail::saturating_mul(tiling.tiles, own);
      if (i < output_rank) output_tiles = detail::saturating_mul(output_tiles, own);
    }
    point.assign(rank, 0);
    point.insert(point.end(), tiling.sizes.begin(), tiling.sizes.end());
    const auto written = result_bytes(space, point);
    bool valid = written.has_value();
    tiling.bytes = written.value_or(0);
    for (const OperandRead& read : space.reads) {
      if (!valid) break;
      Index elements = read.elements;
      if (read.tile.tile) {
        const SymbolicTile& tile = *read.tile.tile;
        point.resize(2 * rank);
        for (std::size_t v = 2 * rank; v < tile.parameters.variable_count(); ++v)
          point.push_back(tile.parameters.variables()[v].bounds.lower);
        valid = tile.exact && tile.constraint.satisfied(point);
        if (const auto own = most_elements(tile, start, point)) elements = std::min(elements, *own);
      } else {
        valid = read.tile.indexing.map.known_empty();
      }
      if (!valid) break;
      const Index own = to_bytes(elements, read.bits);
      if (add_overflows(tiling.bytes, own, tiling.bytes)) tiling.bytes = kIndexMax;
      if (add_overflows(tiling.traffic,
                        detail::saturating_mul(own, read.contracts ? tiling.tiles : output_tiles),
                        tiling.traffic))
        tiling.traffic = kIndexMax;
    }
    if (!valid) continue;
    ++out.valid;
    if (!out.smallest ||
        std::tuple(tiling.bytes, tiling.traffic) < std::tuple(out.smallest->bytes, out.smallest->traffic))
      out.smallest = tiling;
    if (budget && tiling.bytes > *budget) continue;
    ++out.fitting;
    out.best.push_back(std::move(tiling));
  }
  std::ranges::stable_sort(out.best, {},
                           [](const Tiling& t) { return std::tuple(t.traffic, t.tiles, -t.bytes); });
  if (out.best.size() > detail::kTileLimits.shown_tilings) out.best.resize(detail::kTileLimits.shown_tilings);
  return out;
}

}  // namespace

Result<std::vector<ArrayTraffic>> tile_traffic(ProgramIndexing& program, const Instruction& instruction,
                                               std::size_t leaf, std::span<const Index> sizes) {
  auto operands = program.reads_of_output(instruction, leaf);
  if (!operands) return fail(std::move(operands.error()));
  const std::span<const Index> output = leaf_type(instruction.type, leaf).dims();
  std::vector<ArrayTraffic> out;
  for (const OperandIndexing& read : *operands) {
    const HloType& type = leaf_type(instruction.operand_type(read.operand), read.leaf);
    if (!type.is_array() || read.maps.empty()) continue;
    auto counted = count_tile_reads(read.maps, output, sizes, type.dims(), detail::quick_limits());
    if (!counted) return fail(std::move(counted.error()));
    out.push_back({.operand = read.operand,
                   .leaf = read.leaf,
                   .element_bits = bit_width(type.array().dtype),
                   .elements = element_count(type),
                   .reads = *std::move(counted)});
  }
  return out;
}

Result<TilingSearch> valid_tilings(ProgramIndexing& program, const Instruction& instruction, std::size_t leaf,
                                   std::span<const Index> sizes, std::optional<Index> budget) {
  auto start = tile_of_output(instruction, leaf, sizes);
  if (!start) return fail(std::move(start.error()));
  auto tiles = tiles_read(program, instruction, leaf, *start);
  if (!tiles) return fail(std::move(tiles.error()));
  TilingSpace space;
  space.results.push_back(result_tile(leaf_type(instruction.type, leaf), *std::move(start)));
  space.reads = shared_reads(instruction, *std::move(tiles));
  return search(space, sizes, budget);
}

Result<TilingSearch> detail::valid_result_tilings(ProgramIndexing& program, const Instruction& instruction,
                                                  std::size_t first, std::span<const Index> sizes,
                                                  std::optional<Index> budget) {
  auto tiles = result_tiles(program, instruction, first, sizes);
  if (!tiles) return fail(std::move(tiles.error()));
  TilingSpace space;
  std::swap(tiles->starts[0], tiles->starts[first]);
  for (std::size_t leaf = 0; leaf < tiles->starts.size(); ++leaf) {
    const std::size_t own = leaf == 0 ? first : leaf == first ? 0 : leaf;
    space.results.push_back(result_tile(leaf_type(instruction.type, own), std::move(tiles->starts[leaf])));
  }
  // Sums are whole.
  std::vector<Index> given(sizes.begin(), sizes.end());
  const StartTile& start = space.start();
  given.resize(start.dims.size(), 0);
  for (std::size_t i = space.results.front().rank; i < given.size(); ++i)
    given[i] = std::max<Index>(start.dims[i].extent, 1);
  space.reads = shared_reads(instruction, std::move(tiles->reads));
  leave_out_parts(instruction, space.reads);
  return search(space, given, budget);
}

}  // namespace tessera
