// SPDX-License-Identifier: Apache-2.0
// The file pieces of the folder reshard, and the operation axes of its file text.
#include <fmt/format.h>

#include <algorithm>

#include "reshard/pieces/pieces.h"
#include "runner/check.h"
#include "runner/reshard.h"

namespace tessera::vectors {

Result<AxisSizes> axis_sizes(const Json& axes) {
  AxisSizes sizes;
  for (const auto& [name, size] : axes.items()) {
    const auto added = size.is_string()
                           ? sizes.add(name, std::string_view(size.get_ref<const std::string&>()))
                           : sizes.add(name, size.get<Index>());
    if (!added) return fail(added.error());
  }
  return sizes;
}

VectorResult axes_row(const Json& row) {
  auto sizes = axis_sizes(row["axes"]);
  if (!sizes) return VectorResult::fail("axes", to_string(sizes.error()));
  const auto read = parse_axis_expression(text_of(row, "text"), *sizes);
  if (row.contains("error")) {
    if (read) return VectorResult::fail(text_of(row, "error"), to_string(*read));
    return VectorResult::when(Json(to_string(read.error().code)) == row["error"], text_of(row, "error"),
                              to_string(read.error()));
  }
  if (!read) return VectorResult::fail(text_of(row, "print"), to_string(read.error()));
  Json got = {{"print", to_string(*read)}, {"shape", read->shape()}};
  Json wanted = {{"print", row["print"]}, {"shape", row["shape"]}};
  if (row.contains("places")) {
    wanted["places"] = row["places"];
    got["places"] = place_count(*read, *sizes);
  }
  const auto again = parse_axis_expression(to_string(*read), *sizes);
  if (!again || to_string(*again) != to_string(*read))
    return VectorResult::fail("text that reads back", to_string(*read));
  return VectorResult::when(got == wanted, wanted.dump(), got.dump());
}

namespace {

Result<std::vector<PieceTensor>> tensors(const Json& side, const Json& row, AxisSizes& sizes) {
  std::vector<PieceTensor> out;
  for (const auto& [name, value] : side.items()) {
    const auto read =
        parse_axis_expression(value.is_string() ? value.get<std::string>() : text_of(value, "axes"), sizes);
    if (!read) return fail(read.error());
    PieceTensor tensor{name, *read, {}};
    if (value.is_object()) {
      const auto distribution = parse_distribution(text_of(value, "sharding"));
      if (!distribution) return fail(distribution.error());
      std::optional<Index> places;
      if (row.contains("same_places")) places = row["same_places"].get<Index>();
      auto on = bind_distribution(*distribution, read->shape(), places);
      if (!on) return fail(on.error());
      tensor.on = std::move(*on);
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

Result<PieceMatch> match_of(const Json& row, const Json& from, const Json& to) {
  auto sizes = axis_sizes(row["axes"]);
  if (!sizes) return fail(sizes.error());
  auto before = tensors(from, row, *sizes);
  if (!before) return fail(before.error());
  auto after = tensors(to, row, *sizes);
  if (!after) return fail(after.error());
  PieceCopies copies;
  if (row.contains("copies")) copies = row["copies"].get<PieceCopies>();
  return PieceMatch::make(std::move(*before), std::move(*after), std::move(*sizes), std::move(copies));
}

Json locations_json(const std::vector<PieceLocation>& locations) {
  Json out = Json::array();
  for (const PieceLocation& location : locations) {
    out.push_back(
        {location.tensor, location.place ? Json(*location.place) : Json(), location.index, location.offset});
  }
  return out;
}

VectorResult check_pieces(const Json& row) {
  const auto match = match_of(row, row["from"], row["to"]);
  if (!match) return VectorResult::fail("a match", to_string(match.error()));
  if (row.contains("elements") && Json(match->elements()) != row["elements"]) {
    return VectorResult::fail(row["elements"].dump(), Json(match->elements()).dump());
  }
  auto sizes = axis_sizes(row["axes"]);
  for (const auto& [side, shapes] : {std::pair("from", "from_shapes"), std::pair("to", "to_shapes")}) {
    const auto read = tensors(row[side], row, *sizes);
    for (const PieceTensor& tensor : *read) {
      if (Json(tensor.axes.shape()) != row[shapes][tensor.name]) {
        return VectorResult::fail(row[shapes][tensor.name].dump(), Json(tensor.axes.shape()).dump());
      }
      const auto maps = lower(tensor.axes, *sizes);
      if (!maps) return VectorResult::fail("maps", to_string(maps.error()));
      for (const PieceMap& map : *maps) {
        if (to_index_map(map).results().size() != tensor.axes.dims.size() + (map.has_place ? 1 : 0)) {
          return VectorResult::fail("a result for each dimension", map.piece);
        }
      }
    }
  }
  for (const Json& point : row["points"]) {
    const std::string name = text_of(point, "piece");
    const auto piece = std::ranges::find(match->pieces(), name, &MatchedPiece::name);
    if (piece == match->pieces().end()) return VectorResult::fail(name, "no such piece");
    std::vector<Index> at;
    for (const PieceMap::Axis& axis : piece->axes) at.push_back(point["at"][axis.name].get<Index>());
    const auto before = match->before(name, at);
    const auto after = match->after(name, at);
    if (!before || !after)
      return VectorResult::fail(point.dump(), to_string(before ? after.error() : before.error()));
    const Json got = {{"from", locations_json(*before)}, {"to", locations_json(*after)}};
    const Json wanted = {{"from", point["from"]}, {"to", point["to"]}};
    if (got != wanted) return VectorResult::fail(wanted.dump(), got.dump());
  }
  if (!row.contains("same_places")) return VectorResult::pass();
  const auto traffic = match->traffic(row["same_places"].get<Index>());
  if (!traffic) return VectorResult::fail(row["total"].dump(), to_string(traffic.error()));
  const Index width = row["width"].get<Index>();
  Json receive = Json::array();
  for (const Index elements : traffic->receive) receive.push_back(elements * width);
  const Json got = {{"receive", receive},
                    {"total", traffic->total * width},
                    {"messages", traffic->messages ? Json(*traffic->messages) : Json()}};
  const Json wanted = {{"receive", row["receive"]}, {"total", row["total"]}, {"messages", row["messages"]}};
  return VectorResult::when(got == wanted, wanted.dump(), got.dump());
}

Json runs_json(const AxisExpression& expression) {
  Json out = Json::array();
  const auto runs = piece_runs(expression, 0);
  for (const PieceRun& run : *runs) out.push_back({run.first, run.count, run.piece});
  return out;
}

}  // namespace

VectorResult pieces_bug(const Json& row) {
  auto sizes = axis_sizes(row["axes"]);
  if (!sizes) return VectorResult::fail("axes", to_string(sizes.error()));
  if (const auto match = match_of(row, row["from"], row["to"]); !match) {
    return VectorResult::fail("a match", to_string(match.error()));
  }
  Json got = Json::array();
  for (const char* side : {"from", "to"}) {
    const auto read = tensors(row[side], row, *sizes);
    const AxisExpression& expression = (*read)[0].axes;
    if (row.contains("rows")) {
      if (expression.shape()[0] != row["rows"].get<Index>()) continue;
      got.push_back(runs_json(expression));
    } else if (!expression.places.empty()) {
      got.push_back(std::vector<std::vector<Index>>(static_cast<std::size_t>(place_count(expression, *sizes)),
                                                    expression.shape()));
    }
  }
  // If both sides have the same number of rows, the rows are those of the source.
  const bool good = !got.empty() && got[0] == row["right"] && got[0] != row["wrong"];
  return VectorResult::when(good, row["right"].dump(), got.dump());
}

namespace {

const Register kPieces = row_check("reshard", "pieces.jsonl", check_pieces);

}  // namespace
}  // namespace tessera::vectors
