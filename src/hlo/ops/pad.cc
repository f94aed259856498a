// SPDX-License-Identifier: Apache-2.0
/// \file
/// pad: operand element x becomes element x * (interior + 1) + low of the result, if that exists.
#include "hlo/ops/pad.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hlo/check/types.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

constexpr Index kFar = Index{1} << 62;
constexpr const char* kValueReason = "only padding elements read the padding value";

struct PadOp : OpValue {
  std::vector<PadRange> ranges;
};

Problem read_pad(const OpReader& reader, PadOp& op) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(reader.operand_is_scalar(1, "the padding value"));
  if (!same_element_type(reader.dtype(0), reader.dtype(1))) {
    return reader.wrong_operand(
        Code::shape_mismatch, 1,
        fmt::format("the padding value of pad has type {}, but operand 0 has elements of {}",
                    to_string(reader.dtype(1)), to_string(reader.dtype(0))));
  }
  TESSERA_READ(ranges, reader.padding());
  const auto from = reader.dims(0);
  if (ranges.size() != from.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "padding",
        fmt::format("'padding' has {}, but the operand has {}", plural(ranges.size(), "group"),
                    plural(from.size(), "dimension")),
        "one low_high[_interior] for each dimension, joined by 'x'");
  }
  std::vector<Index> dims;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const PadRange& range = ranges[i];
    if (range.interior < 0) {
      return reader.wrong_attribute(
          Code::bad_attribute, "padding",
          fmt::format("the interior padding of dimension {} is {}; it must not be negative", i,
                      range.interior));
    }
    Index inside = 0;
    Index extent = 0;
    if (mul_overflows(std::max<Index>(from[i] - 1, 0), range.interior, inside) ||
        add_overflows(from[i], inside, extent) || add_overflows(extent, range.low, extent) ||
        add_overflows(extent, range.high, extent)) {
      return reader.wrong_attribute(
          Code::overflow, "padding",
          fmt::format("the padded extent of dimension {} does not fit in 64 bits", i));
    }
    if (extent < 0) {
      return reader.wrong_attribute(
          Code::bad_attribute, "padding",
          fmt::format("the padding of dimension {} would leave an extent of {}", i, extent),
          "negative padding can remove at most as many elements as there are");
    }
    dims.push_back(extent);
  }
  op.ranges = std::move(ranges);
  return reader.gives(reader.dtype(0), dims);
}

// How many elements of a dimension of the operand the result keeps.
Index kept(const PadRange& r, Index in, Index out) {
  if (in == 0 || out == 0) return 0;
  const Index step = r.interior + 1;
  const Index first = r.low >= 0 ? 0 : ceil_div(-r.low, step);
  const Index last = std::min(in - 1, floor_div(out - 1 - r.low, step));
  return std::max<Index>(last - first + 1, 0);
}

// The padding value: `all` if every element of the result reads it, empty if none does.
IndexingSet value_maps(const OpQuery& q, const PadOp& op, Indexing all) {
  bool none = false;  // no element of the operand is in the result
  bool only = true;   // no other element is in the result
  for (std::size_t i = 0; i < op.ranges.size(); ++i) {
    if (op.ranges[i].low <= -kFar) return just(as_superset(std::move(all), kValueReason));
    const Index count = kept(op.ranges[i], q.dims_of(0)[i], q.out()[i]);
    none = none || count == 0;
    only = only && count == q.out()[i];
  }
  if (only) return just({.map = IndexMap::empty(all.map.domain(), all.map.results().size())});
  return just(none ? std::move(all) : as_superset(std::move(all), kValueReason));
}

// Of an operand with elements: `inside`, a place without the low padding, is at most `end` after its last
// element. False if the size of the dimension has no name.
bool ends_at_size(MapBuilder& map, const PadOp& op, std::size_t dim, Index extent, Expr inside, Index end) {
  if (op.operand_size(0, dim).empty()) return false;
  const Index step = op.ranges[dim].interior + 1;
  const Expr last = (map.size(std::string(op.operand_size(0, dim)), {1, extent}) - 1) * step;
  map.constrain(inside - last, {std::min((1 - extent) * step, end), end});
  return true;
}

IndexingSet pad_to_input(const OpQuery& q, const PadOp& op) {
  if (q.operand == 1) return value_maps(q, op, scalar_indexing(q.out()));
  MapBuilder map(q.out());
  auto simplification = MapBuilder::Simplification::none;
  bool open = false;
  std::vector<Expr> results;
  results.reserve(op.ranges.size());
  for (std::size_t i = 0; i < op.ranges.size(); ++i) {
    const auto [low, high, interior] = op.ranges[i];
    const Index extent = q.in()[i];
    if (extent == 0) {
      map.nothing();
      results.emplace_back();
      continue;
    }
    // The last element is at (extent - 1) * (interior + 1) + low, which is out - 1 - high.
    map.constrain(map.dim(i), {std::max<Index>(0, low), std::min(q.out()[i] - 1, q.out()[i] - 1 - high)});
    const Expr inside = map.dim(i) - low;
    // The padding of a dynamic dimension begins where its own size ends.
    if (high > 0 && q.operand_type().array().dim_kind(i) != DimKind::fixed) {
      simplification = MapBuilder::Simplification::preserve_points;
      open = !ends_at_size(map, op, i, extent, inside, 0) || open;
    }
    if (interior == 0 || extent == 1) {
      if (interior != 0) map.constrain(map.dim(i), {low, low});
      results.push_back(inside);
      continue;
    }
    simplification = MapBuilder::Simplification::preserve_points;
    map.constrain(mod(inside, interior + 1), {0, 0});
    results.push_back(floor_div(inside, interior + 1));
  }
  if (open) return just(std::move(map).superset(std::move(results), kSizeIsData, simplification));
  return just(std::move(map).build(std::move(results), simplification));
}

IndexingSet pad_to_output(const OpQuery& q, const PadOp& op) {
  if (q.operand == 1) return value_maps(q, op, whole_indexing(q.in(), q.out()));
  MapBuilder map(q.in());
  auto simplification = MapBuilder::Simplification::none;
  bool open = false;
  std::vector<Expr> results;
  results.reserve(op.ranges.size());
  for (std::size_t i = 0; i < op.ranges.size(); ++i) {
    const auto [low, high, interior] = op.ranges[i];
    if (q.out()[i] == 0) map.nothing();
    const Expr at = map.dim(i) * (interior + 1) + low;
    if (low < 0 || high < 0) {
      map.constrain(at, {0, q.out()[i] - 1});
      simplification = MapBuilder::Simplification::preserve_points;
    }
    // What a negative padding crops is counted from where the own size ends.
    if (high < 0 && q.in()[i] > 0 && q.operand_type().array().dim_kind(i) != DimKind::fixed)
      open = !ends_at_size(map, op, i, q.in()[i], at - low, high) || open;
    results.push_back(at);
  }
  if (open) return just(std::move(map).superset(std::move(results), kSizeIsData, simplification));
  return just(std::move(map).build(std::move(results), simplification));
}

}  // namespace

bool reads_padding_value(const Instruction& pad) {
  const auto op = value_of<PadOp>(pad);
  if (op == nullptr || !pad.type.is_array() || !pad.operand_type(0).is_array() ||
      !pad.type.array().is_static() || !pad.operand_type(0).array().is_static())
    return false;
  const auto in = pad.operand_type(0).dims();
  const auto out = pad.type.dims();
  bool padded = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 || op->ranges[i].low <= -kFar) return false;
    padded = padded || kept(op->ranges[i], in[i], out[i]) < out[i];
  }
  return padded;
}

constinit const OpRule kPadRule = family_rule<PadOp, read_pad, pad_to_input, pad_to_output>();

}  // namespace tessera::detail
