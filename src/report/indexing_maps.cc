// SPDX-License-Identifier: Apache-2.0
#include "report/indexing_maps.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "report/indexing_text.h"

namespace tessera::detail {

Json tuple_path(std::int32_t index, const TupleStep* inner) {
  Json path = Json::array({index});
  for (const TupleStep* step = inner; step != nullptr; step = step->next) path.push_back(step->index);
  return path;
}

Json json_of(const RuntimeValue& value) {
  Json json;
  json["source"] = value.source == nullptr ? source_text(value) : value.source->name;
  json["map"] = to_string(value.map);
  if (value.source == nullptr) return json;
  if (value.tuple_index >= 0) json["tuple_path"] = tuple_path(value.tuple_index, value.inner);
  for (const CallSite& call : value.calls) {
    Json step;
    step["caller"] = call.caller->name;
    if (call.caller->opcode == Opcode::conditional) step["branch"] = call.first_operand - 1;
    json["calls"].push_back(std::move(step));
  }
  if (value.clamp.is_finite()) json["clamp"] = {value.clamp.lower, value.clamp.upper};
  return json;
}

Json json_of(const Indexing& indexing) {
  const bool unknown = indexing.exactness == Exactness::unknown;
  Json json;
  if (indexing.leaf >= 0) json["element"] = indexing.leaf;
  json["map"] = unknown ? "UNDEFINED" : to_string(indexing.map);
  json["runtime"] = Json::array();
  const std::size_t first = indexing.map.dim_count() + indexing.map.range_count();
  for (std::size_t i = 0; i < indexing.runtime.size() && !unknown; ++i) {
    const RuntimeValue& value = indexing.runtime[i];
    Json entry;
    entry["var"] = indexing.map.domain().name(first + i);
    entry.update(json_of(value));
    if (value.hops > 0) entry["hops"] = value.hops;
    json["runtime"].push_back(std::move(entry));
  }
  json["replica"] = Json::array();
  for (std::size_t i = 0; i < indexing.replica.size(); ++i) {
    const ReplicaHop& hop = indexing.replica[i];
    json["replica"].push_back(to_string(printed_hop(indexing, i)));
    json["replica_groups"].push_back(hop.groups.exist() ? hop.groups.text() : "");
  }
  json["exact"] = indexing.exactness == Exactness::exact;
  json["reason"] = indexing.reason;
  return json;
}

Json json_of(const IndexingSet& maps) {
  std::vector<Json> sorted;
  for (const Indexing& indexing : maps) sorted.push_back(json_of(indexing));
  std::ranges::stable_sort(sorted, {}, [](const Json& json) {
    return std::tuple(json.value("element", -1), json["map"].get_ref<const std::string&>(),
                      json["replica"].dump(), json.value("replica_groups", Json()).dump(),
                      json["runtime"].dump(), json["reason"].get_ref<const std::string&>());
  });
  return sorted;
}

}  // namespace tessera::detail
