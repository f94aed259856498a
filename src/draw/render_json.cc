// SPDX-License-Identifier: Apache-2.0
#include "draw/render_json.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

Json json_of(const Cell& cell) {
  Json json = Json::object();
  if (cell.kind == Cell::Kind::none) return nullptr;
  if (cell.kind == Cell::Kind::padding) json["padding"] = true;
  if (!cell.coordinate.empty()) json["coordinate"] = cell.coordinate;
  if (cell.offset) json["offset"] = *cell.offset;
  if (!cell.text.empty()) json["text"] = cell.text;
  if (!cell.detail.empty()) json["detail"] = cell.detail;
  if (cell.color >= 0) json["color"] = cell.color;
  if (cell.marked) json["marked"] = true;
  if (cell.link >= 0) json["link"] = cell.link;
  if (cell.first >= 0) json["elements"] = Json::array({cell.first, cell.count});
  return json;
}

Json json_of(const Axis& axis) {
  Json levels = Json::array();
  for (const std::vector<AxisLabel>& level : axis.levels) {
    Json labels = Json::array();
    for (const AxisLabel& label : level) labels.push_back(Json::array({label.begin, label.end, label.text}));
    levels.push_back(std::move(labels));
  }
  Json json = Json::object();
  json["name"] = axis.name;
  json["labels"] = std::move(levels);
  json["cuts"] = axis.cuts;
  return json;
}

Json json_of(const Panel& panel) {
  Json json = Json::object();
  json["caption"] = panel.caption;
  json["rows"] = panel.rows;
  json["columns"] = panel.columns;
  json["row_axis"] = json_of(panel.row_axis);
  json["column_axis"] = json_of(panel.column_axis);
  Json cells = Json::array();
  for (const Cell& cell : panel.cells) cells.push_back(json_of(cell));
  json["cells"] = std::move(cells);
  return json;
}

Json palette(const Scale& scale, Theme theme) {
  Json colors = Json::array();
  for (int i = 0; i < scale.steps; ++i) colors.push_back(to_string(color_of(scale, i, theme)));
  return colors;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void add(Json& json, const LayoutFacts& facts) {
  json["layout"] = facts.text;
  json["notation"] = to_string(facts.notation);
  json["order"] = facts.order;
  json["shape"] = facts.shape;
  json["size"] = facts.size;
  json["cosize"] = or_null(facts.cosize);
  json["offsets"] =
      facts.offsets ? Json::array({facts.offsets->first, facts.offsets->second}) : Json(nullptr);
  json["buffer"] = or_null(facts.buffer);
  json["bits"] = or_null(facts.bits);
  json["bytes"] = or_null(facts.bytes);
  json["padding"] = or_null(facts.padding);
  json["injective"] = or_null(facts.injective);
  if (!facts.witness.empty()) json["witness"] = facts.witness;
  json["image"] = or_null(facts.image);
  json["runs"] = nullptr;
  if (facts.runs) {
    json["runs"] = Json::object();
    json["runs"]["count"] = facts.runs->count;
    json["runs"]["shortest"] = facts.runs->shortest;
    json["runs"]["longest"] = facts.runs->longest;
    json["runs"]["alignment"] = facts.runs->alignment;
  }
  json["digits"] = facts.digits ? Json(to_string(*facts.digits)) : Json(nullptr);
  if (!facts.digits) json["no_digits"] = facts.no_digits;
  json["map"] = to_string(facts.map, facts.shape);
  Json unknown = Json::object();
  for (const auto& [name, reason] : facts.unknown) unknown[name] = reason;
  json["unknown"] = std::move(unknown);
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_of(const Picture& picture) {
  Json json = Json::object();
  json["title"] = picture.title;
  Json panels = Json::array();
  for (const Panel& panel : picture.panels) panels.push_back(json_of(panel));
  json["panels"] = std::move(panels);
  static constexpr const char* kKinds[] = {"none", "sequential", "categorical", "banded"};
  json["scale"] = kKinds[static_cast<int>(picture.scale.kind)];
  json["colors"] = Json::object();
  json["colors"]["light"] = palette(picture.scale, Theme::light);
  json["colors"]["dark"] = palette(picture.scale, Theme::dark);
  Json legend = Json::array();
  for (const LegendEntry& entry : picture.legend) {
    Json one = Json::object();
    one["color"] = entry.color < 0 ? Json(nullptr) : Json(entry.color);
    one["text"] = entry.text;
    legend.push_back(std::move(one));
  }
  json["legend_title"] = picture.legend_title;
  json["legend"] = std::move(legend);
  json["notes"] = picture.notes;
  return json;
}

}  // namespace

std::string render_json(const Picture& picture) { return dump(json_of(picture)); }

std::string detail::show_json(const LayoutFacts* facts, const Picture* picture) {
  Json json = Json::object();
  json["schema"] = "tessera.show/1";
  json["status"] = 0;
  if (facts != nullptr) add(json, *facts);
  if (picture != nullptr) json["picture"] = json_of(*picture);
  return dump(json);
}

}  // namespace tessera
