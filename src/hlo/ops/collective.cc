// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collectives: many replicas run the same program, and each result depends on the operands of a group of
/// replicas. A replica map gives a position in the group: that of the replica whose operand is read or,
/// toward the output, of the replica that reads.
#include "hlo/ops/collective.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/check/devices.h"
#include "hlo/check/functions.h"
#include "hlo/check/types.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "hlo/syntax/collective_groups.h"

namespace tessera::detail {

bool same_place(const OpQuery& q) { return q.op.operands.size() == 1 || q.output == q.operand; }

CollectiveGroups collective_groups(const Instruction& collective) {
  const auto kind = tessera::collective_of(collective.opcode);
  const auto op = kind && kind != Collective::permute ? value_of<CollectiveOp>(collective) : nullptr;
  return op == nullptr ? CollectiveGroups() : op->groups;
}

Problem read_groups(const OpReader& reader, bool equal_sizes, CollectiveGroups& groups,
                    std::optional<Index>* size) {
  TESSERA_READ(written, reader.replica_groups());
  TESSERA_RULE(check_groups(reader, written, equal_sizes));
  TESSERA_READ(members, group_members(reader.instruction()));
  if (size != nullptr) *size = members_of_group(reader, written);
  groups = CollectiveGroups::of(reader.instruction(), std::move(written), members);
  return std::nullopt;
}

namespace {

// Reads the one dimension of all-gather, reduce-scatter or all-to-all.
Problem read_dimension(const OpReader& reader, CollectiveOp& op) {
  TESSERA_READ(list, reader.ints("dimensions"));
  TESSERA_RULE(reader.one_dimension(list));
  for (std::size_t i = 0; i < reader.operand_count(); ++i) {
    TESSERA_RULE(
        reader.distinct_dims(reader.instruction().attribute("dimensions"), list, reader.dims(i).size()));
  }
  op.dim = as_size(list[0]);
  return std::nullopt;
}

// Each output has the dimensions of its operand, except that dimension `dim` grows or shrinks by an integer
// factor: the number of replicas in a group, if that is known.
Problem read_scaled(const OpReader& reader, CollectiveOp& op, bool grows) {
  TESSERA_RULE(read_dimension(reader, op));
  if (!grows) TESSERA_RULE(check_shared_reducer(reader, "to_apply"));
  std::optional<Index> size;
  TESSERA_RULE(read_groups(reader, true, op.groups, &size));
  TESSERA_RULE(reader.must_be_written());
  const auto types = outputs(reader.instruction().type);
  if (types.size() != reader.operand_count()) {
    return reader.wrong_type(Code::shape_mismatch,
                             fmt::format("{} of {} gives one array for each, but the type has {}",
                                         reader.instruction().opcode_text,
                                         plural(reader.operand_count(), "operand"), types.size()));
  }
  const std::size_t axis = op.dim;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const auto from = reader.dims(k);
    bool matches = types[k].is_array() && types[k].rank() == from.size();
    for (std::size_t i = 0; matches && i < from.size(); ++i)
      matches = i == axis || types[k].dims()[i] == from[i];
    if (!matches) {
      return reader.wrong_type(Code::shape_mismatch,
                               fmt::format("{} of {} changes only dimension {}, but the written type is {}",
                                           reader.instruction().opcode_text, short_text(reader.operand(k)),
                                           axis, short_text(types[k])));
    }
    const Index small = grows ? from[axis] : types[k].dims()[axis];
    const Index large = grows ? types[k].dims()[axis] : from[axis];
    Index wanted = 0;
    const bool whole = small == 0 ? large == 0 : large % small == 0;
    if (whole && (!size || mul_overflows(small, *size, wanted) || wanted == large)) continue;
    const std::string change =
        fmt::format("dimension {} changes from {} to {}", axis, from[axis], types[k].dims()[axis]);
    return reader.wrong_type(Code::shape_mismatch,
                             size    ? fmt::format("{}, but a group of {} makes it {} times as {}", change,
                                                   members_text(reader, *size), *size, grows ? "large" : "small")
                             : grows ? change + ", which is not a multiple"
                                     : change + ", which is not a divisor");
  }
  return std::nullopt;
}

// all-reduce: the same element of every group member.

template <bool kReduces>
Problem read_same(const OpReader& reader, CollectiveOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(read_groups(reader, false, op.groups));
  if (kReduces) TESSERA_RULE(check_shared_reducer(reader, "to_apply"));
  return gives_operands(reader, reader.operand_count());
}

IndexingSet all_reduce(const OpQuery& q, const CollectiveOp& op) {
  if (!same_place(q)) return {};
  MapBuilder map(q.out());
  if (op.groups.size() != 1) map.whole_group(op.groups);
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

// all-gather: the operands of the group, concatenated along a dimension.

template <bool kGrows>
Problem read_parts(const OpReader& reader, CollectiveOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  return read_scaled(reader, op, kGrows);
}

// From an index of the whole to the member of the group that has its part, and the index there.
void to_part(MapBuilder& map, const CollectiveOp& op, Index members, Index part, Expr& result) {
  map.replica(op.groups, members == 1 ? Expr() : floor_div(map.dim(op.dim), part));
  if (part == 1) {
    result = Expr();
  } else if (members > 1) {
    result = mod(map.dim(op.dim), part);
  }
}

IndexingSet gather_parts(const OpQuery& q, const CollectiveOp& op, bool to_input) {
  const Index part = q.in()[op.dim];
  const Index whole = q.out()[op.dim];
  MapBuilder map(to_input ? q.out() : q.in());
  std::vector<Expr> results = map.dims();
  if (part == 0) return just(std::move(map).build(std::move(results)));
  const Index members = whole / part;
  if (to_input) {
    to_part(map, op, members, part, results[op.dim]);
  } else {
    if (members == 0) map.nothing();
    map.whole_group(op.groups);
    const Expr own = map.own_position(op.groups, Interval::of_extent(std::max<Index>(members, 1)));
    results[op.dim] = own * part + map.dim(op.dim);
  }
  return just(std::move(map).build(std::move(results)));
}

IndexingSet all_gather_to_input(const OpQuery& q, const CollectiveOp& op) {
  return same_place(q) ? gather_parts(q, op, true) : IndexingSet();
}
IndexingSet all_gather_to_output(const OpQuery& q, const CollectiveOp& op) {
  return same_place(q) ? gather_parts(q, op, false) : IndexingSet();
}

Problem read_gather_start(const OpReader& reader, CollectiveOp& op) {
  return read_started(reader, Opcode::all_gather, op, read_parts<true>);
}

IndexingSet start_to_input(const OpQuery& q, const CollectiveOp& op) {
  return of_results(q, [&] { return gather_parts(q, op, true); });
}
IndexingSet start_to_output(const OpQuery& q, const CollectiveOp& op) {
  return of_results(q, [&] { return gather_parts(q, op, false); });
}

// reduce-scatter: the sum over the group, cut into one part for each replica.

IndexingSet scatter_parts(const OpQuery& q, const CollectiveOp& op, bool to_input) {
  if (!same_place(q)) return {};
  const Index part = q.out()[op.dim];
  const Index whole = q.in()[op.dim];
  MapBuilder map(to_input ? q.out() : q.in());
  std::vector<Expr> results = map.dims();
  if (part == 0 || whole == 0) {
    map.nothing();
    return just(std::move(map).build(std::move(results)));
  }
  const Index members = whole / part;
  if (to_input) {
    map.replica(op.groups, map.range(members));
    const Expr own = map.own_position(op.groups, Interval::of_extent(members));
    results[op.dim] = own * part + map.dim(op.dim);
  } else {
    to_part(map, op, members, part, results[op.dim]);
  }
  return just(std::move(map).build(std::move(results)));
}

IndexingSet reduce_scatter_to_input(const OpQuery& q, const CollectiveOp& op) {
  return scatter_parts(q, op, true);
}
IndexingSet reduce_scatter_to_output(const OpQuery& q, const CollectiveOp& op) {
  return scatter_parts(q, op, false);
}

// all-to-all: part p goes to the replica at position p. With `dimensions` the parts are blocks of one operand
// along a dimension; without, each operand is a part.

Problem read_all_to_all(const OpReader& reader, CollectiveOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  std::optional<Index> size;
  TESSERA_RULE(read_groups(reader, true, op.groups, &size));
  op.blocks = reader.has("dimensions");
  if (!op.blocks) {
    if (size && static_cast<Index>(reader.operand_count()) != *size) {
      return reader.wrong(
          Code::operand_count,
          fmt::format("all-to-all without 'dimensions' needs one operand for each of {}, not {}",
                      members_text(reader, *size), reader.operand_count()),
          reader.instruction().opcode_span,
          "pass one operand for each group member, or a single one with 'dimensions'");
    }
    for (std::size_t i = 1; i < reader.operand_count(); ++i)
      TESSERA_RULE(reader.operand_dims_are(i, reader.dims(0), "operand 0 has"));
    return gives_operands(reader, reader.operand_count());
  }
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(read_dimension(reader, op));
  const Index extent = reader.dims(0)[op.dim];
  if (size && extent % *size != 0) {
    return reader.wrong_attribute(Code::shape_mismatch, "dimensions",
                                  fmt::format("extent {} of dimension {} cannot be split evenly among {}",
                                              extent, op.dim, members_text(reader, *size)));
  }
  return gives_operands(reader, 1);
}

IndexingSet exchange_blocks(const OpQuery& q, const CollectiveOp& op) {
  const auto members = op.groups.groups().group_size();
  if (!members || *members < 1) return unknown_set("the size of the replica group is not known");
  const Index extent = q.out()[op.dim];
  // Block p of replica q and block q of replica p are exchanged, so the map is the same in both directions.
  const Index block = extent / *members;
  MapBuilder map(q.out());
  std::vector<Expr> results = map.dims();
  if (block == 0) return just(std::move(map).build(std::move(results)));
  map.replica(op.groups, *members == 1 ? Expr() : floor_div(map.dim(op.dim), block));
  const Expr own = map.own_position(op.groups, Interval::of_extent(*members));
  const Expr inside = block == 1 ? Expr() : *members == 1 ? map.dim(op.dim) : mod(map.dim(op.dim), block);
  results[op.dim] = own * block + inside;
  return just(std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points));
}

// Output k on the replica at position p is operand p of the replica at position k.
IndexingSet exchange_operands(const OpQuery& q, const CollectiveOp& op, bool to_input) {
  MapBuilder map(q.out());
  const auto own = static_cast<Index>(to_input ? q.operand : q.output);
  const auto other = static_cast<Index>(to_input ? q.output : q.operand);
  map.own_position(op.groups, Interval::point(own),
                   Interval::of_extent(static_cast<Index>(q.op.operands.size())));
  map.replica(op.groups, Expr::constant(other));
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

IndexingSet all_to_all_to_input(const OpQuery& q, const CollectiveOp& op) {
  return op.blocks ? exchange_blocks(q, op) : exchange_operands(q, op, true);
}
IndexingSet all_to_all_to_output(const OpQuery& q, const CollectiveOp& op) {
  return op.blocks ? exchange_blocks(q, op) : exchange_operands(q, op, false);
}

IndexingSet broadcast(const OpQuery& q, const CollectiveOp& op) {
  if (!same_place(q)) return {};
  MapBuilder map(q.out());
  map.replica(op.groups, Expr());  // the first replica of the group
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

// Toward the output, every group member reads the operand of the first member and nobody reads the others.
IndexingSet broadcast_back(const OpQuery& q, const CollectiveOp& op) {
  if (!same_place(q)) return {};
  MapBuilder map(q.in());
  map.whole_group(op.groups);
  map.own_position(op.groups, Interval::point(0), Interval::of_extent(kAssumedGroupSize));
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

Problem read_ragged(const OpReader& reader, CollectiveOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(read_groups(reader, true, op.groups));
  return reader.must_be_written();
}

IndexingSet ragged(const OpQuery&, const CollectiveOp&) {
  return unknown_set("the sizes and positions of the slices are data dependent");
}

}  // namespace

constinit const OpRule kAllReduceRule =
    family_rule<CollectiveOp, read_same<true>, all_reduce, all_reduce>({.pairing = Pairing::results});
constinit const OpRule kAllGatherRule =
    family_rule<CollectiveOp, read_parts<true>, all_gather_to_input, all_gather_to_output>(
        {.pairing = Pairing::results});
constinit const OpRule kAllGatherStartRule =
    family_rule<CollectiveOp, read_gather_start, start_to_input, start_to_output>(
        {.pairing = Pairing::started});
constinit const OpRule kReduceScatterRule =
    family_rule<CollectiveOp, read_parts<false>, reduce_scatter_to_input, reduce_scatter_to_output>(
        {.pairing = Pairing::results});
constinit const OpRule kAllToAllRule =
    family_rule<CollectiveOp, read_all_to_all, all_to_all_to_input, all_to_all_to_output>();
constinit const OpRule kCollectiveBroadcastRule =
    family_rule<CollectiveOp, read_same<false>, broadcast, broadcast_back>({.pairing = Pairing::results});
constinit const OpRule kRaggedAllToAllRule = family_rule<CollectiveOp, read_ragged, ragged, ragged>();

}  // namespace tessera::detail
