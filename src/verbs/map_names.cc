// SPDX-License-Identifier: Apache-2.0
#include "verbs/map_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "verbs/request.h"
#include "verbs/sizes.h"

namespace tessera::verbs {

bool asks_for_all_sizes(const std::vector<MapText>& texts, const std::string& where) {
  return !where.empty() || std::ranges::any_of(texts, [](const MapText& t) { return t.unread.has_value(); });
}

Result<SizedMaps> sized_maps(const std::vector<MapText>& texts, const std::string& where) {
  Result<symbolic::AssumptionList> given = assumptions_of(where, {});
  if (!given) return fail(std::move(given.error()));
  std::vector<std::string> declared = given->names();
  for (const MapText& t : texts) {
    for (const std::string& name : symbolic::declared_names(t.text)) declared.push_back(name);
  }
  if (declared.empty()) {
    for (const MapText& t : texts) {
      if (!t.unread) continue;
      Diagnostic error = *t.unread;
      if (!error.help.starts_with("did you mean"))
        error.help = "names of sizes are declared: add where N to the map, or --where N";
      return unreadable(t.field, std::move(error));
    }
  }
  SizedMaps out;
  out.where = *std::move(given);
  for (const MapText& t : texts) {
    auto map = symbolic::SymbolicMap::parse(t.text, declared);
    if (!map) return unreadable(t.field, std::move(map.error()));
    map->come_from(t.field);
    out.maps.push_back(*std::move(map));
  }
  return out;
}

Failure not_with_names(std::string_view option, std::string_view why) {
  return refuse(option, Code::not_applicable, fmt::format("--{} is for maps of numbers: {}", option, why),
                fmt::format("leave --{} out, or write numbers for the names", option));
}

}  // namespace tessera::verbs
