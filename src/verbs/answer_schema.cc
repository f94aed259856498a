// SPDX-License-Identifier: Apache-2.0
#include "verbs/answer_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/answer_keys.h"

namespace tessera::verbs {
namespace {

// A key, as a row of a table has it.
struct Row {
  std::string_view path;  // `results[].offset`
  std::string_view type;  // `integer or null`; empty if the page does not say
  std::string_view meaning;
};
using Tables = std::map<std::string, std::vector<Row>, std::less<>>;

// The texts between two marks, such as backticks.
std::vector<std::string_view> between(std::string_view text, std::string_view open, std::string_view close) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t begin = text.find(open);
    if (begin == std::string_view::npos) return out;
    text.remove_prefix(begin + open.size());
    const std::size_t end = text.find(close);
    if (end == std::string_view::npos) return out;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end + close.size());
  }
}

// The texts between separators, without blanks around them.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find(separator);
    std::string_view one = text.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    out.push_back(one);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + separator.size());
  }
}

// The schema of a type in words: `integer or null`, `list of strings`. Null if the words say nothing.
Json type_schema(std::string_view words) {
  constexpr std::string_view kList = "list of ";
  constexpr std::string_view kLists = "lists of ";
  if (words.starts_with(kLists))
    return {{"type", "array"}, {"items", type_schema(words.substr(kLists.size()))}};
  const std::vector<std::string_view> either = split(words, " or ");
  if (either.size() > 1) {
    Json any = Json::array();
    for (const std::string_view one : either) any.push_back(type_schema(one));
    return {{"anyOf", std::move(any)}};
  }
  if (words.starts_with(kList))
    return {{"type", "array"}, {"items", type_schema(words.substr(kList.size()))}};
  // A number, or its bounds.
  if (words == "count" || words == "counts") {
    Json bounds = {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}};
    bounds["items"] = type_schema("integer or null");
    return {{"anyOf", Json::array({type_schema("integer"), std::move(bounds)})}};
  }
  for (const std::string_view type : {"string", "integer", "number", "boolean", "null"})
    if (words == type || (words.starts_with(type) && words.substr(type.size()) == "s"))
      return {{"type", type}};
  return nullptr;
}

// The tables of the page by the schemas in the headings of their sections; other sections by their heading.
// A row has keys, perhaps their types, and what they mean.
Tables read_tables(std::string_view page) {
  Tables out;
  std::vector<std::string> names;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.starts_with("## ")) {
      names.clear();
      for (const std::string_view name : between(line, "tessera.", "/1")) names.emplace_back(name);
      if (names.empty()) names.emplace_back(line.substr(3));
    }
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string_view> cells = split(line.substr(1, line.size() - 2), "|");
    const std::vector<std::string_view> paths = between(cells[0], "`", "`");
    const std::vector<std::string_view> types =
        cells.size() > 2 ? split(cells[1], ",") : std::vector<std::string_view>{""};
    for (const std::string& name : names)
      for (std::size_t i = 0; i < paths.size(); ++i)
        out[name].push_back({paths[i], types[types.size() == paths.size() ? i : 0], cells.back()});
  }
  return out;
}

const Tables& tables() {
  static const Tables kTables = read_tables(detail::kAnswerKeys);
  return kTables;
}

// An object without keys yet, or null.
Json object_schema() { return {{"properties", Json::object()}, {"additionalProperties", false}}; }

// The schema of what has this name within an object or a list.
Json& inner(Json& schema, std::string_view name) {
  if (name == "[]") {
    Json& items = schema["items"];
    if (items.is_null()) items = Json::object();
    return items;
  }
  if (!schema.contains("properties")) schema.update(object_schema());
  if (name == "*") {
    schema["additionalProperties"] = true;
    return schema;
  }
  Json& key = schema["properties"][std::string(name)];
  if (key.is_null()) key = Json::object();
  return key;
}

// The schema at a path below another one.
Json& at_path(Json& schema, std::string_view path) {
  Json* here = &schema;
  while (!path.empty()) {
    const bool list = path.starts_with("[]");
    const std::size_t end = list ? 2 : std::min(path.find_first_of(".["), path.size());
    here = &inner(*here, path.substr(0, end));
    path.remove_prefix(end);
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return *here;
}

// Objects and lists say so; both may be null in place of an answer that there is not. A key with a row of its
// own, such as `numbering`, need not be an object everywhere.
void add_types(Json& schema) {
  if (schema.contains("properties")) {
    if (!schema.contains("description")) schema["type"] = {"object", "null"};
    for (auto& [key, one] : schema["properties"].items()) add_types(one);
  }
  if (!schema.contains("items")) return;
  schema["type"] = schema.contains("properties") ? Json{"array", "object", "null"} : Json{"array", "null"};
  add_types(schema["items"]);
}

Json table_schema(std::string_view name, std::string_view prefix = {}) {
  Json out = object_schema();
  const auto table = tables().find(name);
  if (table == tables().end()) return out;
  for (Row row : table->second) {
    if (!row.path.starts_with(prefix)) continue;
    Json& schema = at_path(out, row.path.substr(prefix.size()));
    if (!row.path.ends_with('*')) schema["description"] = row.meaning;
    if (Json type = type_schema(row.type); !type.is_null()) schema.update(type);
    if (row.meaning.starts_with("[the layout")) schema.update({{"$ref", "#/$defs/layout"}});
    if (row.meaning.starts_with("[layouts]"))
      schema.update({{"type", "array"}, {"items", {{"$ref", "#/$defs/layout"}}}});
  }
  add_types(out);
  return out;
}

// What one kind of objects has: the keys of its table, and those of all.
Json kind_schema(std::string_view name) {
  Json out = table_schema(name);
  out["type"] = "object";
  Json& properties = out["properties"];
  properties["schema"] = {{"const", fmt::format("tessera.{}/1", name)}};
  properties["status"] = {{"enum", {0, 1, 2, 3}}};
  properties["error"] = {{"$ref", "#/$defs/error"}};
  properties["id"] = Json::object();
  out["required"] = {"schema"};
  return out;
}

}  // namespace

Json answer_schema(std::string_view verb) {
  const std::string_view first = verb.substr(0, verb.find(' '));
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", fmt::format("answer of {}", verb)}};
  Json error = table_schema("Errors", "error.");
  error["type"] = "object";
  error["required"] = {"code", "severity", "message"};
  out["$defs"] = {{"error", std::move(error)}, {"layout", table_schema("Layouts")}};
  Json kinds = Json::array();
  kinds.push_back(kind_schema(first));
  if (first == "at") kinds.push_back(kind_schema("placement"));
  if (first == "info") {
    // Each operation has the numbers of its kind.
    Json ttgir = {{"type", "object"}};
    ttgir["properties"]["schema"] = {{"const", "tessera.ttgir/1"}};
    ttgir["required"] = {"schema"};
    kinds.push_back(std::move(ttgir));
  }
  if (first == "hlo") {
    for (const char* const other : {"parameters", "report"}) kinds.push_back(kind_schema(other));
    // A request has one answer with all objects.
    Json all = object_schema();
    all["type"] = "object";
    all["properties"] = {{"schema", {{"const", "tessera.hlo/1"}}},
                         {"id", Json::object()},
                         {"status", {{"enum", {0, 1, 2, 3}}}},
                         {"diagnostics", {{"type", "array"}, {"items", {{"$ref", "#/$defs/error"}}}}},
                         {"results", {{"type", "array"}, {"items", {{"anyOf", kinds}}}}}};
    all["required"] = {"schema", "status", "diagnostics", "results"};
    kinds.push_back(std::move(all));
  }
  out["anyOf"] = std::move(kinds);
  return out;
}

}  // namespace tessera::verbs
