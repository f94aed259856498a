// SPDX-License-Identifier: Apache-2.0
/// \file
/// broadcast, transpose, reverse, slice, concatenate: elements move.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/types.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"

namespace tessera::detail {
namespace {

// broadcast: operand dimension i is output dimension dims[i].

Problem read_broadcast(const OpReader& reader, DimsOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(reader.must_be_written());
  const auto from = reader.dims(0);
  const Attribute* attribute = reader.instruction().attribute("dimensions");
  if (attribute == nullptr && !from.empty()) {
    return reader.wrong(
        Code::missing_attribute,
        fmt::format("broadcast of {} needs the attribute 'dimensions'", short_text(reader.operand(0))),
        reader.instruction().opcode_span,
        "dimensions={...} names the result dimension of each operand dimension");
  }
  TESSERA_READ(dims, reader.ints_or_none("dimensions"));
  TESSERA_RULE(reader.gives(reader.dtype(0), reader.instruction().type.dims()));
  const auto to = reader.instruction().type.dims();
  if (dims.size() != from.size()) {
    return reader.wrong_attribute(Code::rank_mismatch, "dimensions",
                                  fmt::format("'dimensions' names {}, but the operand has {}",
                                              plural(dims.size(), "dimension"), from.size()));
  }
  TESSERA_RULE(reader.distinct_dims(attribute, dims, to.size()));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Index target = to[static_cast<std::size_t>(dims[i])];
    if (target == from[i]) continue;
    return reader.wrong_attribute(
        Code::shape_mismatch, "dimensions",
        fmt::format("operand dimension {} has extent {}, but result dimension {} has {}", i, from[i], dims[i],
                    target),
        from[i] == 1 ? "reshape the operand to drop the dimension of extent 1 first" : "");
  }
  op.dims = std::move(dims);
  return std::nullopt;
}

IndexingSet broadcast_to_input(const OpQuery& q, const DimsOp& op) {
  MapBuilder map(q.out());
  std::vector<Expr> results;
  results.reserve(op.dims.size());
  for (const Index d : op.dims) results.push_back(map.dim(as_size(d)));
  return just(std::move(map).build(std::move(results)));
}

IndexingSet broadcast_to_output(const OpQuery& q, const DimsOp& op) {
  const auto out = q.out();
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto from = std::ranges::find(op.dims, static_cast<Index>(i));
    results.push_back(from == op.dims.end() ? map.range(out[i])
                                            : map.dim(static_cast<std::size_t>(from - op.dims.begin())));
  }
  return just(std::move(map).build(std::move(results)));
}

// transpose: output dimension i is operand dimension dims[i].

Problem read_transpose(const OpReader& reader, DimsOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(permutation, reader.ints("dimensions"));
  const auto from = reader.dims(0);
  if (permutation.size() != from.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "dimensions",
        fmt::format("'dimensions' lists {}, but the operand has {}", plural(permutation.size(), "dimension"),
                    from.size()),
        "list every operand dimension once: result dimension i is operand dimension dimensions[i]");
  }
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("dimensions"), permutation, from.size()));
  std::vector<Index> dims;
  for (const Index p : permutation) dims.push_back(from[static_cast<std::size_t>(p)]);
  op.dims = std::move(permutation);
  return reader.gives(reader.dtype(0), dims);
}

IndexingSet transpose_to_input(const OpQuery& q, const DimsOp& op) {
  MapBuilder map(q.out());
  std::vector<Expr> results(op.dims.size());
  for (std::size_t i = 0; i < op.dims.size(); ++i) results[as_size(op.dims[i])] = map.dim(i);
  return just(std::move(map).build(std::move(results)));
}

IndexingSet transpose_to_output(const OpQuery& q, const DimsOp& op) {
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(op.dims.size());
  for (const Index d : op.dims) results.push_back(map.dim(as_size(d)));
  return just(std::move(map).build(std::move(results)));
}

// reverse, its own inverse.

Problem read_reverse(const OpReader& reader, DimsOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(dims, reader.ints("dimensions"));
  TESSERA_RULE(
      reader.distinct_dims(reader.instruction().attribute("dimensions"), dims, reader.dims(0).size()));
  op.dims = std::move(dims);
  return reader.gives(reader.dtype(0), reader.dims(0));
}

IndexingSet reverse_either(const OpQuery& q, const DimsOp& op) {
  const auto extents = q.out();
  MapBuilder map(extents);
  std::vector<Expr> results = map.dims();
  bool dynamic = false;
  for (const Index d : op.dims) {
    const std::size_t i = as_size(d);
    if (extents[i] <= 1) continue;
    Expr last = Expr::constant(extents[i] - 1);
    if (q.operand_type().array().dim_kind(i) != DimKind::fixed) {
      if (op.operand_size(0, i).empty()) {
        dynamic = true;
        last = map.range(extents[i]);
      } else {
        last = map.size(std::string(op.operand_size(0, i)), {0, extents[i]}) - 1;
      }
      map.constrain(last - map.dim(i), {0, extents[i] - 1});
    }
    results[i] = last - map.dim(i);
  }
  if (dynamic) return just(std::move(map).superset(std::move(results), kSizeIsData));
  return just(std::move(map).build(std::move(results)));
}

// slice: output i is operand start + i * stride.

struct SliceOp : OpValue {
  std::vector<SliceRange> ranges;
};

// The place of bracket `nth` of an attribute value.
Span bracket_span(const Attribute& attribute, std::size_t nth) {
  std::size_t open = attribute.value.find('[');
  while (nth-- > 0 && open != std::string_view::npos) open = attribute.value.find('[', open + 1);
  const std::size_t close = open == std::string_view::npos ? open : attribute.value.find(']', open);
  if (close == std::string_view::npos) return attribute.span;
  const auto begin = static_cast<std::uint32_t>(attribute.span.begin + open);
  return {begin, begin + static_cast<std::uint32_t>(close + 1 - open)};
}

Problem read_slice(const OpReader& reader, SliceOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(ranges, reader.slice_ranges());
  const auto from = reader.dims(0);
  if (ranges.size() != from.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "slice",
        fmt::format("'slice' has {}, but the operand has {}", plural(ranges.size(), "range"),
                    plural(from.size(), "dimension")));
  }
  std::vector<Index> dims;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& range = ranges[i];
    const auto wrong = [&](std::string message) {
      return reader.wrong(
          Code::bad_attribute, std::move(message), bracket_span(*reader.instruction().attribute("slice"), i),
          fmt::format("write [start:limit:stride] with 0 <= start <= limit <= {} and stride >= 1", from[i]));
    };
    if (range.stride < 1)
      return wrong(fmt::format("the stride of dimension {} is {}; it must be at least 1", i, range.stride));
    if (range.limit < range.start) {
      return wrong(
          fmt::format("range [{}:{}] of dimension {} ends before it starts", range.start, range.limit, i));
    }
    if (range.start < 0 || range.limit > from[i]) {
      return wrong(fmt::format("range [{}:{}] of dimension {} is not inside its extent {}", range.start,
                               range.limit, i, from[i]));
    }
    dims.push_back(ceil_div(range.limit - range.start, range.stride));
  }
  op.ranges = std::move(ranges);
  return reader.gives(reader.dtype(0), dims);
}

IndexingSet slice_to_input(const OpQuery& q, const SliceOp& op) {
  MapBuilder map(q.out());
  std::vector<Expr> results;
  results.reserve(op.ranges.size());
  for (std::size_t i = 0; i < op.ranges.size(); ++i) {
    results.push_back(map.dim(i) * op.ranges[i].stride + op.ranges[i].start);
  }
  return just(std::move(map).build(std::move(results)));
}

IndexingSet slice_to_output(const OpQuery& q, const SliceOp& op) {
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(op.ranges.size());
  auto simplification = MapBuilder::Simplification::none;
  for (std::size_t i = 0; i < op.ranges.size(); ++i) {
    const auto [start, limit, stride] = op.ranges[i];
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
// dynamic operands come before it: `offset` - `slack` + their sizes, if those have names.

struct ConcatenateOp : OpValue {
  struct Place {
    Index offset = 0;
    Index extent = 0;
    Index slack = 0;
    Index before = 0;  // how many sizes are those of operands before it
    bool named = true;
    std::string own = {};  // the name of its own size; empty: the size is fixed, or has no name
    bool open = false;     // its size has no name, and another operand follows where it ends
  };
  struct Size {
    std::string name;
    Index most = 0;
  };
  std::vector<Size> dynamic = {};
  std::size_t dim = 0;
  std::vector<Place> places;  // by operand
};

Problem read_concatenate(const OpReader& reader, ConcatenateOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(list, reader.ints("dimensions"));
  TESSERA_RULE(reader.one_dimension(list));
  std::vector<Index> dims = copied(reader.dims(0));
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("dimensions"), list, dims.size()));
  const std::size_t axis = as_size(list[0]);
  op.dim = axis;
  for (std::size_t k = 1; k < reader.operand_count(); ++k) {
    const auto other = reader.dims(k);
    bool matches = other.size() == dims.size() && same_element_type(reader.dtype(k), reader.dtype(0));
    for (std::size_t i = 0; matches && i < dims.size(); ++i) matches = i == axis || other[i] == dims[i];
    if (!matches) {
      return reader.wrong_operand(
          Code::shape_mismatch, k,
          fmt::format("operand {} of concatenate is {}, which differs from operand 0, {}, outside "
                      "dimension {}",
                      k, short_text(reader.operand(k)), short_text(reader.operand(0)), axis));
    }
    if (add_overflows(dims[axis], other[axis], dims[axis])) {
      return reader.wrong(
          Code::overflow,
          fmt::format("the sum of the extents of dimension {} does not fit in 64 bits", axis));
    }
  }
  Index end = 0;
  Index slack = 0;
  bool named = true;
  for (std::size_t k = 0; k < reader.operand_count(); ++k) {
    const Index extent = reader.dims(k)[axis];
    op.places.push_back(
        {.offset = end, .extent = extent, .slack = slack, .before = std::ssize(op.dynamic), .named = named});
    end += extent;
    if (!reader.is_dynamic(k, axis)) continue;
    slack += extent;
    std::string& own = op.places.back().own;
    own = op.operand_size(k, axis);
    named = named && !own.empty();
    op.places.back().open = own.empty() && k + 1 < reader.operand_count();
    op.dynamic.push_back({own, extent});
  }
  return reader.gives(reader.dtype(0), dims);
}

// Where an operand after dynamic ones begins.
Expr begin_of(MapBuilder& map, const ConcatenateOp& op, const ConcatenateOp::Place& place) {
  Expr out = Expr::constant(place.offset - place.slack);
  for (Index i = 0; i < place.before; ++i) {
    const ConcatenateOp::Size& size = op.dynamic[as_size(i)];
    out = out + map.size(size.name, {0, size.most});
  }
  return out;
}

IndexingSet concatenate_to_input(const OpQuery& q, const ConcatenateOp& op) {
  const ConcatenateOp::Place& place = op.places[q.operand];
  MapBuilder map(q.out());
  std::vector<Expr> results = map.dims();
  if (place.extent == 0) map.nothing();
  if (place.named && !place.open && (place.slack > 0 || !place.own.empty())) {
    const Expr at = map.dim(op.dim) - begin_of(map, op, place);
    map.constrain(at, {0, place.extent - 1});
    if (!place.own.empty()) map.end_at_size(at, place.own, place.extent);
    results[op.dim] = at;
    return just(std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points));
  }
  if (place.slack > 0) {
    const Expr at = map.dim(op.dim) - place.offset + map.range(place.slack + 1);
    map.constrain(at, {0, place.extent - 1});
    results[op.dim] = at;
    return just(std::move(map).superset(std::move(results), kSizeIsData));
  }
  map.constrain(map.dim(op.dim), {place.offset, place.offset + place.extent - 1});
  results[op.dim] = map.dim(op.dim) - place.offset;
  if (place.open) return just(std::move(map).superset(std::move(results), kSizeIsData));
  return just(std::move(map).build(std::move(results)));
}

IndexingSet concatenate_to_output(const OpQuery& q, const ConcatenateOp& op) {
  const ConcatenateOp::Place& place = op.places[q.operand];
  MapBuilder map(q.in());
  std::vector<Expr> results = map.dims();
  if (place.named && (place.slack > 0 || !place.own.empty())) {
    results[op.dim] = map.dim(op.dim) + begin_of(map, op, place);
    map.constrain(results[op.dim], {0, q.out()[op.dim] - 1});
    if (!place.own.empty()) map.end_at_size(map.dim(op.dim), place.own, place.extent);
    return just(std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points));
  }
  results[op.dim] = map.dim(op.dim) + place.offset;
  if (place.slack > 0) {
    results[op.dim] = results[op.dim] - map.range(place.slack + 1);
    return just(std::move(map).superset(std::move(results), kSizeIsData));
  }
  return just(std::move(map).build(std::move(results)));
}

}  // namespace

constinit const OpRule kBroadcastRule =
    family_rule<DimsOp, read_broadcast, broadcast_to_input, broadcast_to_output>();
constinit const OpRule kTransposeRule =
    family_rule<DimsOp, read_transpose, transpose_to_input, transpose_to_output>();
constinit const OpRule kReverseRule = family_rule<DimsOp, read_reverse, reverse_either, reverse_either>();
constinit const OpRule kSliceRule = family_rule<SliceOp, read_slice, slice_to_input, slice_to_output>();
constinit const OpRule kConcatenateRule =
    family_rule<ConcatenateOp, read_concatenate, concatenate_to_input, concatenate_to_output>();

}  // namespace tessera::detail
