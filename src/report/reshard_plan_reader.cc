// SPDX-License-Identifier: Apache-2.0
#include "report/reshard_plan_reader.h"

#include <fmt/format.h>

#include <optional>

#include "report/json.h"

namespace tessera {
namespace {

constexpr const char* kAgain = "make the plan again: tessera reshard plan --json -o plan.json";

Failure not_a_plan(std::string_view what) {
  return fail(Code::bad_file, fmt::format("this is not a plan: {}", what), {},
              "write one with tessera reshard plan --json -o plan.json");
}

std::optional<std::vector<Index>> extents_of(const Json& array, const char* key) {
  const auto at = array.find(key);
  if (at == array.end() || !at->is_array()) return {};
  std::vector<Index> out;
  for (const Json& value : *at) {
    if (!value.is_number_integer()) return {};
    out.push_back(value.get<Index>());
  }
  return out;
}

std::optional<std::string> text_in(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_string()) return {};
  return at->get<std::string>();
}

Result<BoundDistribution> side_of(const Json& array, const char* key, std::vector<Index> shape,
                                  Index places) {
  const auto text = text_in(array, key);
  if (!text) return not_a_plan(fmt::format("an array has no '{}'", key));
  auto distribution = parse_distribution(*text);
  if (!distribution) {
    distribution.error().span = {};
    return fail(distribution.error());
  }
  return bind_distribution(*distribution, std::move(shape), places);
}

}  // namespace

Result<ReshardAnswer> read_reshard_plan(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return fail(Code::syntax, "the plan is not JSON");
  if (!json.is_object() || text_in(json, "schema") != "tessera.reshard/1" || !json.contains("arrays")) {
    return not_a_plan("'schema' must be tessera.reshard/1, with 'arrays'");
  }
  const auto places = json.find("places");
  const Json& arrays = json["arrays"];
  if (places == json.end() || !places->is_number_integer() || places->get<Index>() < 1 ||
      places->get<Index>() > kMaxPlaces || !arrays.is_array() || arrays.size() != 1 ||
      !arrays[0].is_object()) {
    return not_a_plan("it needs 'places' and one array");
  }
  const Json& array = arrays[0];
  const auto type = text_in(array, "type");
  const auto named = type ? parse_dtype(*type) : std::nullopt;
  const auto shape = extents_of(array, "shape");
  if (!named || !shape) return not_a_plan("the array has no type and shape");
  const DType dtype = named.value_or(DType::f32);  // GCC 12 warns about `*named`
  const auto view = array.contains("view") ? extents_of(array, "view") : shape;
  if (!view) return not_a_plan("'view' must be a list of numbers");
  auto from = side_of(array, "from", *shape, places->get<Index>());
  if (!from) return fail(from.error());
  auto to = side_of(array, "to", *view, places->get<Index>());
  if (!to) return fail(to.error());
  ReshardOptions options;
  if (const auto nodes = json.find("inter_node"); nodes != json.end() && nodes->is_object()) {
    const auto per_node = nodes->find("per_node");
    if (per_node == nodes->end() || !per_node->is_number_integer() || per_node->get<Index>() < 1) {
      return not_a_plan("'inter_node' has no 'per_node'");
    }
    options.per_node = per_node->get<Index>();
  }
  auto plan = make_reshard_plan({{"", bit_width(dtype), std::move(*from), std::move(*to)}}, options);
  if (!plan) return fail(plan.error());
  ReshardAnswer answer{.plan = std::move(*plan), .dtype = dtype};
  if (const auto said = array.find("messages"); said != array.end()) {
    const bool ranges = said->is_array() && !said->empty() && (*said)[0].contains("segments");
    const auto listed = list_messages(answer, {}, ranges, array.contains("kept"));
    if (!listed) return fail(listed.error());
  }
  if (const Result<void> proved = verify(answer.plan); !proved) return fail(proved.error());
  answer.verified = true;
  const Json again = Json::parse(to_json(answer), nullptr, false);
  for (const char* key : {"hash", "receive", "send", "total", "kept", "full_gather", "max_send", "rounds",
                          "pairs", "inter_node", "relabel"}) {
    const auto said = json.find(key);
    if (said != json.end() && (!again.contains(key) || *said != again[key])) {
      return fail(Code::verify_failed,
                  fmt::format("'{}' of the plan does not follow from its distributions", key), {}, kAgain);
    }
  }
  for (const char* key : {"messages", "kept"}) {
    if (!array.contains(key) || array[key] == again["arrays"][0][key]) continue;
    return fail(Code::verify_failed,
                fmt::format("the list '{}' of the plan does not follow from its distributions", key), {},
                kAgain);
  }
  return answer;
}

}  // namespace tessera
