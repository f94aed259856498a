// SPDX-License-Identifier: Apache-2.0
// The folder morello: packed layouts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/index_walk.h"
#include "runner/check.h"
#include "tessera/notation/packed_layout.h"

namespace tessera::vectors {
namespace {

using Indices = std::vector<Index>;

Json dims_of(const PackedLayout& layout) {
  Json dims = Json::array();
  for (const PackedDim& d : layout.dims()) {
    switch (d.kind) {
      case PackedDim::Kind::dynamic:
        dims.push_back({d.dim, "dynamic"});
        break;
      case PackedDim::Kind::packed:
        dims.push_back({d.dim, "packed", d.size});
        break;
      case PackedDim::Kind::odd_even:
        dims.push_back({d.dim, "oddeven", d.size});
        break;
    }
  }
  return dims;
}

VectorResult morello_parse_print(const Json& row) {
  const auto layout = parse_packed_layout(text_of(row, "text"));
  if (!layout) return VectorResult::fail(text_of(row, "print"), to_string(layout.error()));
  if (const Json dims = dims_of(*layout); dims != row["dims"])
    return VectorResult::fail(row["dims"].dump(), dims.dump());
  if (layout->contig() != row["contig"])
    return VectorResult::fail(row["contig"].dump(), std::to_string(layout->contig()));
  const std::string print = to_string(*layout);
  const bool same = parse_packed_layout(print).value_or(PackedLayout()) == *layout;
  return VectorResult::when(same && Json(print) == row["print"], text_of(row, "print"), print);
}

VectorResult fails_with(const Json& row, const Result<void>& result) {
  const std::string got = result ? "no error" : std::string(to_string(result.error().code));
  return VectorResult::when(Json(got) == row["error"], text_of(row, "error"), got);
}

template <class T>
Result<void> without_value(const Result<T>& result) {
  return result ? Result<void>() : Result<void>(fail(result.error()));
}

VectorResult morello_malformed(const Json& row) {
  return fails_with(row, without_value(parse_packed_layout(text_of(row, "text"))));
}

VectorResult expanded(const Json& row) {
  const auto layout = parse_packed_layout(text_of(row, "layout"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  const auto extents = expand(*layout, indices(row["shape"]));
  if (row.contains("error")) return fails_with(row, without_value(extents));
  if (!extents) return VectorResult::fail(row["physical"].dump(), to_string(extents.error()));
  return VectorResult::when(*extents == indices(row["physical"]), row["physical"].dump(),
                            Json(*extents).dump());
}

// `points` is a list of [index, offset].
VectorResult offsets(const Json& row, const Json& points) {
  const auto layout = parse_packed_layout(text_of(row, "layout"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  for (const Json& point : points) {
    const auto at = offset(*layout, indices(row["shape"]), indices(point[0]));
    if (!at || *at != point[1]) {
      return VectorResult::fail(point.dump(), at ? std::to_string(*at) : to_string(at.error()));
    }
  }
  return VectorResult::pass();
}

VectorResult morello_index(const Json& row) { return offsets(row, row["points"]); }

VectorResult morello_tables(const Json& row) {
  const Indices shape = indices(row["shape"]);
  Json points = Json::array();
  Indices at(shape.size(), 0);
  for (const Json& value : row["offsets"]) {
    points.push_back({at, value});
    detail::next_index(at, shape);
  }
  return offsets(row, points);
}

VectorResult transform(const Json& row) {
  const auto layout = parse_packed_layout(text_of(row, "layout"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  const std::string op = text_of(row, "op");
  Result<PackedLayout> result = PackedLayout();
  if (op == "canonicalize") {
    result = canonicalize(*layout, indices(row["shape"]));
  } else if (op == "tile") {
    result = tile(*layout, indices(row["shape"]), indices(row["tile"]));
  } else if (op == "drop") {
    result = drop_dims(*layout, indices(row["dims"]));
  } else if (op == "swap") {
    result = swap_dims(*layout, row["dims"][0].get<Index>(), row["dims"][1].get<Index>());
  } else {
    return unknown_op(row);
  }
  if (row.contains("error")) return fails_with(row, without_value(result));
  if (!result) return VectorResult::fail(text_of(row, "result"), to_string(result.error()));
  return VectorResult::when(Json(to_string(*result)) == row["result"], text_of(row, "result"),
                            to_string(*result));
}

const Register kMorelloParsePrint = row_check("morello", "parse_print.jsonl", morello_parse_print);
const Register kMorelloMalformed = row_check("morello", "malformed.jsonl", morello_malformed);
const Register kExpand = row_check("morello", "expand.jsonl", expanded);
const Register kMorelloIndex = row_check("morello", "index.jsonl", morello_index);
const Register kMorelloTables = row_check("morello", "tables.jsonl", morello_tables);
const Register kTransform = row_check("morello", "transform.jsonl", transform);

}  // namespace
}  // namespace tessera::vectors
