// SPDX-License-Identifier: Apache-2.0
// The cells of `show` as columns of numbers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "draw/cell_table.h"
#include "report/json.h"
#include "verbs/show.h"
#include "verbs/show_picture.h"

namespace tessera::verbs {
namespace {

using detail::CellTable;

Json pair_of(IndexRange range) { return Json::array({range.begin, range.end}); }

Json dims_of(const LayoutView& view) {
  Json out = Json::array();
  for (const ViewDim& dim : view.dims) {
    Json one = Json::object();
    one["name"] = dim.name;
    one["extent"] = dim.extent;
    one["drawn"] = dim.drawn;
    one["leaves"] = dim.leaves;
    out.push_back(std::move(one));
  }
  return out;
}

// How many elements each offset has; null: more than were counted.
Json owners_of(const CellTable& table) {
  Json out = Json::array();
  for (const Index count : table.owners)
    out.push_back(count == detail::kManyOwners ? Json(nullptr) : Json(count));
  return out;
}

Json colors_of(const Scale& scale, Theme theme) {
  Json out = Json::array();
  for (int step = 0; step < scale.steps; ++step) out.push_back(to_string(color_of(scale, step, theme)));
  return out;
}

Json legend_of(const CellTable& table) {
  Json out = Json::array();
  for (const LegendEntry& entry : table.legend)
    out.push_back({{"color", entry.color < 0 ? Json(nullptr) : Json(entry.color)}, {"text", entry.text}});
  return out;
}

}  // namespace

Result<std::string> ShowResult::to_cells() const {
  if (!request_.layout.value.plain.layout || request_.is_special() || request_.shows_bits())
    return VerbAnswer::to_cells();
  const Layout& layout = *request_.layout.value.plain.layout;
  const PictureOptions options = options_of(request_);
  const Result<CellTable> made = detail::cell_table(layout, options);
  if (!made) {
    const bool of_window = made.error().field == "window" && !request_.window.text.empty();
    return refuse(of_window ? "window" : "layout", made.error());
  }
  const CellTable& table = *made;
  const LayoutView view = view_of(layout, "");
  Json json = Json::object();
  json["schema"] = "tessera.show/1";
  json["status"] = 0;
  json["as"] = "cells";
  json["layout"] = to_prefixed_string(layout);
  json["notation"] = to_string(layout.notation());
  json["dims"] = dims_of(view);
  json["view"] = options.view == View::memory ? "memory" : "index";
  json["rows"] = table.rows;
  json["columns"] = table.columns;
  json["row_range"] = pair_of(table.row_range);
  json["column_range"] = pair_of(table.column_range);
  json["step"] = table.step;
  json["row_dim"] = table.row_dim < 0 ? Json(nullptr) : Json(table.row_dim);
  json["column_dim"] = table.column_dim < 0 ? Json(nullptr) : Json(table.column_dim);
  if (options.view == View::memory) json["memory"] = pair_of(table.memory);
  json["kinds"] = table.kinds;
  json["offsets"] = table.offsets;
  json["colors"] = table.colors;
  if (options.view == View::memory) {
    json["coordinates"] = table.coordinates;
    json["owners"] = owners_of(table);
  }
  if (!table.naturals.empty()) json["naturals"] = table.naturals;
  json["row_cuts"] = table.row_cuts;
  json["column_cuts"] = table.column_cuts;
  json["palette"] = Json::object();
  json["palette"]["light"] = colors_of(table.scale, Theme::light);
  json["palette"]["dark"] = colors_of(table.scale, Theme::dark);
  json["legend_title"] = table.legend_title;
  json["legend"] = legend_of(table);
  return detail::dump(json);
}

}  // namespace tessera::verbs
