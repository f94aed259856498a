// SPDX-License-Identifier: Apache-2.0
/// \file
/// broadcast, transpose, reverse, slice, concatenate: elements move.
#include <algorithm>

#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// Reads `dimensions`: `count` distinct numbers below `rank`. If they are invalid, returns false and stores
// the answer in `failure`.
bool read_dims(const OpQuery& q, std::size_t count, std::size_t rank, std::vector<Index>& dims,
               IndexingSet& failure) {
  auto read = ints_of(q.op, "dimensions", {});
  if (!read) {
    failure = unknown_set(read.error());
    return false;
  }
  dims = std::move(*read);
  bool matches = dims.size() == count;
  for (auto d = dims.begin(); matches && d != dims.end(); ++d) {
    matches = 0 <= *d && *d < static_cast<Index>(rank) && std::find(dims.begin(), d, *d) == d;
  }
  if (!matches) failure = bad_shape(q);
  return matches;
}

// broadcast: operand dimension i is output dimension dims[i].

bool broadcast_dims(const OpQuery& q, std::vector<Index>& dims, IndexingSet& failure) {
  if (!read_dims(q, q.in().size(), q.out().size(), dims, failure)) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (q.in()[i] == q.out()[static_cast<std::size_t>(dims[i])]) continue;
    failure = bad_shape(q);
    return false;
  }
  return true;
}

IndexingSet broadcast_to_input(const OpQuery& q) {
  std::vector<Index> dims;
  IndexingSet failure;
  if (!broadcast_dims(q, dims, failure)) return failure;
  MapBuilder map(q.out());
  std::vector<Expr> results;
  results.reserve(dims.size());
  for (const Index d : dims) results.push_back(map.dim(static_cast<std::size_t>(d)));
  return just(std::move(map).build(std::move(results)));
}

IndexingSet broadcast_to_output(const OpQuery& q) {
  const auto out = q.out();
  std::vector<Index> dims;
  IndexingSet failure;
  if (!broadcast_dims(q, dims, failure)) return failure;
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto from = std::ranges::find(dims, static_cast<Index>(i));
    results.push_back(from == dims.end() ? map.range(out[i])
                                         : map.dim(static_cast<std::size_t>(from - dims.begin())));
  }
  return just(std::move(map).build(std::move(results)));
}

// transpose: output dimension i is operand dimension dims[i].

IndexingSet transpose_to_input(const OpQuery& q) {
  std::vector<Index> dims;
  IndexingSet failure;
  if (!read_dims(q, q.out().size(), q.in().size(), dims, failure)) return failure;
  MapBuilder map(q.out());
  std::vector<Expr> results(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) results[static_cast<std::size_t>(dims[i])] = map.dim(i);
  return just(std::move(map).build(std::move(results)));
}

IndexingSet transpose_to_output(const OpQuery& q) {
  std::vector<Index> dims;
  IndexingSet failure;
  if (!read_dims(q, q.in().size(), q.in().size(), dims, failure)) return failure;
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(dims.size());
  for (const Index d : dims) results.push_back(map.dim(static_cast<std::size_t>(d)));
  return just(std::move(map).build(std::move(results)));
}

// A dynamic dimension may have any size up to its bound, so a position counted from its end varies.
constexpr const char* kSizeIsData = "positions depend on the sizes of dynamic dimensions";

// reverse, its own inverse.

IndexingSet reverse_either(const OpQuery& q) {
  const auto extents = q.out();
  if (!std::ranges::equal(extents, q.in())) return bad_shape(q);
  const auto dims = ints_of(q.op, "dimensions");
  if (!dims) return unknown_set(dims.error());
  MapBuilder map(extents);
  std::vector<Expr> results = map.dims();
  bool dynamic = false;
  for (const Index d : *dims) {
    if (d < 0 || d >= static_cast<Index>(extents.size())) return bad_shape(q);
    const auto i = static_cast<std::size_t>(d);
    if (extents[i] <= 1) continue;
    Expr last = Expr::constant(extents[i] - 1);
    if (q.operand_type().array().dim_kind(i) != DimKind::fixed) {
      dynamic = true;
      last = map.range(extents[i]);
      map.constrain(last - map.dim(i), {0, extents[i] - 1});
    }
    results[i] = last - map.dim(i);
  }
  if (dynamic) return just(std::move(map).superset(std::move(results), kSizeIsData));
  return just(std::move(map).build(std::move(results)));
}

// slice: output i is operand start + i * stride.

Result<std::vector<SliceRange>> slice_of(const OpQuery& q) {
  auto ranges = slice_ranges_of(q.op);
  if (!ranges) return ranges;
  bool matches = ranges->size() == q.out().size() && q.in().size() == q.out().size();
  for (std::size_t i = 0; matches && i < ranges->size(); ++i) {
    const SliceRange& r = (*ranges)[i];
    // Within these bounds start + (extent - 1) * stride is below the operand's extent and cannot overflow.
    matches = 0 <= r.start && r.start <= r.limit && r.limit <= q.in()[i] && r.stride >= 1 &&
              q.out()[i] == (r.limit - r.start) / r.stride + ((r.limit - r.start) % r.stride != 0 ? 1 : 0);
  }
  if (!matches)
    return fail(Code::shape_mismatch, "the slice does not match the shapes of the operand and the result");
  return ranges;
}

IndexingSet slice_to_input(const OpQuery& q) {
  const auto ranges = slice_of(q);
  if (!ranges) return unknown_set(ranges.error());
  MapBuilder map(q.out());
  std::vector<Expr> results;
  results.reserve(ranges->size());
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    results.push_back(map.dim(i) * (*ranges)[i].stride + (*ranges)[i].start);
  }
  return just(std::move(map).build(std::move(results)));
}

IndexingSet slice_to_output(const OpQuery& q) {
  const auto ranges = slice_of(q);
  if (!ranges) return unknown_set(ranges.error());
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(ranges->size());
  auto simplification = MapBuilder::Simplification::none;
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    const auto [start, limit, stride] = (*ranges)[i];
    if (q.out()[i] == 0) map.nothing();
    const Index last = q.out()[i] == 0 ? start : (q.out()[i] - 1) * stride + start;
    map.constrain(map.dim(i), {start, last});
    if (stride == 1 || q.out()[i] == 1) {
      results.push_back(map.dim(i) - start);
      continue;
    }
    simplification = MapBuilder::Simplification::preserve_points;
    map.constrain(mod(map.dim(i) - start, stride), {0, 0});
    results.push_back(floor_div(map.dim(i) - start, stride));
  }
  return just(std::move(map).build(std::move(results), simplification));
}

// concatenate: operand j is at [offset, offset + extent) along the dimension, or up to `slack` earlier if
// dynamic operands come before it.

struct OperandPlace {
  std::size_t dim = 0;
  Index offset = 0;
  Index extent = 0;
  Index slack = 0;
};

// The place of each operand along the dimension.
Result<std::vector<OperandPlace>> make_places(const OpQuery& q) {
  const auto dims = ints_of(q.op, "dimensions");
  if (!dims) return Failure(dims.error());
  const auto mismatch = [] {
    return fail(Code::shape_mismatch,
                "the dimension and the shapes of the operands do not match the shape of the result");
  };
  if (dims->size() != 1 || dims->front() < 0 || dims->front() >= static_cast<Index>(q.out().size())) {
    return mismatch();
  }
  const auto dim = static_cast<std::size_t>(dims->front());
  std::vector<OperandPlace> places;
  Index end = 0;
  Index slack = 0;
  for (std::size_t j = 0; j < q.op.operands.size(); ++j) {
    const auto extents = q.dims_of(j);
    if (extents.size() != q.out().size()) return mismatch();
    places.push_back({dim, end, extents[dim], slack});
    const bool fixed = q.op.operand_type(j).array().dim_kind(dim) == DimKind::fixed;
    if (!fixed && add_overflows(slack, extents[dim], slack)) return mismatch();
    if (add_overflows(end, extents[dim], end)) return mismatch();
  }
  if (end != q.out()[dim]) return mismatch();
  return places;
}

const Result<std::vector<OperandPlace>>& places_of(const OpQuery& q) {
  return q.facts.once<Result<std::vector<OperandPlace>>>([&] { return make_places(q); });
}

IndexingSet concatenate_to_input(const OpQuery& q) {
  const auto& places = places_of(q);
  if (!places) return unknown_set(places.error());
  const OperandPlace& place = (*places)[q.operand];
  MapBuilder map(q.out());
  std::vector<Expr> results = map.dims();
  if (place.extent == 0) map.nothing();
  if (place.slack > 0) {
    const Expr at = map.dim(place.dim) - place.offset + map.range(place.slack + 1);
    map.constrain(at, {0, place.extent - 1});
    results[place.dim] = at;
    return just(std::move(map).superset(std::move(results), kSizeIsData));
  }
  map.constrain(map.dim(place.dim), {place.offset, place.offset + place.extent - 1});
  results[place.dim] = map.dim(place.dim) - place.offset;
  return just(std::move(map).build(std::move(results)));
}

IndexingSet concatenate_to_output(const OpQuery& q) {
  const auto& places = places_of(q);
  if (!places) return unknown_set(places.error());
  const OperandPlace& place = (*places)[q.operand];
  MapBuilder map(q.in());
  std::vector<Expr> results = map.dims();
  results[place.dim] = map.dim(place.dim) + place.offset;
  if (place.slack > 0) {
    results[place.dim] = results[place.dim] - map.range(place.slack + 1);
    return just(std::move(map).superset(std::move(results), kSizeIsData));
  }
  return just(std::move(map).build(std::move(results)));
}

}  // namespace

constinit const OpRule kBroadcastRule{broadcast_to_input, broadcast_to_output};
constinit const OpRule kTransposeRule{transpose_to_input, transpose_to_output};
constinit const OpRule kReverseRule{reverse_either, reverse_either};
constinit const OpRule kSliceRule{slice_to_input, slice_to_output};
constinit const OpRule kConcatenateRule{concatenate_to_input, concatenate_to_output};

}  // namespace tessera::detail
