// SPDX-License-Identifier: Apache-2.0
#include "tile/operand_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tessera/map/map_algebra.h"
#include "tessera/tile/tile.h"
#include "tile/contraction.h"

namespace tessera {
namespace {

using detail::array_extents;
using detail::Contraction;
using detail::contraction_of;

Result<StartTile> grid_of(const std::vector<Index>& extents, std::span<const Index> sizes) {
  if (sizes.size() > extents.size()) {
    return fail(Code::rank_mismatch, fmt::format("the number of sizes is {}, but the tile has {} dimensions",
                                                 sizes.size(), extents.size()));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > std::max<Index>(extents[i], 1)) {
      return fail(
          Code::number_range,
          fmt::format("size {} of dimension {} is not between 1 and its extent {}", sizes[i], i, extents[i]),
          {}, "0 leaves the size open");
    }
  }
  return tile_grid(extents, sizes);
}

// The start tile of one map.
struct MapStart {
  StartTile tile;
  bool sweeps = false;  // contracted dimensions are taken whole, although the tile has a part of them
};

// Whether a step of a sum is smaller than the sum.
bool has_steps(const StartTile& start, std::size_t rank) {
  return std::ranges::any_of(
      start.dims.begin() + static_cast<std::ptrdiff_t>(rank), start.dims.end(),
      [](const StartTile::Dimension& dim) { return !dim.size.is_constant(dim.extent); });
}

// Puts the contracted dimensions in the order of the map's range variables.
MapStart start_of(const StartTile& start, const Indexing& indexing, const Contraction& contraction,
                  const std::vector<Index>& extents) {
  MapStart out{.tile = start};
  out.tile.extents = extents;
  const std::size_t rank = indexing.map.dim_count();
  if (rank >= start.dims.size()) return out;
  out.tile.dims.resize(rank);
  const std::size_t ranges = indexing.map.range_count();
  bool same = ranges == contraction.order.size() && rank + ranges == start.dims.size();
  for (std::size_t i = 0; same && i < ranges; ++i) {
    const StartTile::Dimension& dim = start.dims[rank + contraction.order[i]];
    same = indexing.map.variables()[rank + i].bounds == Interval::of_extent(dim.extent);
    out.tile.dims.push_back(dim);
  }
  if (same) return out;
  out.tile.dims.resize(rank);
  out.sweeps = has_steps(start, rank);
  return out;
}

// What the maps of a fusion say about the steps of its sum. They are unions over all ways to an array, which
// may read the same elements in other steps.
class SumSteps {
 public:
  SumSteps(ProgramIndexing& program, const Instruction& fusion, std::size_t leaf, const Instruction& sum)
      : program_(program), sum_(sum) {
    const Computation& computation = *fusion.called[0];
    std::vector<const Instruction*> others;
    for (const auto& instruction : computation.instructions)
      if (instruction.get() != &sum) others.push_back(instruction.get());
    const auto values =
        program.grouped(others, {.value = {computation.root, static_cast<std::uint32_t>(leaf)}});
    if (!values) return;
    known_ = true;
    for (const ValueIndexing& read : *values) {
      if (read.value.instruction == &sum) {
        for (const Indexing& x : read.maps) insert_new(to_sum_, x);
        sum_leaf_ = read.value.leaf;
      } else if (read.value.instruction->opcode == Opcode::parameter) {
        besides_.push_back(read.value);
      }
    }
    for (std::size_t k = 0; k < sum.operands.size() && known_; ++k) {
      const Operand& operand = sum.operands[k];
      auto read = program.grouped({.value = {operand.instruction, 0}});
      known_ = read && operand.tuple_index < 0;
      if (known_) read_by_.push_back(*std::move(read));
    }
  }

  // Whether the map to the array says what each step reads: it is the composition along the only way. If it
  // has no contracted dimensions, all steps read the same, unless padding leaves the elements of one step.
  bool are_in_map(OperandLeaf of, const IndexMap& map) const {
    const auto is_array = [&](const HloValue& value) {
      return value.instruction->opcode == Opcode::parameter && value.leaf == of.leaf &&
             value.instruction->parameter_number == static_cast<Index>(of.operand);
    };
    bool whole = true;
    IndexingSet ways;  // a reduce reads all its inputs at the same index, so equal ways are one
    std::size_t through = 0;
    for (std::size_t k = 0; k < read_by_.size(); ++k) {
      for (const ValueIndexing& read : read_by_[k]) {
        if (!is_array(read.value)) continue;
        for (const Indexing& x : read.maps) {
          whole = whole && is_whole(x, sum_.operands[k].type());
          through = k;
          if (sum_.opcode == Opcode::reduce) {
            insert_new(ways, x);
          } else {
            ways.push_back(x);
          }
        }
      }
    }
    if (!known_ || ways.empty()) return known_;
    if (ways.size() != 1 || to_sum_.size() != 1 || std::ranges::any_of(besides_, is_array)) return false;
    const auto own = program_.output_to_operand(sum_, {.output = sum_leaf_, .operand = through});
    if (!own || own->size() != 1 || (map.range_count() == 0 && !whole)) return false;
    return compose(compose(to_sum_[0], (*own)[0]), ways[0]).map == map;
  }

 private:
  static bool insert_new(IndexingSet& set, const Indexing& x) {
    if (std::ranges::find(set, x) != set.end()) return false;
    set.push_back(x);
    return true;
  }
  static bool is_whole(const Indexing& indexing, const HloType& type) {
    if (indexing.exactness != Exactness::exact || !indexing.map.constraints().empty()) return false;
    for (std::size_t i = 0; i < indexing.map.dim_count(); ++i)
      if (indexing.map.variables()[i].bounds != Interval::of_extent(type.dims()[i])) return false;
    return true;
  }

  ProgramIndexing& program_;
  const Instruction& sum_;
  bool known_ = false;
  IndexingSet to_sum_;  // from the result
  std::size_t sum_leaf_ = 0;
  std::vector<HloValue> besides_;  // arrays of parameters that the result reads not only in the sum
  std::vector<std::vector<ValueIndexing>> read_by_;  // by operand of the sum: what it reads
};

OperandTile tile_through(Indexing indexing, const StartTile& start) {
  OperandTile out{.indexing = std::move(indexing)};
  const Indexing& own = out.indexing;
  if (own.exactness == Exactness::unknown) {
    out.reason = own.reason;
    return out;
  }
  if (own.map.known_empty()) {
    out.reason = "nothing is read";
    return out;
  }
  // The operand's index and the replica are read together, so the digits in both must be independent.
  const bool hop = own.replica.size() == 1 && own.replica[0].from == ReplicaHop::From::element;
  IndexMap joined = own.map;
  if (hop) {
    std::vector<Expr> results(own.map.results().begin(), own.map.results().end());
    for (const Expr e : own.replica[0].map.results()) results.push_back(e);
    joined = IndexMap::make_unchecked(own.map.domain(), std::move(results));
  }
  auto tile = propagate(joined, start);
  if (!tile) {
    out.reason = tile.error().message;
    return out;
  }
  if (hop) {
    const auto rank = static_cast<std::ptrdiff_t>(own.map.results().size());
    SymbolicTile replica = *tile;
    replica.dims.erase(replica.dims.begin(), replica.dims.begin() + rank);
    tile->dims.resize(static_cast<std::size_t>(rank));
    // A tile must be read from one replica.
    for (TileDimension& dim : replica.dims) {
      if (tile->exact) tile->constraint = both(tile->constraint, TileConstraint::in(dim.size, {1, 1}));
    }
    std::vector<Interval> box;
    for (const Variable& v : tile->parameters.variables()) box.push_back(v.bounds);
    tile->constraint = simplify(tile->constraint, box);
    replica.constraint = tile->constraint;
    out.replica = std::move(replica);
  }
  out.reason = tile->exact ? own.reason : tile->reason;
  for (std::size_t i = 0; i < own.runtime.size(); ++i) {
    const IndexMap& at = own.runtime[i].map;
    const bool moves = std::ranges::any_of(at.results(), [&](Expr e) {
      return std::ranges::any_of(variables(e), [&](Index v) {
        return static_cast<std::size_t>(v) < at.dim_count() + at.range_count() &&
               !at.variables()[static_cast<std::size_t>(v)].bounds.is_point();
      });
    });
    if (moves) out.varying.push_back(i);
  }
  out.tile = *std::move(tile);
  return out;
}

// The tile of a step of a sum, which may read less.
void make_bound(OperandTile& tile) {
  if (!tile.tile || !tile.tile->exact) return;
  tile.tile->exact = false;
  tile.reason = tile.tile->reason = "contracted dimensions are taken whole";
}

}  // namespace

Result<StartTile> tile_of_output(const Instruction& instruction, std::size_t leaf,
                                 std::span<const Index> sizes, bool whole) {
  auto extents = array_extents(instruction.type, leaf);
  if (!extents) return fail(std::move(extents.error()));
  const Contraction contraction = contraction_of(instruction);
  std::vector<Index> all = *extents;
  all.insert(all.end(), contraction.extents.begin(), contraction.extents.end());
  std::vector<Index> given(sizes.begin(), sizes.end());
  if (whole && given.size() <= all.size()) {
    given.resize(all.size(), 0);
    for (std::size_t i = extents->size(); i < all.size(); ++i)
      if (given[i] == 0) given[i] = std::max<Index>(all[i], 1);
  }
  return grid_of(all, given);
}

Result<StartTile> tile_of_operand(const Instruction& instruction, OperandLeaf of,
                                  std::span<const Index> sizes) {
  if (of.operand >= instruction.operands.size())
    return fail(Code::index_out_of_range, fmt::format("there is no operand {}", of.operand));
  auto extents = array_extents(instruction.operand_type(of.operand), of.leaf);
  if (!extents) return fail(std::move(extents.error()));
  return grid_of(*extents, sizes);
}

Result<std::vector<OperandTile>> tiles_read(ProgramIndexing& program, const Instruction& instruction,
                                            std::size_t leaf, const StartTile& start) {
  auto operands = program.reads_of_output(instruction, leaf);
  if (!operands) return fail(std::move(operands.error()));
  const Contraction contraction = contraction_of(instruction);
  const HloType& type = leaf_type(instruction.type, leaf);
  const std::size_t rank = std::min(start.dims.size(), type.is_array() ? type.rank() : 0);
  const bool of_other = contraction.sum != &instruction && has_steps(start, rank);
  std::optional<SumSteps> steps;
  if (of_other && contraction.sum != nullptr) steps.emplace(program, instruction, leaf, *contraction.sum);
  StartTile whole = start;
  whole.dims.resize(rank);
  std::vector<OperandTile> out;
  for (OperandIndexing& read : *operands) {
    const auto extents = array_extents(instruction.operand_type(read.operand), read.leaf);
    for (Indexing& indexing : read.maps) {
      const bool summed = indexing.map.range_count() > 0;
      const bool known = !of_other || (steps && steps->are_in_map({read.operand, read.leaf}, indexing.map));
      const MapStart own =
          start_of(known ? start : whole, indexing, contraction, extents ? *extents : std::vector<Index>{});
      OperandTile tile = tile_through(std::move(indexing), own.tile);
      if (!known || (own.sweeps && summed)) make_bound(tile);
      tile.operand = read.operand;
      tile.leaf = read.leaf;
      out.push_back(std::move(tile));
    }
  }
  return out;
}

Result<ResultTiles> tiles_read_by_all(ProgramIndexing& program, const Instruction& instruction,
                                      std::span<const Index> sizes) {
  return detail::result_tiles(program, instruction, 0, sizes);
}

Result<ResultTiles> detail::result_tiles(ProgramIndexing& program, const Instruction& instruction,
                                         std::size_t first, std::span<const Index> sizes) {
  auto main = tile_of_output(instruction, first, sizes, /*whole=*/true);
  if (!main) return fail(std::move(main.error()));
  ResultTiles out;
  for (std::size_t leaf = 0; leaf < std::max<std::size_t>(instruction.type.leaf_count(), 1); ++leaf) {
    StartTile start = *main;
    if (leaf != first) {
      auto other = tile_of_output(instruction, leaf, {}, /*whole=*/true);
      if (!other) return fail(std::move(other.error()));
      const std::size_t rank = leaf_type(instruction.type, leaf).dims().size();
      const std::size_t main_rank = leaf_type(instruction.type, first).dims().size();
      for (std::size_t i = 0; i < other->dims.size(); ++i) {
        StartTile::Dimension& dim = other->dims[i];
        const bool same = i < rank && i < main_rank && dim.extent == main->dims[i].extent;
        dim = same ? main->dims[i]
                   : StartTile::Dimension{.size = Expr::constant(dim.extent), .extent = dim.extent};
      }
      other->parameters = main->parameters;
      start = *std::move(other);
    }
    auto reads = tiles_read(program, instruction, leaf, start);
    if (!reads) return fail(std::move(reads.error()));
    for (OperandTile& tile : *reads) {
      tile.output = static_cast<std::uint32_t>(leaf);
      out.reads.push_back(std::move(tile));
    }
    out.starts.push_back(std::move(start));
  }
  std::ranges::stable_sort(out.reads, {}, [](const OperandTile& t) { return std::pair(t.operand, t.leaf); });
  return out;
}

Result<std::vector<OperandTile>> tiles_upstream(ProgramIndexing& program, const Instruction& instruction,
                                                std::size_t leaf, const StartTile& start) {
  auto values = program.grouped({.value = {&instruction, static_cast<std::uint32_t>(leaf)}});
  if (!values) return fail(std::move(values.error()));
  std::vector<OperandTile> out;
  for (ValueIndexing& read : *values) {
    if (read.value.instruction == &instruction) continue;
    const auto extents = array_extents(read.value.instruction->type, read.value.leaf);
    for (Indexing& indexing : read.maps) {
      StartTile own = start;
      const std::size_t rank = std::min(own.dims.size(), indexing.map.dim_count());
      own.dims.resize(rank);
      own.extents = extents ? *extents : std::vector<Index>{};
      OperandTile tile = tile_through(std::move(indexing), own);
      if (has_steps(start, rank)) make_bound(tile);
      tile.value = read.value.instruction;
      tile.leaf = read.value.leaf;
      out.push_back(std::move(tile));
    }
  }
  return out;
}

Result<std::vector<OperandTile>> tiles_reading(ProgramIndexing& program, const Instruction& instruction,
                                               std::size_t operand, const StartTile& start) {
  auto outputs = program.readers_of_operand(instruction, {.operand = operand});
  if (!outputs) return fail(std::move(outputs.error()));
  std::vector<OperandTile> out;
  for (OutputIndexing& reader : *outputs) {
    const auto extents = array_extents(instruction.type, reader.leaf);
    for (Indexing& indexing : reader.maps) {
      StartTile own = start;
      own.extents = extents ? *extents : std::vector<Index>{};
      OperandTile tile = tile_through(std::move(indexing), own);
      tile.operand = tile.leaf = reader.leaf;
      for (std::size_t i = 0; tile.tile && tile.tile->exact && i < tile.tile->dims.size(); ++i) {
        TileDimension& dim = tile.tile->dims[i];
        const Expr result = tile.indexing.map.results()[i];
        const bool swept =
            result.is_variable() &&
            tile.indexing.map.domain().kind(static_cast<std::size_t>(result.value())) == VariableKind::range;
        if (swept && dim.size.is_constant() && dim.size.value() < (Index{1} << 62))
          dim.size =
              Expr::constant(static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(dim.size.value()))));
      }
      out.push_back(std::move(tile));
    }
  }
  return out;
}

}  // namespace tessera
