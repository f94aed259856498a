// SPDX-License-Identifier: Apache-2.0
/// \file
/// dot, scaled-dot, ragged-dot. The output has the batch dimensions, then the free dimensions of the left and
/// of the right side; contracted dimensions are summed over.
#include <algorithm>

#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

constexpr Index kFree = -1;

// The roles of the dimensions of one side.
struct DotSide {
  std::vector<Index> contracting;  // dimensions, in attribute order
  std::vector<Index> batch;
  std::vector<Index> contracting_of;  // by dimension: the number of its contracting pair, or kFree
  std::vector<Index> output_of;       // by dimension: its output dimension; kFree for contracted ones
};

struct Dot {
  DotSide sides[2];
  std::vector<Index> contracted;  // extents of the contracting pairs
};

// Gives the free dimensions of a side the output dimensions from `next` on. False if the attributes name a
// dimension that does not exist, or name one twice.
bool place_dims(DotSide& side, std::size_t rank, Index& next) {
  side.contracting_of.assign(rank, kFree);
  side.output_of.assign(rank, kFree);
  std::vector<bool> named(rank, false);
  const auto name = [&](Index d) {
    if (d < 0 || d >= static_cast<Index>(rank) || named[as_size(d)]) return false;
    named[as_size(d)] = true;
    return true;
  };
  for (std::size_t j = 0; j < side.batch.size(); ++j) {
    if (!name(side.batch[j])) return false;
    side.output_of[as_size(side.batch[j])] = static_cast<Index>(j);
  }
  for (std::size_t j = 0; j < side.contracting.size(); ++j) {
    if (!name(side.contracting[j])) return false;
    side.contracting_of[as_size(side.contracting[j])] = static_cast<Index>(j);
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (!named[i]) side.output_of[i] = next++;
  }
  return true;
}

// Reads the contracting and batch dimensions of both sides; place_dims then assigns the output dimensions.
Result<Dot> read_dot(const OpQuery& q) {
  Dot dot;
  constexpr const char* kContracting[] = {"lhs_contracting_dims", "rhs_contracting_dims"};
  constexpr const char* kBatch[] = {"lhs_batch_dims", "rhs_batch_dims"};
  for (int s = 0; s < 2; ++s) {
    auto contracting = ints_of(q.op, kContracting[s], {});
    if (!contracting) return Failure(contracting.error());
    auto batch = ints_of(q.op, kBatch[s], {});
    if (!batch) return Failure(batch.error());
    dot.sides[s].contracting = std::move(*contracting);
    dot.sides[s].batch = std::move(*batch);
  }
  return dot;
}

Result<Dot> plain_dot(const OpQuery& q) {
  const auto mismatch = [] {
    return fail(Code::shape_mismatch,
                "the dimension numbers of the dot do not match the shapes of its operands and result");
  };
  if (q.op.operands.size() < 2 || q.operand > 3) return mismatch();
  if (q.op.operands.size() > 2 && q.op.opcode == Opcode::dot) return mismatch();
  auto dot = read_dot(q);
  if (!dot) return dot;
  DotSide& lhs = dot->sides[0];
  DotSide& rhs = dot->sides[1];
  if (lhs.batch.size() != rhs.batch.size() || lhs.contracting.size() != rhs.contracting.size())
    return mismatch();
  Index next = static_cast<Index>(lhs.batch.size());
  if (!place_dims(lhs, q.dims_of(0).size(), next) || !place_dims(rhs, q.dims_of(1).size(), next))
    return mismatch();
  if (next != static_cast<Index>(q.out().size())) return mismatch();
  for (std::size_t j = 0; j < lhs.contracting.size(); ++j) {
    const Index extent = q.dims_of(0)[as_size(lhs.contracting[j])];
    if (extent != q.dims_of(1)[as_size(rhs.contracting[j])]) return mismatch();
    dot->contracted.push_back(extent);
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const auto extents = q.dims_of(s);
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const Index o = dot->sides[s].output_of[i];
      if (o != kFree && extents[i] != q.out()[as_size(o)]) return mismatch();
    }
  }
  return dot;
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

IndexingSet dot_to_input(const OpQuery& q) {
  const auto dot = plain_dot(q);
  if (!dot) return unknown_set(dot.error());
  if (q.operand > 1) return bad_shape(q);
  MapBuilder map(q.out());
  const std::vector<Expr> summed = map.ranges(dot->contracted);
  std::vector<Expr> results = read_elements(map, dot->sides[q.operand], summed);
  return just(std::move(map).build(std::move(results)));
}

IndexingSet dot_to_output(const OpQuery& q) {
  const auto dot = plain_dot(q);
  if (!dot) return unknown_set(dot.error());
  if (q.operand > 1) return bad_shape(q);
  const DotSide& side = dot->sides[q.operand];
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
  return just(std::move(map).build(std::move(results)));
}

// scaled-dot(lhs, rhs, lhs_scale, rhs_scale): one scale element applies to a block of operand elements.

// Sizes of the blocks by dimension; empty for a scalar scale of an operand with dimensions.
Result<std::vector<Index>> block_sizes(std::span<const Index> operand, std::span<const Index> scale) {
  std::vector<Index> blocks;
  if (scale.empty()) return blocks;
  const auto mismatch = [] {
    return fail(Code::shape_mismatch, "the extents of the scale must divide those of its operand");
  };
  if (scale.size() != operand.size()) return mismatch();
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const bool matches = scale[i] == operand[i] || (scale[i] > 0 && operand[i] % scale[i] == 0);
    if (!matches) return mismatch();
    blocks.push_back(scale[i] == operand[i] ? 1 : operand[i] / scale[i]);
  }
  return blocks;
}

IndexingSet scaled_to_input(const OpQuery& q) {
  if (q.operand < 2) return dot_to_input(q);
  if (q.operand > 3) return bad_shape(q);
  const auto dot = plain_dot(q);
  if (!dot) return unknown_set(dot.error());
  const auto blocks = block_sizes(q.dims_of(q.operand - 2), q.in());
  if (!blocks) return unknown_set(blocks.error());
  if (blocks->empty()) return just(scalar_indexing(q.out()));
  MapBuilder map(q.out());
  const std::vector<Expr> summed = map.ranges(dot->contracted);
  std::vector<Expr> results = read_elements(map, dot->sides[q.operand - 2], summed);
  auto simplification = MapBuilder::Simplification::none;
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = floor_div(results[i], (*blocks)[i]);
    // If one block spans the dimension, the quotient is always 0 and needs no simplification.
    if ((*blocks)[i] > 1) simplification = MapBuilder::Simplification::preserve_points;
  }
  return just(std::move(map).build(std::move(results), simplification));
}

IndexingSet scaled_to_output(const OpQuery& q) {
  if (q.operand < 2) return dot_to_output(q);
  if (q.operand > 3) return bad_shape(q);
  const auto dot = plain_dot(q);
  if (!dot) return unknown_set(dot.error());
  const auto blocks = block_sizes(q.dims_of(q.operand - 2), q.in());
  if (!blocks) return unknown_set(blocks.error());
  if (blocks->empty()) return just(whole_indexing(q.in(), q.out()));
  const DotSide& side = dot->sides[q.operand - 2];
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
    const Index block = (*blocks)[i];
    results[o] = block == 1 ? map.dim(i) : map.dim(i) * block + map.range(block);
    if (block > 1) simplification = MapBuilder::Simplification::preserve_points;
  }
  return just(std::move(map).build(std::move(results), simplification));
}

// ragged-dot(lhs, rhs, group_sizes). The ragged dimension of lhs is cut into groups of data-dependent sizes.
// If it is free, each group has its own right side; if it is contracted, each group has its own output; if it
// is a batch dimension, the operation is a dot.

constexpr const char* kGroups = "which rows belong to a group is data dependent";

struct RaggedDot {
  Dot dot;
  enum class Mode : std::uint8_t { free, contracted, batch } mode = Mode::batch;
  Index group_dim = kFree;  // of rhs, in mode free
};

Result<RaggedDot> read_ragged(const OpQuery& q) {
  const auto mismatch = [] {
    return fail(Code::shape_mismatch,
                "the dimension numbers of the ragged dot do not match the shapes of its operands and result");
  };
  if (q.op.operands.size() != 3) return mismatch();
  auto read = read_dot(q);
  if (!read) return Failure(read.error());
  const auto ragged_dims = ints_of(q.op, "lhs_ragged_dims");
  if (!ragged_dims) return Failure(ragged_dims.error());
  const auto group_dims = ints_of(q.op, "rhs_group_dims", {});
  if (!group_dims) return Failure(group_dims.error());
  if (ragged_dims->size() != 1 || group_dims->size() > 1) return mismatch();
  RaggedDot r{.dot = std::move(*read)};
  DotSide& lhs = r.dot.sides[0];
  DotSide& rhs = r.dot.sides[1];
  const Index ragged = ragged_dims->front();
  const auto has = [](const std::vector<Index>& dims, Index d) {
    return std::ranges::find(dims, d) != dims.end();
  };
  using Mode = RaggedDot::Mode;
  r.mode = has(lhs.contracting, ragged) ? Mode::contracted
           : has(lhs.batch, ragged)     ? Mode::batch
                                        : Mode::free;
  if ((r.mode == Mode::free) != (group_dims->size() == 1)) return mismatch();
  if (lhs.batch.size() != rhs.batch.size() || lhs.contracting.size() != rhs.contracting.size())
    return mismatch();

  const auto rhs_rank = q.dims_of(1).size();
  const Index leading = r.mode == Mode::contracted ? 1 : 0;  // the groups come first in the output
  Index next = static_cast<Index>(lhs.batch.size());
  if (!place_dims(lhs, q.dims_of(0).size(), next)) return mismatch();
  if (r.mode == Mode::free) {
    r.group_dim = group_dims->front();
    // The group dimension counts as contracted, so that it gets no output dimension.
    if (r.group_dim < 0 || r.group_dim >= static_cast<Index>(rhs_rank)) return mismatch();
    rhs.contracting.push_back(r.group_dim);
  }
  if (!place_dims(rhs, rhs_rank, next)) return mismatch();
  if (next + leading != static_cast<Index>(q.out().size())) return mismatch();
  for (std::size_t j = 0; j < lhs.contracting.size(); ++j) {
    const Index extent = q.dims_of(0)[as_size(lhs.contracting[j])];
    if (extent != q.dims_of(1)[as_size(rhs.contracting[j])]) return mismatch();
    r.dot.contracted.push_back(extent);
  }
  if (r.mode == Mode::free) r.dot.contracted.push_back(q.dims_of(1)[as_size(r.group_dim)]);
  for (std::size_t s = 0; s < 2; ++s) {
    const auto extents = q.dims_of(s);
    for (std::size_t i = 0; i < extents.size(); ++i) {
      Index& o = r.dot.sides[s].output_of[i];
      if (o == kFree) continue;
      o += leading;
      if (extents[i] != q.out()[as_size(o)]) return mismatch();
    }
  }
  return r;
}

IndexingSet ragged_answer(const RaggedDot& r, Indexing indexing) {
  // Rows after the last group are not read, so the map of the ragged side is a superset too.
  if (r.mode != RaggedDot::Mode::batch) indexing = as_superset(std::move(indexing), kGroups);
  return just(std::move(indexing));
}

IndexingSet ragged_to_input(const OpQuery& q) {
  const auto r = read_ragged(q);
  if (!r) return unknown_set(r.error());
  if (q.operand == 2) return just(as_superset(whole_indexing(q.out(), q.in()), kGroups));
  MapBuilder map(q.out());
  auto contracted = std::span(r->dot.contracted);
  // Only the right side has a group dimension.
  if (r->mode == RaggedDot::Mode::free && q.operand == 0)
    contracted = contracted.first(contracted.size() - 1);
  const std::vector<Expr> summed = map.ranges(contracted);
  std::vector<Expr> results = read_elements(map, r->dot.sides[q.operand], summed);
  return ragged_answer(*r, std::move(map).build(std::move(results)));
}

IndexingSet ragged_to_output(const OpQuery& q) {
  const auto r = read_ragged(q);
  if (!r) return unknown_set(r.error());
  if (q.operand == 2) return just(as_superset(whole_indexing(q.in(), q.out()), kGroups));
  const DotSide& side = r->dot.sides[q.operand];
  MapBuilder map(q.in());
  std::vector<Expr> results;
  for (std::size_t o = 0; o < q.out().size(); ++o) {
    const auto from = std::ranges::find(side.output_of, static_cast<Index>(o));
    results.push_back(from == side.output_of.end()
                          ? map.range(q.out()[o])
                          : map.dim(static_cast<std::size_t>(from - side.output_of.begin())));
  }
  return ragged_answer(*r, std::move(map).build(std::move(results)));
}

}  // namespace

constinit const OpRule kDotRule{dot_to_input, dot_to_output};
constinit const OpRule kScaledDotRule{scaled_to_input, scaled_to_output};
constinit const OpRule kRaggedDotRule{ragged_to_input, ragged_to_output};

}  // namespace tessera::detail
