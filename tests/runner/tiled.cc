// SPDX-License-Identifier: Apache-2.0
// The folder tiled: XLA types and layouts, their maps and sizes, shardings.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "runner/check.h"
#include "tessera/notation/sharding.h"
#include "tessera/notation/tensor_type.h"
#include "tessera/notation/tiled_map.h"
#include "tessera/reshard/distribution.h"

namespace tessera::vectors {
namespace {

using Indices = std::vector<Index>;

Json layout_value(const TiledLayout& layout) {
  Json tiles = Json::array();
  for (const auto& tile : layout.tiles) {
    Json entries = Json::array();
    for (const Index entry : tile) entries.push_back(entry == kCombine ? Json("*") : Json(entry));
    tiles.push_back(std::move(entries));
  }
  Json splits = Json::array();
  for (const auto& split : layout.splits) splits.push_back({{"dim", split.dim}, {"at", split.points}});
  return {{"minor_to_major", layout.minor_to_major},
          {"tiles", tiles},
          {"tail_align", layout.tail_align},
          {"element_bits", layout.element_bits},
          {"memory_space", layout.memory_space},
          {"splits", splits},
          {"metadata_prefix_bytes", layout.metadata_prefix_bytes}};
}

Json value_of(const HloType& type) {
  if (type.kind() == HloType::Kind::tuple) {
    Json elements = Json::array();
    for (const HloType& element : type.elements()) elements.push_back(value_of(element));
    return {{"tuple", std::move(elements)}};
  }
  if (type.kind() == HloType::Kind::buffer) return {{"buffer", value_of(type.elements()[0])}};
  const TensorType& array = type.array();
  Json value = {{"type", std::string(to_string(array.dtype))}};
  if (!is_array_type(array.dtype)) return value;
  Json dims = Json::array();
  Json dynamic = Json::array();
  for (std::size_t i = 0; i < array.dims.size(); ++i) {
    const DimKind kind = array.dim_kinds.empty() ? DimKind::fixed : array.dim_kinds[i];
    dims.push_back(kind == DimKind::unbounded ? Json() : Json(array.dims[i]));
    dynamic.push_back(kind != DimKind::fixed);
  }
  value["dims"] = std::move(dims);
  value["dynamic"] = std::move(dynamic);
  value["layout"] = array.layout         ? layout_value(*array.layout)
                    : array.dims.empty() ? layout_value({})
                                         : Json();
  return value;
}

VectorResult parse_print(const Json& row) {
  const std::string text = text_of(row, "text");
  const bool lenient = row.value("lenient", false);
  const auto type = parse_hlo_type(text, lenient ? ShapeMode::lenient : ShapeMode::strict);
  if (!type) return VectorResult::fail(text_of(row, "print"), to_string(type.error()));
  if (const Json value = value_of(*type); value != row["value"])
    return VectorResult::fail(row["value"].dump(), value.dump());
  const std::string print = to_string(*type);
  if (Json(print) != row["print"]) return VectorResult::fail(text_of(row, "print"), print);
  const auto again = parse_hlo_type(print);
  if (!again || value_of(*again) != row["value"])
    return VectorResult::fail("the value of " + print, "another one");
  if (row.contains("strict_ok")) {
    const bool strict = parse_hlo_type(text).has_value();
    return VectorResult::when(strict == row["strict_ok"], "strict " + row["strict_ok"].dump(),
                              strict ? "true" : "false");
  }
  return VectorResult::pass();
}

VectorResult malformed(const Json& row) {
  const std::string expected = text_of(row, "stage") + " " + text_of(row, "error");
  const auto read = read_hlo_type(text_of(row, "text"));
  if (!read)
    return VectorResult::when(expected == "parse " + std::string(to_string(read.error().code)), expected,
                              to_string(read.error()));
  const auto wrong = validate(*read);
  const std::string got = wrong ? "validate " + std::string(to_string(wrong->code)) : "no error";
  return VectorResult::when(got == expected, expected, got);
}

Result<TensorType> array_of(const Json& row) {
  const auto type = parse_hlo_type(text_of(row, "layout"));
  if (!type) return fail(type.error());
  if (!type->is_array()) return fail(Code::syntax, "not an array layout");
  return type->array();
}

VectorResult index(const Json& row) {
  const auto type = array_of(row);
  const auto map = type ? TiledMap::make(*type) : Result<TiledMap>(fail(type.error()));
  if (!map) return VectorResult::fail("a map", to_string(map.error()));
  for (const Json& point : row["points"]) {
    const auto at = map->offset(indices(point[0]));
    if (!at || *at != point[1])
      return VectorResult::fail(point.dump(), at ? std::to_string(*at) : to_string(at.error()));
  }
  for (const Json& point : row["inverse"]) {
    const auto cell = map->at(point[0].get<Index>());
    if (!cell) return VectorResult::fail(point.dump(), to_string(cell.error()));
    const Json got = cell->is_padding() ? Json() : Json(cell->index);
    if (got != point[1]) return VectorResult::fail(point.dump(), got.dump());
  }
  return VectorResult::pass();
}

VectorResult tables(const Json& row) {
  const auto type = array_of(row);
  const auto map = type ? TiledMap::make(*type) : Result<TiledMap>(fail(type.error()));
  if (!map) return VectorResult::fail("a map", to_string(map.error()));
  Json offsets = Json::array();
  Json memory(std::vector<Index>(static_cast<std::size_t>(map->buffer_elements()), -1));
  for (Index k = 0; k < map->elements(); ++k)
    offsets.push_back(map->offset_unchecked(detail::index_with_number(type->dims, k)));
  for (Index o = 0; o < map->buffer_elements(); ++o) {
    const TiledCell cell = map->at(o).value();
    if (cell.is_padding()) continue;
    Index number = 0;
    for (std::size_t i = 0; i < cell.index.size(); ++i) number = number * type->dims[i] + cell.index[i];
    memory[static_cast<std::size_t>(o)] = number;
  }
  if (offsets != row["offsets"]) return VectorResult::fail(row["offsets"].dump(), offsets.dump());
  return VectorResult::when(memory == row["memory"], row["memory"].dump(), memory.dump());
}

VectorResult sizes_of(const Json& row) {
  const auto type = array_of(row);
  const auto map = type ? TiledMap::make(*type) : Result<TiledMap>(fail(type.error()));
  if (!map) return VectorResult::fail("a map", to_string(map.error()));
  const auto bytes = sizes(*type);
  if (!bytes) return VectorResult::fail("sizes", to_string(bytes.error()));
  Json got = {{"expanded", Indices(map->expanded_shape().begin(), map->expanded_shape().end())},
              {"elements", map->elements()},
              {"tiled_elements", map->tiled_elements()},
              {"buffer_elements", map->buffer_elements()},
              {"padding_elements", map->padding_elements()},
              {"data_bytes", bytes->data_bytes},
              {"dense_bytes", bytes->dense_bytes},
              {"allocation_bytes", bytes->allocation_bytes}};
  if (!bytes->split_dims.empty()) {
    got["split_dims"] = bytes->split_dims;
    got["split_data_bytes"] = bytes->split_data_bytes;
  }
  Json expected = Json::object();
  for (const auto& [key, value] : row.items()) {
    if (key != "id" && key != "layout" && key != "source" && key != "note") expected[key] = value;
  }
  return VectorResult::when(got == expected, expected.dump(), got.dump());
}

/// The interval of one dimension that a place holds, `[lower, upper)`; at the end of the dimension if it is
/// empty.
std::pair<Index, Index> interval_of(const BoundDistribution& bound, ShardDim of) {
  const DimPart& part = bound.parts(of.dim)[bound.part(of)];
  if (part.runs.empty()) return {bound.shape()[of.dim], bound.shape()[of.dim]};
  const IndexRun& run = part.runs.front();
  return {run.lower, part.runs.size() == 1 && run.count == 1 ? run.lower + run.length : -1};
}

VectorResult sharding(const Json& row) {
  const auto parsed = parse_sharding(text_of(row, "sharding"));
  if (!parsed) return VectorResult::fail("a sharding", to_string(parsed.error()));
  if (Json(to_string(*parsed)) != row["print"])
    return VectorResult::fail(text_of(row, "print"), to_string(*parsed));
  if (Json(parsed->devices()) != row["devices"])
    return VectorResult::fail(row["devices"].dump(), Json(parsed->devices()).dump());
  const auto distribution = parse_distribution(text_of(row, "sharding"));
  if (!distribution) return VectorResult::fail("a distribution", to_string(distribution.error()));
  const auto bound = bind_distribution(*distribution, indices(row["shape"]));
  if (!bound) return VectorResult::fail("holders", to_string(bound.error()));
  // The first device holds a whole tile.
  const auto local = bound->local_shape(parsed->devices().front());
  if (!local || Json(*local) != row["tile_shape"])
    return VectorResult::fail(row["tile_shape"].dump(), "another shard shape");
  for (const Json& point : row["lookup"]) {
    const auto found = holders(*bound, indices(point[0]));
    if (!found) return VectorResult::fail(point.dump(), to_string(found.error()));
    Indices devices;
    for (const ShardHolder& holder : *found) {
      devices.push_back(holder.place);
      if (Json(holder.local) != point[2]) return VectorResult::fail(point.dump(), Json(holder.local).dump());
    }
    Indices expected = indices(point[1]);
    std::ranges::sort(expected);  // the order of the devices is checked above
    if (devices != expected) return VectorResult::fail(point.dump(), Json(devices).dump());
  }
  const auto shard = bound->shard_of(row["shard"][0].get<Index>());
  if (!shard) return VectorResult::fail(row["shard"].dump(), "no such device");
  Indices lower;
  Indices upper;
  for (std::size_t d = 0; d < bound->shape().size(); ++d) {
    const auto [begin, end] = interval_of(*bound, {.shard = *shard, .dim = d});
    lower.push_back(begin);
    upper.push_back(end);
  }
  const Json got = {row["shard"][0], lower, upper};
  return VectorResult::when(got == row["shard"], row["shard"].dump(), got.dump());
}

const Register kParsePrint = row_check("tiled", "parse_print.jsonl", parse_print);
const Register kMalformed = row_check("tiled", "malformed.jsonl", malformed);
const Register kIndex = row_check("tiled", "index.jsonl", index);
const Register kTables = row_check("tiled", "tables.jsonl", tables);
const Register kSizes = row_check("tiled", "sizes.jsonl", sizes_of);
const Register kSharding = row_check("tiled", "sharding.jsonl", sharding);

}  // namespace
}  // namespace tessera::vectors
