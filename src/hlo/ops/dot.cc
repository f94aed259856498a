// SPDX-License-Identifier: Apache-2.0
/// \file
/// dot, scaled-dot, ragged-dot. The output has the batch dimensions, then the free dimensions of the left and
/// of the right side; contracted dimensions are summed over.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"

namespace tessera::detail {
namespace {

constexpr Index kFree = DotSide::kFree;

constexpr const char* kContracting[] = {"lhs_contracting_dims", "rhs_contracting_dims"};
constexpr const char* kBatch[] = {"lhs_batch_dims", "rhs_batch_dims"};

Problem check_dot_pairs(const OpReader& reader, std::string_view what, const std::vector<Index>& lhs,
                        const std::vector<Index>& rhs, std::string_view rhs_key) {
  if (lhs.size() != rhs.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, rhs_key,
        fmt::format("the left side has {}, but the right side has {}",
                    plural(lhs.size(), fmt::format("{} dimension", what)), rhs.size()));
  }
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    const Index left = reader.dims(0)[as_size(lhs[i])];
    const Index right = reader.dims(1)[as_size(rhs[i])];
    if (left != right) {
      return reader.wrong_attribute(
          Code::shape_mismatch, rhs_key,
          fmt::format("{} sizes differ: dimension {} of the left side has {}, but dimension {} of "
                      "the right side has {}",
                      what, lhs[i], left, rhs[i], right));
    }
  }
  return std::nullopt;
}

Problem check_dot_side(const OpReader& reader, std::size_t operand, const char* batch_key,
                       const std::vector<Index>& batch, const char* contracting_key,
                       const std::vector<Index>& contracting) {
  const std::size_t rank = reader.dims(operand).size();
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute(batch_key), batch, rank));
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute(contracting_key), contracting, rank));
  for (const Index dim : contracting) {
    if (std::ranges::find(batch, dim) != batch.end()) {
      return reader.wrong_attribute(
          Code::bad_attribute, contracting_key,
          fmt::format("dimension {} is both a batch and a contracting dimension", dim),
          fmt::format("remove {} from '{}' or '{}'", dim, batch_key, contracting_key));
    }
  }
  return std::nullopt;
}

// Reads the dimension numbers of both sides, and checks that the pairs match.
Problem read_dims(const OpReader& reader, DotOp& dot) {
  for (std::size_t s = 0; s < 2; ++s) {
    TESSERA_READ(batch, reader.ints_or_none(kBatch[s]));
    TESSERA_READ(contracting, reader.ints_or_none(kContracting[s]));
    dot.sides[s].batch = std::move(batch);
    dot.sides[s].contracting = std::move(contracting);
  }
  for (std::size_t s = 0; s < 2; ++s)
    TESSERA_RULE(
        check_dot_side(reader, s, kBatch[s], dot.sides[s].batch, kContracting[s], dot.sides[s].contracting));
  const auto& [lhs, rhs] = dot.sides;
  TESSERA_RULE(check_dot_pairs(reader, "batch", lhs.batch, rhs.batch, kBatch[1]));
  TESSERA_RULE(check_dot_pairs(reader, "contracting", lhs.contracting, rhs.contracting, kContracting[1]));
  for (std::size_t j = 0; j < lhs.contracting.size(); ++j) {
    dot.contracted.push_back(reader.dims(0)[as_size(lhs.contracting[j])]);
    const bool left = reader.is_dynamic(0, as_size(lhs.contracting[j]));
    const bool right = reader.is_dynamic(1, as_size(rhs.contracting[j]));
    dot.sides[0].ends_at_other.push_back(right && !left);
    dot.sides[1].ends_at_other.push_back(left && !right);
  }
  return std::nullopt;
}

// Appends the extents of the free dimensions of a side to those of the result.
void place_dims(DotSide& side, std::span<const Index> extents, std::vector<Index>& out,
                Index first_batch = 0) {
  side.contracting_of.assign(extents.size(), kFree);
  side.output_of.assign(extents.size(), kFree);
  for (std::size_t j = 0; j < side.batch.size(); ++j)
    side.output_of[as_size(side.batch[j])] = first_batch + static_cast<Index>(j);
  for (std::size_t j = 0; j < side.contracting.size(); ++j)
    side.contracting_of[as_size(side.contracting[j])] = static_cast<Index>(j);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (side.output_of[i] != kFree || side.contracting_of[i] != kFree) continue;
    side.output_of[i] = static_cast<Index>(out.size());
    out.push_back(extents[i]);
  }
}

// Sums may have any element type, so the written one is used.
Problem gives_sums(const OpReader& reader, std::span<const Index> dims) {
  return reader.written_type() == nullptr ? reader.gives(reader.dtype(0), dims) : reader.gives_dims(dims);
}

Problem read_products(const OpReader& reader, DotOp& dot) {
  TESSERA_RULE(read_dims(reader, dot));
  std::vector<Index> dims;
  for (const Index d : dot.sides[0].batch) dims.push_back(reader.dims(0)[as_size(d)]);
  for (std::size_t s = 0; s < 2; ++s) place_dims(dot.sides[s], reader.dims(s), dims);
  return gives_sums(reader, dims);
}

Problem read_dot(const OpReader& reader, DotOp& dot) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operands_are_arrays());
  return read_products(reader, dot);
}

// The elements of one side that an output element reads: coordinates by dimension of the side.
std::vector<Expr> read_elements(const MapBuilder& map, const DotSide& side, std::span<const Expr> summed) {
  std::vector<Expr> results;
  results.reserve(side.output_of.size());
  for (std::size_t i = 0; i < side.output_of.size(); ++i) {
    results.push_back(side.output_of[i] == kFree ? summed[as_size(side.contracting_of[i])]
                                                 : map.dim(as_size(side.output_of[i])));
  }
  return results;
}

// A sum over a dynamic and a fixed dimension ends at the size of the dynamic one: the rest of that counts as
// zeros. `place`: the index of the fixed one for a contracting pair.
template <class Place>
IndexingSet ended(MapBuilder map, const DotOp& dot, std::size_t side, std::vector<Expr> results,
                  const Place& place) {
  if (!dot.ends_at_other(side)) return just(std::move(map).build(std::move(results)));
  for (std::size_t j = 0; j < dot.contracted.size(); ++j) {
    if (!dot.sides[side].ends_at_other[j]) continue;
    const std::string_view size = dot.operand_size(1 - side, as_size(dot.sides[1 - side].contracting[j]));
    if (size.empty()) return just(std::move(map).superset(std::move(results), kSizeIsData));
    map.end_at_size(place(j), size, dot.contracted[j]);
  }
  return just(std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points));
}

IndexingSet dot_to_input(const OpQuery& q, const DotOp& dot) {
  MapBuilder map(q.out());
  const std::vector<Expr> summed = map.ranges(dot.contracted);
  std::vector<Expr> results = read_elements(map, dot.sides[q.operand], summed);
  return ended(std::move(map), dot, q.operand, std::move(results),
               [&](std::size_t pair) { return summed[pair]; });
}

IndexingSet dot_to_output(const OpQuery& q, const DotOp& dot) {
  const DotSide& side = dot.sides[q.operand];
  MapBuilder map(q.in());
  std::vector<Index> from(q.out().size(), kFree);  // by output dimension: the dimension of this side
  for (std::size_t i = 0; i < side.output_of.size(); ++i) {
    if (side.output_of[i] != kFree) from[as_size(side.output_of[i])] = static_cast<Index>(i);
  }
  std::vector<Expr> results;
  results.reserve(from.size());
  for (std::size_t o = 0; o < from.size(); ++o) {
    results.push_back(from[o] == kFree ? map.range(q.out()[o]) : map.dim(as_size(from[o])));
  }
  return ended(std::move(map), dot, q.operand, std::move(results),
               [&](std::size_t pair) { return Expr::variable(side.contracting[pair]); });
}

// scaled-dot(lhs, rhs, lhs_scale, rhs_scale): one scale element applies to a block of operand elements.

struct ScaledDotOp : DotOp {
  std::vector<Index> blocks[2];   // of each side: the sizes of the blocks by dimension; empty without a scale
  bool open[2] = {false, false};  // the sum ends at a size that is not the scale's own
};

// A scale has the rank of its operand, and each of its extents divides the operand's extent.
Problem read_scale(const OpReader& reader, std::size_t scale, std::vector<Index>& blocks) {
  const auto dims = reader.dims(scale);
  const auto operand = reader.dims(scale - 2);
  if (dims.empty()) return std::nullopt;  // no scale
  if (dims.size() != operand.size()) {
    return reader.wrong_operand(Code::rank_mismatch, scale,
                                fmt::format("the scale has {}, but its operand has {}",
                                            plural(dims.size(), "dimension"), operand.size()));
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 1 || operand[i] % dims[i] != 0) {
      return reader.wrong_operand(
          Code::shape_mismatch, scale,
          fmt::format("extent {} of the scale's dimension {} does not divide the operand's {}", dims[i], i,
                      operand[i]));
    }
    blocks.push_back(operand[i] / dims[i]);
  }
  return std::nullopt;
}

Problem read_scaled_dot(const OpReader& reader, ScaledDotOp& dot) {
  TESSERA_RULE(reader.operand_count_is(4));
  TESSERA_RULE(reader.operands_are_arrays());
  for (std::size_t s = 0; s < 2; ++s) TESSERA_RULE(read_scale(reader, s + 2, dot.blocks[s]));
  TESSERA_RULE(read_products(reader, dot));
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t j = 0; j < dot.contracted.size() && !dot.blocks[s].empty(); ++j) {
      const std::size_t dim = as_size(dot.sides[s].contracting[j]);
      const bool fixed_scale = reader.is_dynamic(s, dim) && !reader.is_dynamic(s + 2, dim);
      dot.open[s] = dot.open[s] || dot.sides[s].ends_at_other[j] || fixed_scale;
    }
  }
  return std::nullopt;
}

IndexingSet scale_answer(const ScaledDotOp& dot, std::size_t side, Indexing indexing) {
  return just(dot.open[side] ? as_superset(std::move(indexing), kSizeIsData) : std::move(indexing));
}

IndexingSet scaled_to_input(const OpQuery& q, const ScaledDotOp& dot) {
  if (q.operand < 2) return dot_to_input(q, dot);
  const std::vector<Index>& blocks = dot.blocks[q.operand - 2];
  if (q.in().empty()) return just(scalar_indexing(q.out()));
  MapBuilder map(q.out());
  const std::vector<Expr> summed = map.ranges(dot.contracted);
  std::vector<Expr> results = read_elements(map, dot.sides[q.operand - 2], summed);
  auto simplification = MapBuilder::Simplification::none;
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = floor_div(results[i], blocks[i]);
    // If one block spans the dimension, the quotient is always 0 and needs no simplification.
    if (blocks[i] > 1) simplification = MapBuilder::Simplification::preserve_points;
  }
  return scale_answer(dot, q.operand - 2, std::move(map).build(std::move(results), simplification));
}

IndexingSet scaled_to_output(const OpQuery& q, const ScaledDotOp& dot) {
  if (q.operand < 2) return dot_to_output(q, dot);
  const std::vector<Index>& blocks = dot.blocks[q.operand - 2];
  if (q.in().empty()) return just(whole_indexing(q.in(), q.out()));
  const DotSide& side = dot.sides[q.operand - 2];
  MapBuilder map(q.in());
  const auto operand = q.dims_of(q.operand - 2);
  if (std::ranges::find(operand, 0) != operand.end()) map.nothing();
  std::vector<Expr> results(q.out().size());
  std::vector<bool> mine(q.out().size(), false);
  for (std::size_t i = 0; i < side.output_of.size(); ++i) {
    if (side.output_of[i] != kFree) mine[as_size(side.output_of[i])] = true;
  }
  auto simplification = MapBuilder::Simplification::none;
  for (std::size_t o = 0; o < results.size(); ++o) {
    if (!mine[o]) {
      results[o] = map.range(q.out()[o]);
      continue;
    }
    const auto i = as_size(static_cast<Index>(std::ranges::find(side.output_of, static_cast<Index>(o)) -
                                              side.output_of.begin()));
    const Index block = blocks[i];
    results[o] = block == 1 ? map.dim(i) : map.dim(i) * block + map.range(block);
    if (block > 1) simplification = MapBuilder::Simplification::preserve_points;
  }
  return scale_answer(dot, q.operand - 2, std::move(map).build(std::move(results), simplification));
}

// ragged-dot(lhs, rhs, group_sizes). The ragged dimension of lhs is cut into groups of data-dependent sizes.
// If it is free, each group has its own right side; if it is contracted, each group has its own output; if it
// is a batch dimension, the operation is a dot.

constexpr const char* kGroups = "which rows belong to a group is data dependent";

Problem read_ragged_dot(const OpReader& reader, RaggedDotOp& dot) {
  using Mode = RaggedDotOp::Mode;
  TESSERA_RULE(reader.operand_count_is(3));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(read_dims(reader, dot));
  TESSERA_READ(ragged_dims, reader.ints("lhs_ragged_dims"));
  TESSERA_READ(group_dims, reader.ints_or_none("rhs_group_dims"));
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("lhs_ragged_dims"), ragged_dims,
                                    reader.dims(0).size()));
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("rhs_group_dims"), group_dims,
                                    reader.dims(1).size()));
  if (ragged_dims.size() != 1) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "lhs_ragged_dims",
        fmt::format("ragged-dot has one ragged dimension, not {}", ragged_dims.size()));
  }
  auto& [lhs, rhs] = dot.sides;
  const auto has = [&](const std::vector<Index>& dims, Index d) {
    return std::ranges::find(dims, d) != dims.end();
  };
  dot.mode = has(lhs.contracting, ragged_dims[0]) ? Mode::contracted
             : has(lhs.batch, ragged_dims[0])     ? Mode::batch
                                                  : Mode::free;
  const std::size_t wanted = dot.mode == Mode::free ? 1 : 0;
  if (group_dims.size() != wanted) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "rhs_group_dims",
        fmt::format("'rhs_group_dims' names {}, but the ragged dimension {} is {}, which needs {}",
                    plural(group_dims.size(), "dimension"), ragged_dims[0],
                    dot.mode == Mode::free         ? "free"
                    : dot.mode == Mode::contracted ? "contracted"
                                                   : "a batch dimension",
                    wanted));
  }
  for (const Index d : group_dims) {
    if (!has(rhs.batch, d) && !has(rhs.contracting, d)) {
      // The group dimension counts as contracted, so that it gets no output dimension.
      rhs.contracting.push_back(d);
      dot.contracted.push_back(reader.dims(1)[as_size(d)]);
      continue;
    }
    return reader.wrong_attribute(
        Code::bad_attribute, "rhs_group_dims",
        fmt::format("dimension {} is both the group dimension and a batch or contracting dimension", d));
  }
  // If the ragged dimension is contracted, the groups come first in the output.
  std::vector<Index> dims;
  if (dot.mode == Mode::contracted) dims.push_back(reader.dims(2).empty() ? 1 : reader.dims(2).back());
  const auto leading = static_cast<Index>(dims.size());
  for (const Index d : lhs.batch) dims.push_back(reader.dims(0)[as_size(d)]);
  for (std::size_t s = 0; s < 2; ++s) place_dims(dot.sides[s], reader.dims(s), dims, leading);
  return gives_sums(reader, dims);
}

IndexingSet ragged_answer(const OpQuery& q, const RaggedDotOp& r, Indexing indexing) {
  // Rows after the last group are not read, so the map of the ragged side is a superset too.
  if (r.mode != RaggedDotOp::Mode::batch) indexing = as_superset(std::move(indexing), kGroups);
  if (r.ends_at_other(q.operand)) indexing = as_superset(std::move(indexing), kSizeIsData);
  return just(std::move(indexing));
}

IndexingSet ragged_to_input(const OpQuery& q, const RaggedDotOp& r) {
  if (q.operand == 2) return just(as_superset(whole_indexing(q.out(), q.in()), kGroups));
  MapBuilder map(q.out());
  auto contracted = std::span(r.contracted);
  // Only the right side has a group dimension.
  if (r.mode == RaggedDotOp::Mode::free && q.operand == 0)
    contracted = contracted.first(contracted.size() - 1);
  const std::vector<Expr> summed = map.ranges(contracted);
  std::vector<Expr> results = read_elements(map, r.sides[q.operand], summed);
  return ragged_answer(q, r, std::move(map).build(std::move(results)));
}

IndexingSet ragged_to_output(const OpQuery& q, const RaggedDotOp& r) {
  if (q.operand == 2) return just(as_superset(whole_indexing(q.in(), q.out()), kGroups));
  const DotSide& side = r.sides[q.operand];
  MapBuilder map(q.in());
  std::vector<Expr> results;
  for (std::size_t o = 0; o < q.out().size(); ++o) {
    const auto from = std::ranges::find(side.output_of, static_cast<Index>(o));
    results.push_back(from == side.output_of.end()
                          ? map.range(q.out()[o])
                          : map.dim(static_cast<std::size_t>(from - side.output_of.begin())));
  }
  return ragged_answer(q, r, std::move(map).build(std::move(results)));
}

}  // namespace

constinit const OpRule kDotRule = family_rule<DotOp, read_dot, dot_to_input, dot_to_output>();
constinit const OpRule kScaledDotRule =
    family_rule<ScaledDotOp, read_scaled_dot, scaled_to_input, scaled_to_output>();
constinit const OpRule kRaggedDotRule =
    family_rule<RaggedDotOp, read_ragged_dot, ragged_to_input, ragged_to_output>();

}  // namespace tessera::detail
