// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collectives: many replicas run the same program, and each result depends on the operands of a group of
/// replicas. A replica map gives a position in the group: that of the replica whose operand is read or,
/// toward the output, of the replica that reads.
#include "hlo/ops/collective.h"

#include <algorithm>

#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {

bool same_place(const OpQuery& q) { return q.op.operands.size() == 1 || q.output == q.operand; }

IndexingSet of_results(const OpQuery& q, IndexingSet (*rule)(const OpQuery&)) {
  const std::size_t count = q.op.operands.size();
  // With a single operand, the type may be that of the result alone, without a tuple.
  if (!q.op.type.is_tuple()) return rule(q);
  if (q.output < count) return q.output == q.operand ? just(identity_indexing(q.in())) : IndexingSet();
  if (q.output >= 2 * count || q.output - count != q.operand)
    return {};  // contexts, and results of other operands
  return rule(q);
}

namespace {

// Parsed once for all operands, because a list may have a million devices.
const Result<CollectiveGroups>& groups_of(const OpQuery& q) {
  return q.facts.once<Result<CollectiveGroups>>([&] { return CollectiveGroups::of(q.op); });
}

Result<std::size_t> dimension_of(const OpQuery& q, std::size_t rank) {
  const auto dims = ints_of(q.op, "dimensions");
  if (!dims) return Failure(dims.error());
  if (dims->size() != 1 || dims->front() < 0 || dims->front() >= static_cast<Index>(rank)) {
    return fail(Code::dim_out_of_range, "'dimensions' must name exactly one dimension of the operand");
  }
  return static_cast<std::size_t>(dims->front());
}

bool equal_but(std::span<const Index> a, std::span<const Index> b, std::size_t dim) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i != dim && a[i] != b[i]) return false;
  }
  return true;
}

// all-reduce: the same element of every group member.

IndexingSet all_reduce(const OpQuery& q) {
  if (!same_place(q)) return {};
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const auto& groups = groups_of(q);
  if (!groups) return unknown_set(groups.error());
  MapBuilder map(q.out());
  if (groups->size() != 1) map.whole_group(*groups);
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

// all-gather: the operands of the group, concatenated along a dimension.

IndexingSet gather_parts(const OpQuery& q, bool to_input) {
  const auto dim = dimension_of(q, q.out().size());
  if (!dim) return unknown_set(dim.error());
  if (!equal_but(q.in(), q.out(), *dim)) return bad_shape(q);
  const Index part = q.in()[*dim];
  const Index whole = q.out()[*dim];
  if (part < 0 || (part == 0 ? whole != 0 : whole % part != 0)) return bad_shape(q);
  MapBuilder map(to_input ? q.out() : q.in());
  std::vector<Expr> results = map.dims();
  if (part == 0) return just(std::move(map).build(std::move(results)));
  const Index members = whole / part;
  const auto& groups = groups_of(q);
  if (!groups) return unknown_set(groups.error());
  if (!to_input) {
    if (members == 0) map.nothing();
    map.whole_group(*groups);
    const Expr own = map.own_position(*groups, Interval::of_extent(std::max<Index>(members, 1)));
    results[*dim] = own * part + map.dim(*dim);
    return just(std::move(map).build(std::move(results)));
  }
  map.replica(*groups, members == 1 ? Expr() : floor_div(map.dim(*dim), part));
  if (part == 1) {
    results[*dim] = Expr();
  } else if (members > 1) {
    results[*dim] = mod(map.dim(*dim), part);
  }
  return just(std::move(map).build(std::move(results)));
}

IndexingSet all_gather_to_input(const OpQuery& q) {
  return same_place(q) ? gather_parts(q, true) : IndexingSet();
}
IndexingSet all_gather_to_output(const OpQuery& q) {
  return same_place(q) ? gather_parts(q, false) : IndexingSet();
}

IndexingSet start_to_input(const OpQuery& q) {
  return of_results(q, [](const OpQuery& r) { return gather_parts(r, true); });
}
IndexingSet start_to_output(const OpQuery& q) {
  return of_results(q, [](const OpQuery& r) { return gather_parts(r, false); });
}

// reduce-scatter: the sum over the group, cut into one part for each replica.

IndexingSet scatter_parts(const OpQuery& q, bool to_input) {
  if (!same_place(q)) return {};
  const auto dim = dimension_of(q, q.in().size());
  if (!dim) return unknown_set(dim.error());
  if (!equal_but(q.in(), q.out(), *dim)) return bad_shape(q);
  const Index part = q.out()[*dim];
  const Index whole = q.in()[*dim];
  if (part < 0 || (part == 0 ? whole != 0 : whole % part != 0)) return bad_shape(q);
  MapBuilder map(to_input ? q.out() : q.in());
  std::vector<Expr> results = map.dims();
  if (part == 0 || whole == 0) {
    map.nothing();
    return just(std::move(map).build(std::move(results)));
  }
  const Index members = whole / part;
  const auto& groups = groups_of(q);
  if (!groups) return unknown_set(groups.error());
  if (to_input) {
    map.replica(*groups, map.range(members));
    const Expr own = map.own_position(*groups, Interval::of_extent(members));
    results[*dim] = own * part + map.dim(*dim);
  } else {
    map.replica(*groups, members == 1 ? Expr() : floor_div(map.dim(*dim), part));
    if (part == 1) {
      results[*dim] = Expr();
    } else if (members > 1) {
      results[*dim] = mod(map.dim(*dim), part);
    }
  }
  return just(std::move(map).build(std::move(results)));
}

IndexingSet reduce_scatter_to_input(const OpQuery& q) { return scatter_parts(q, true); }
IndexingSet reduce_scatter_to_output(const OpQuery& q) { return scatter_parts(q, false); }

// all-to-all: part p goes to the replica at position p. With `dimensions` the parts are blocks of one operand
// along a dimension; without, each operand is a part.

IndexingSet exchange_blocks(const OpQuery& q) {
  const auto dim = dimension_of(q, q.out().size());
  if (!dim) return unknown_set(dim.error());
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const auto& groups = groups_of(q);
  if (!groups) return unknown_set(groups.error());
  const auto members = groups->groups().group_size();
  if (!members || *members < 1) return unknown_set("the size of the replica group is not known");
  const Index extent = q.out()[*dim];
  if (extent % *members != 0) return bad_shape(q);
  // Block p of replica q and block q of replica p are exchanged, so the map is the same in both directions.
  const Index block = extent / *members;
  MapBuilder map(q.out());
  std::vector<Expr> results = map.dims();
  if (block == 0) return just(std::move(map).build(std::move(results)));
  map.replica(*groups, *members == 1 ? Expr() : floor_div(map.dim(*dim), block));
  const Expr own = map.own_position(*groups, Interval::of_extent(*members));
  const Expr inside = block == 1 ? Expr() : *members == 1 ? map.dim(*dim) : mod(map.dim(*dim), block);
  results[*dim] = own * block + inside;
  return just(std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points));
}

// Output k on the replica at position p is operand p of the replica at position k.
IndexingSet exchange_operands(const OpQuery& q, bool to_input) {
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const auto& groups = groups_of(q);
  if (!groups) return unknown_set(groups.error());
  MapBuilder map(q.out());
  const auto own = static_cast<Index>(to_input ? q.operand : q.output);
  const auto other = static_cast<Index>(to_input ? q.output : q.operand);
  map.own_position(*groups, Interval::point(own),
                   Interval::of_extent(static_cast<Index>(q.op.operands.size())));
  map.replica(*groups, Expr::constant(other));
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

IndexingSet all_to_all_to_input(const OpQuery& q) {
  return q.op.attribute("dimensions") != nullptr ? exchange_blocks(q) : exchange_operands(q, true);
}
IndexingSet all_to_all_to_output(const OpQuery& q) {
  return q.op.attribute("dimensions") != nullptr ? exchange_blocks(q) : exchange_operands(q, false);
}

IndexingSet broadcast(const OpQuery& q) {
  if (!same_place(q)) return {};
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const auto& groups = groups_of(q);
  if (!groups) return unknown_set(groups.error());
  MapBuilder map(q.out());
  map.replica(*groups, Expr());  // the first replica of the group
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

// Toward the output, every group member reads the operand of the first member and nobody reads the others.
IndexingSet broadcast_back(const OpQuery& q) {
  if (!same_place(q)) return {};
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const auto& groups = groups_of(q);
  if (!groups) return unknown_set(groups.error());
  MapBuilder map(q.in());
  map.whole_group(*groups);
  map.own_position(*groups, Interval::point(0), Interval::of_extent(kMaxGroupSize));
  std::vector<Expr> results = map.dims();
  return just(std::move(map).build(std::move(results)));
}

IndexingSet ragged(const OpQuery&) {
  return unknown_set("the sizes and positions of the slices are data dependent");
}

}  // namespace

constinit const OpRule kAllReduceRule{all_reduce, all_reduce, false, Pairing::results};
constinit const OpRule kAllGatherRule{all_gather_to_input, all_gather_to_output, false, Pairing::results};
constinit const OpRule kAllGatherStartRule{start_to_input, start_to_output, false, Pairing::started};
constinit const OpRule kReduceScatterRule{reduce_scatter_to_input, reduce_scatter_to_output, false,
                                          Pairing::results};
constinit const OpRule kAllToAllRule{all_to_all_to_input, all_to_all_to_output};
constinit const OpRule kCollectiveBroadcastRule{broadcast, broadcast_back, false, Pairing::results};
constinit const OpRule kRaggedAllToAllRule{ragged, ragged};

}  // namespace tessera::detail
