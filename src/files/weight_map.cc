// SPDX-License-Identifier: Apache-2.0
#include "files/weight_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/header_reader.h"

namespace tessera {

using Json = nlohmann::ordered_json;

Result<std::vector<WeightEntry>> parse_weight_map(std::string_view text) {
  const auto wrong = [&](std::string message, std::size_t at) {
    return fail(Code::bad_file, std::move(message), place(at, std::min(at + 1, text.size())),
                "an index is {\"metadata\": {...}, \"weight_map\": {\"TENSOR\": \"FILE.safetensors\", ...}}");
  };
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return wrong("the index is not JSON", error.byte > 0 ? error.byte - 1 : 0);
  } catch (const Json::exception&) {
    return wrong("the index has a number outside every type", 0);
  }
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (map == json.end() || !map->is_object()) return wrong("the index has no object 'weight_map'", 0);
  std::vector<WeightEntry> entries;
  std::size_t from = std::min(text.find("\"weight_map\""), text.size());
  for (const auto& [tensor, file] : map->items()) {
    // Entries are in text order, so each search starts after the previous name, and all take linear time.
    const std::string quoted = Json(tensor).dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::size_t at = text.find(quoted, from);
    if (at != text.npos) from = at + quoted.size();
    const Span name = at == text.npos ? place(0) : place(at, from);
    if (!file.is_string() || file.get_ref<const std::string&>().empty())
      return fail(Code::bad_file, fmt::format("tensor '{}' has no file", tensor), name);
    entries.push_back({tensor, file.get<std::string>(), name});
  }
  return entries;
}

}  // namespace tessera
