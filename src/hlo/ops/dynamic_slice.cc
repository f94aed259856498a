// SPDX-License-Identifier: Apache-2.0
/// \file
/// dynamic-slice(x, starts...) and dynamic-update-slice(x, update, starts...): a box at a runtime start,
/// clamped so that the box stays inside.
#include <algorithm>
#include <optional>
#include <vector>

#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/outside_box.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

constexpr const char* kOverwritten = "includes the elements that the update overwrites";

// A box with extents `box` in an array with extents `whole`. Its starts are the operands from `first` on: one
// scalar per dimension, or one vector.
struct SlicedBox {
  std::span<const Index> whole;
  std::span<const Index> box;
  std::size_t first;
};

bool valid(const OpQuery& q, const SlicedBox& b) {
  if (b.whole.size() != b.box.size() || q.op.operands.size() < b.first) return false;
  for (std::size_t i = 0; i < b.whole.size(); ++i) {
    if (b.box[i] < 0 || b.box[i] > b.whole[i]) return false;
  }
  const std::size_t starts = q.op.operands.size() - b.first;
  if (starts == 1 && q.dims_of(b.first).size() == 1) {
    return q.dims_of(b.first)[0] == static_cast<Index>(b.whole.size());
  }
  for (std::size_t i = 0; i < starts; ++i) {
    if (!q.dims_of(b.first + i).empty()) return false;
  }
  return starts == b.whole.size();
}

// Declares a runtime variable for the start in each dimension.
std::vector<Expr> declare_starts(MapBuilder& map, const OpQuery& q, const SlicedBox& b) {
  std::vector<Expr> starts;
  const bool vector = q.op.operands.size() == b.first + 1 && q.dims_of(b.first).size() == 1;
  for (std::size_t i = 0; i < b.whole.size(); ++i) {
    const Interval range{0, b.whole[i] - b.box[i]};
    const Operand& source = q.op.operands[vector ? b.first : b.first + i];
    starts.push_back(
        map.runtime(range, range, source,
                    vector ? std::vector{Expr::constant(static_cast<Index>(i))} : std::vector<Expr>()));
  }
  return starts;
}

// From an index of the box to the element of the whole array.
IndexingSet outwards(const OpQuery& q, const SlicedBox& b) {
  if (!valid(q, b)) return bad_shape(q);
  MapBuilder map(b.box);
  const std::vector<Expr> starts = declare_starts(map, q, b);
  std::vector<Expr> results;
  for (std::size_t i = 0; i < starts.size(); ++i) results.push_back(map.dim(i) + starts[i]);
  return just(known_starts(q, std::move(map).build(std::move(results))));
}

// From an index of the whole array to the element of the box, if it is inside.
IndexingSet inwards(const OpQuery& q, const SlicedBox& b) {
  if (!valid(q, b)) return bad_shape(q);
  MapBuilder map(b.whole);
  const std::vector<Expr> starts = declare_starts(map, q, b);
  std::vector<Expr> results;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    results.push_back(map.dim(i) - starts[i]);
    if (b.box[i] == 0) map.nothing();
    map.constrain(results.back(), {0, b.box[i] - 1});
  }
  return just(known_starts(q, std::move(map).build(std::move(results))));
}

// Every output element reads all starts.
IndexingSet starts_to_input(const OpQuery& q) { return just(whole_indexing(q.out(), q.in())); }
IndexingSet starts_to_output(const OpQuery& q) { return just(whole_indexing(q.in(), q.out())); }

SlicedBox slice_box(const OpQuery& q) { return {.whole = q.dims_of(0), .box = q.out(), .first = 1}; }

IndexingSet dynamic_slice_to_input(const OpQuery& q) {
  return q.operand == 0 ? outwards(q, slice_box(q)) : starts_to_input(q);
}

IndexingSet dynamic_slice_to_output(const OpQuery& q) {
  return q.operand == 0 ? inwards(q, slice_box(q)) : starts_to_output(q);
}

SlicedBox update_box(const OpQuery& q) { return {.whole = q.out(), .box = q.dims_of(1), .first = 2}; }

// Where the box starts; empty if the program does not determine it.
std::optional<std::vector<Index>> known_corner(const OpQuery& q, const SlicedBox& b) {
  if (!valid(q, b)) return std::nullopt;
  MapBuilder map({});
  Indexing x = known_starts(q, std::move(map).build(declare_starts(map, q, b)));
  std::vector<Index> corner;
  for (const Expr& start : x.map.results()) {
    if (!start.is_constant()) return std::nullopt;
    corner.push_back(start.value());
  }
  return corner;
}

// The elements of the operand stay in place, except those in the box of the update.
IndexingSet kept(const OpQuery& q) {
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const SlicedBox b = update_box(q);
  if (valid(q, b) && std::ranges::find(b.box, 0) != b.box.end()) return just(identity_indexing(q.out()));
  const auto corner = known_corner(q, b);
  if (!corner) return just(as_superset(identity_indexing(q.out()), kOverwritten));
  std::vector<Domain> parts{Domain::box(q.out())};
  remove_box(parts, *corner, b.box);
  return identities(q.out(), std::move(parts));
}

IndexingSet update_to_input(const OpQuery& q) {
  if (q.operand == 0) return kept(q);
  return q.operand == 1 ? inwards(q, update_box(q)) : starts_to_input(q);
}

IndexingSet update_to_output(const OpQuery& q) {
  if (q.operand == 0) return kept(q);
  return q.operand == 1 ? outwards(q, update_box(q)) : starts_to_output(q);
}

}  // namespace

constinit const OpRule kDynamicSliceRule{dynamic_slice_to_input, dynamic_slice_to_output};
constinit const OpRule kDynamicUpdateSliceRule{update_to_input, update_to_output};

}  // namespace tessera::detail
