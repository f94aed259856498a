// SPDX-License-Identifier: Apache-2.0
// indexing/text.jsonl
#include <fmt/core.h>

#include "runner/check.h"
#include "runner/maps.h"

namespace tessera::vectors {
namespace {

VectorResult exact_text(const Json& row, const std::string& got) {
  return VectorResult::when(row.at("expected") == Json(got), text_of(row, "expected"), got);
}

VectorResult map_parse_print(const Json& row) {
  const auto read = parse_map_or_undefined(text_of(row, "input"));
  return exact_text(row, read ? to_text(*read) : to_string(read.error()));
}

VectorResult legacy(const Json& row) {
  const auto read = parse_legacy_map(text_of(row, "input"));
  if (!read) return exact_text(row, to_string(read.error()));
  VectorResult result = exact_text(row, to_string(read->map));
  if (!result.passed || !row.contains("runtime")) return result;
  Json got = Json::array();
  const std::size_t first = read->map.dim_count() + read->map.range_count();
  for (std::size_t i = 0; i < read->runtime.size(); ++i) {
    const std::string map = to_string(read->runtime[i].map);
    got.push_back({{"var", read->map.domain().name(first + i)},
                   {"source", read->runtime[i].source},
                   {"map", map.substr(0, map.find(", domain:"))}});
  }
  return VectorResult::when(got == row.at("runtime"), text_of(row, "runtime"), got.dump());
}

VectorResult verify(const Json& row) {
  const auto count = [&](const char* field) { return row.at(field).get<std::size_t>(); };
  const auto variables = [](std::size_t n) { return std::vector<Variable>(n); };
  const auto map = IndexMap::make(
      Domain(variables(count("dims")), variables(count("symbols")), variables(count("runtimes"))),
      {.dims = count("map_dims"), .symbols = count("map_symbols")}, {});
  return exact_text(row, map ? to_string(*map) : map.error().message);
}

VectorResult judge_text(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "parse_print") return map_parse_print(row);
  if (op == "print_undefined") return exact_text(row, to_string(UndefinedMap{}));
  if (op == "parse_legacy_print") return legacy(row);
  if (op == "verify") return verify(row);
  if (op == "variable_kind") return exact_text(row, std::string(role_of_name(text_of(row, "input"))));
  if (op == "parse") {
    const auto read = parse_map_or_undefined(text_of(row, "input"));
    const bool placed =
        !read && read.error().span.end <= text_of(row, "input").size() && !read.error().message.empty();
    return VectorResult::when(placed, text_of(row, "expected"),
                              read ? to_text(*read) : to_string(read.error()));
  }
  return unknown_op(row);
}

const Register kText = row_check("indexing", "text.jsonl", judge_text);

}  // namespace
}  // namespace tessera::vectors
