// SPDX-License-Identifier: Apache-2.0
/// \file
/// pad: operand element x becomes element x * (interior + 1) + low of the result, if that exists.
#include "hlo/ops/pad.h"

#include <algorithm>

#include "hlo/ops/checked.h"
#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

constexpr Index kFar = Index{1} << 62;
constexpr const char* kValueReason = "only padding elements read the padding value";

Result<std::vector<PadRange>> padding(const OpQuery& q) {
  auto ranges = padding_of(q.op);
  if (!ranges) return ranges;
  const auto in = q.dims_of(0);
  const auto out = q.out();
  bool matches = ranges->size() == out.size() && in.size() == out.size();
  for (std::size_t i = 0; matches && i < out.size(); ++i) {
    const PadRange& r = (*ranges)[i];
    const Checked between = in[i] == 0 ? Checked(0) : Checked(in[i] - 1) * r.interior;
    const Checked extent = Checked(in[i]) + between + r.low + r.high;
    matches =
        r.interior >= 0 && (Checked(r.interior) + 1).valid() && extent.valid() && extent.value() == out[i];
  }
  if (!matches)
    return fail(Code::shape_mismatch, "the padding does not match the shapes of the operand and the result");
  return ranges;
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
IndexingSet value_maps(const OpQuery& q, Indexing all) {
  const auto ranges = padding(q);
  if (!ranges) return unknown_set(ranges.error());
  bool none = false;  // no element of the operand is in the result
  bool only = true;   // no other element is in the result
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    if ((*ranges)[i].low <= -kFar) return just(as_superset(std::move(all), kValueReason));
    const Index count = kept((*ranges)[i], q.dims_of(0)[i], q.out()[i]);
    none = none || count == 0;
    only = only && count == q.out()[i];
  }
  if (only) return just({.map = IndexMap::empty(all.map.domain(), all.map.results().size())});
  return just(none ? std::move(all) : as_superset(std::move(all), kValueReason));
}

IndexingSet pad_to_input(const OpQuery& q) {
  if (q.operand == 1) return value_maps(q, scalar_indexing(q.out()));
  const auto ranges = padding(q);
  if (!ranges) return unknown_set(ranges.error());
  MapBuilder map(q.out());
  auto simplification = MapBuilder::Simplification::none;
  std::vector<Expr> results;
  results.reserve(ranges->size());
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    const auto [low, high, interior] = (*ranges)[i];
    const Index extent = q.in()[i];
    if (extent == 0) {
      map.nothing();
      results.emplace_back();
      continue;
    }
    // The last element is at (extent - 1) * (interior + 1) + low, which is out - 1 - high.
    map.constrain(map.dim(i), {std::max<Index>(0, low), std::min(q.out()[i] - 1, q.out()[i] - 1 - high)});
    const Expr inside = map.dim(i) - low;
    if (interior == 0 || extent == 1) {
      if (interior != 0) map.constrain(map.dim(i), {low, low});
      results.push_back(inside);
      continue;
    }
    simplification = MapBuilder::Simplification::preserve_points;
    map.constrain(mod(inside, interior + 1), {0, 0});
    results.push_back(floor_div(inside, interior + 1));
  }
  return just(std::move(map).build(std::move(results), simplification));
}

IndexingSet pad_to_output(const OpQuery& q) {
  if (q.operand == 1) return value_maps(q, whole_indexing(q.in(), q.out()));
  const auto ranges = padding(q);
  if (!ranges) return unknown_set(ranges.error());
  MapBuilder map(q.in());
  auto simplification = MapBuilder::Simplification::none;
  std::vector<Expr> results;
  results.reserve(ranges->size());
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    const auto [low, high, interior] = (*ranges)[i];
    if (q.out()[i] == 0) map.nothing();
    const Expr at = map.dim(i) * (interior + 1) + low;
    if (low < 0 || high < 0) {
      map.constrain(at, {0, q.out()[i] - 1});
      simplification = MapBuilder::Simplification::preserve_points;
    }
    results.push_back(at);
  }
  return just(std::move(map).build(std::move(results), simplification));
}

}  // namespace

bool reads_padding_value(const Instruction& pad) {
  const auto ranges = padding_of(pad);
  if (!ranges || !pad.type.is_array() || !pad.operand_type(0).is_array() || !pad.type.array().is_static() ||
      !pad.operand_type(0).array().is_static())
    return false;
  const auto in = pad.operand_type(0).dims();
  const auto out = pad.type.dims();
  if (ranges->size() != out.size() || in.size() != out.size()) return false;
  bool padded = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 || (*ranges)[i].low <= -kFar) return false;
    padded = padded || kept((*ranges)[i], in[i], out[i]) < out[i];
  }
  return padded;
}

constinit const OpRule kPadRule{pad_to_input, pad_to_output};

}  // namespace tessera::detail
