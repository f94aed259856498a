// SPDX-License-Identifier: Apache-2.0
#include "files/weight_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/header_reader.h"
#include "files/json_reader.h"

namespace tessera {

Result<std::vector<WeightEntry>> parse_weight_map(std::string_view text) {
  const auto wrong = [&](std::string message, std::size_t at) {
    return fail(Code::bad_file, std::move(message), place(at, std::min(at + 1, text.size())),
                "an index is {\"metadata\": {...}, \"weight_map\": {\"TENSOR\": \"FILE.safetensors\", ...}}");
  };
  const JsonCheck check = check_json(text);
  if (check.fault == JsonFault::syntax) return wrong("the index is not JSON", check.at);
  if (check.fault == JsonFault::number_range) return wrong("the index has a number that no type can hold", 0);
  if (check.fault == JsonFault::out_of_memory) {
    return fail(Code::limit, fmt::format("not enough memory for an index of {} bytes", text.size()), place(0),
                "ulimit -v shows the limit of the process");
  }
  const Json json = parse_json(text);
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (map == json.end() || !map->is_object()) return wrong("the index has no object 'weight_map'", 0);
  std::vector<WeightEntry> entries;
  std::size_t from = std::min(text.find("\"weight_map\""), text.size());
  for (const auto& [tensor, file] : map->items()) {
    // Entries are in text order, so each search starts after the previous name, and the loop takes linear
    // time.
    const std::string quoted = json_string(tensor);
    const std::size_t at = text.find(quoted, from);
    if (at != text.npos) from = at + quoted.size();
    const Span name = at == text.npos ? place(0) : place(at, from);
    const auto* path = file.get_ptr<const std::string*>();
    if (path == nullptr || path->empty())
      return fail(Code::bad_file, fmt::format("the entry of tensor '{}' does not name a file", tensor), name);
    entries.push_back({tensor, *path, name});
  }
  return entries;
}

std::string weight_map_text(const std::vector<WeightEntry>& entries, Index total_size) {
  Json json;
  json["metadata"]["total_size"] = total_size;
  Json& map = json["weight_map"] = Json::object();
  for (const WeightEntry& entry : entries) map[entry.tensor] = entry.file;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera
