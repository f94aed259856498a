// SPDX-License-Identifier: Apache-2.0
// Values of tensors in files: `tessera info --values`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index_walk.h"
#include "base/printable.h"
#include "report/file_info.h"
#include "report/json.h"

namespace tessera {
namespace {

std::string text_of(const std::vector<std::string>& parts) {
  return parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ","));
}

// Numbers and booleans as in JSON; what JSON cannot say is a string.
Json json_of(const std::string& part) {
  const bool number =
      part == "true" || part == "false" || part.find_first_not_of("0123456789+-.e") == std::string::npos;
  return number ? Json::parse(part) : Json(part);
}

}  // namespace

std::string to_text(const std::string& path, const TensorValues& values) {
  std::string text =
      fmt::format("{}{}{}: {}[{}], values of [{}]\n", path, values.name.empty() ? "" : "#", values.name,
                  values.type, fmt::join(values.shape, ","), to_string(values.slices));
  std::size_t width = 0;
  std::vector<std::string> cells;
  for (const std::vector<std::string>& parts : values.values) {
    cells.push_back(text_of(parts));
    width = std::max(width, cells.back().size());
  }
  const std::size_t rank = values.slices.size();
  const Index row = rank == 0 ? 1 : values.slices[rank - 1].count;
  std::vector<std::string> labels;
  std::vector<Index> at(rank == 0 ? 0 : rank - 1, 0);
  if (!cells.empty()) {
    do {
      std::vector<Index> index;
      for (std::size_t d = 0; d < at.size(); ++d)
        index.push_back(values.slices[d].first + at[d] * values.slices[d].step);
      labels.push_back(fmt::format("{}", fmt::join(index, ",")));
    } while (detail::advance_last(
        at.size(), [&](std::size_t d) { return detail::next_value(at[d], 0, values.slices[d].count); }));
  }
  std::size_t label_width = 0;
  for (const std::string& label : labels) label_width = std::max(label_width, label.size());
  for (std::size_t k = 0; k < labels.size(); ++k) {
    text += label_width == 0 ? " " : fmt::format("  {:>{}} ", labels[k], label_width);
    for (Index i = 0; i < row; ++i)
      text += fmt::format(" {:>{}}", cells[k * static_cast<std::size_t>(row) + static_cast<std::size_t>(i)],
                          width);
    text += "\n";
  }
  return detail::printable(text, true);
}

std::string to_json(const std::string& path, const TensorValues& values) {
  Json json = {{"schema", "tessera.info/1"}, {"status", 0}, {"path", path}};
  json["tensor"] = values.name;
  json["type"] = values.type;
  json["shape"] = values.shape;
  json["indices"] = to_string(values.slices);
  Json& list = json["values"] = Json::array();
  for (const std::vector<std::string>& parts : values.values) {
    if (parts.size() == 1) {
      list.push_back(json_of(parts[0]));
      continue;
    }
    Json pair = Json::array();
    for (const std::string& part : parts) pair.push_back(json_of(part));
    list.push_back(std::move(pair));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tessera
