// SPDX-License-Identifier: Apache-2.0
// indexing/simplify.jsonl, vars.jsonl, compose.jsonl
#include "runner/indexing_maps.h"

#include <fmt/core.h>

#include "runner/check.h"
#include "runner/maps.h"
#include "tessera/map/map_algebra.h"

namespace tessera::vectors {
namespace {

// The map of a field. If there is none, `error` says why.
std::optional<IndexMap> read_map(const Json& row, const char* field, std::string& error) {
  auto read = parse_index_map(text_of(row, field), DomainPart::optional);
  if (read) return std::move(*read);
  error = to_string(read.error());
  return std::nullopt;
}

VectorResult judge_result(const Json& row, Result<IndexMap> got) {
  const std::string expected = text_of(row, "expected");
  if (expected == "error")
    return VectorResult::when(!got, expected, got ? to_string(*got) : to_string(got.error()));
  if (!got) return VectorResult::fail(expected, to_string(got.error()));
  return judge_map(row, std::move(*got));
}

VectorResult judge_removal(const Json& row, const Removal& removal) {
  VectorResult result = judge_map(row, removal.map);
  if (!result.passed || !row.contains("removed")) return result;
  const Json got(removal.removed);
  return VectorResult::when(got == row.at("removed"), text_of(row, "removed"), got.dump());
}

// The expression, rebuilt with the construction functions, which also simplify divisions by 1.
Expr constructed(Expr e) {
  if (!e.is_binary()) return e;
  const Expr a = constructed(e.lhs());
  const Expr b = constructed(e.rhs());
  if (e.kind() == ExprKind::mod) return mod(a, b);
  if (e.kind() == ExprKind::floor_div) return floor_div(a, b);
  if (e.kind() == ExprKind::ceil_div) return ceil_div(a, b);
  return Expr::binary(e.kind(), a, b);
}

VectorResult add_constraint(const Json& row, const IndexMap& map) {
  // The bounds may be infeasible, so the item is parsed as part of a map's text.
  const std::string item = text_of(row, "constraint");
  const auto in = item.rfind(" in [");
  Index lower = 0;
  Index upper = 0;
  const auto expr = parse_expr(item.substr(0, in), map.domain());
  if (in == std::string::npos || !expr ||
      std::sscanf(item.c_str() + in, " in [%ld, %ld]", &lower, &upper) != 2) {
    return VectorResult::fail("a constraint", item);
  }
  Domain domain = map.domain();
  domain.constrain(constructed(*expr), {lower, upper});
  return judge_map(row,
                   IndexMap::make_unchecked(std::move(domain), {map.results().begin(), map.results().end()}));
}

VectorResult evaluate_at(const Json& row, const IndexMap& map) {
  auto point = row.at("dims").get<std::vector<Index>>();
  const auto symbols = row.at("symbols").get<std::vector<Index>>();
  point.insert(point.end(), symbols.begin(), symbols.end());
  Json got;
  if (row.at("op") == "constraints_satisfied") {
    got = map.domain().constraints_satisfied(point);
  } else {
    const auto values = map.evaluate(point);
    got = values ? Json(*values) : Json("undefined");
  }
  return VectorResult::when(got == row.at("expected"), text_of(row, "expected"), got.dump());
}

VectorResult used_parameters(const Json& row) {
  const auto dims = row.at("num_dims").get<std::size_t>();
  const Domain domain(std::vector<Variable>(dims), std::vector<Variable>(16), {});
  std::vector<bool> used(domain.variable_count());
  for (const Json& text : row.at("input")) {
    const auto expr = parse_expr(text.get<std::string>(), domain);
    if (!expr) return VectorResult::fail("an expression", to_string(expr.error()));
    for (const Index v : variables(*expr)) used[static_cast<std::size_t>(v)] = true;
  }
  Json got = {{"dims", Json::array()}, {"symbols", Json::array()}};
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v]) got[v < dims ? "dims" : "symbols"].push_back(v < dims ? v : v - dims);
  }
  return VectorResult::when(got == row.at("expected"), text_of(row, "expected"), got.dump());
}

VectorResult judge_vars(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "used_parameters") return used_parameters(row);
  std::string error;
  const auto map = read_map(row, "input", error);
  if (!map) return VectorResult::fail("a map", error);
  if (op == "remove_unused_symbols") return judge_removal(row, remove_unused_symbols(*map));
  if (op == "remove_unused_vars") return judge_removal(row, remove_unused_vars(*map));
  if (op == "rescale_symbols") return judge_map(row, rescale_symbols(*map).map);
  if (op == "rescale_symbols+simplify") return judge_map(row, simplify(rescale_symbols(*map).map));
  if (op == "symbols_to_dims") return judge_map(row, symbols_to_dims(*map));
  if (op == "range_vars_to_dims") {
    return judge_result(row, range_vars_to_dims(*map, row.at("indices").get<std::vector<std::size_t>>()));
  }
  if (op == "compress_vars") {
    return judge_result(row, compress_vars(*map, row.at("dims").get<std::vector<bool>>(),
                                           row.at("symbols").get<std::vector<bool>>()));
  }
  if (op == "slice_results") {
    return judge_result(row, sub_map(*map, {.start = row.at("start").get<std::size_t>(),
                                            .count = row.at("length").get<std::size_t>()}));
  }
  if (op == "is_identity") {
    const bool got = map->is_identity();
    return VectorResult::when(got == row.at("expected"), text_of(row, "expected"), got ? "true" : "false");
  }
  if (op == "add_constraint") return add_constraint(row, *map);
  if (op == "evaluate" || op == "constraints_satisfied") return evaluate_at(row, *map);
  return unknown_op(row);
}

VectorResult judge_compose_row(const Json& row) {
  if (row.contains("op") && row.at("op") != "compose_plain" && row.at("op") != "compose")
    return unknown_op(row);
  return judge_compose(row);
}

}  // namespace

VectorResult judge_simplify(const Json& row) {
  std::string error;
  const auto map = read_map(row, "input", error);
  if (!map) return VectorResult::fail("a map", error);
  const std::string mode = row.contains("mode") ? text_of(row, "mode") : "replace";
  if (mode != "replace" && mode != "preserve") return VectorResult::fail("a known mode", mode);
  const IndexMap got = simplify(*map, mode == "preserve" ? Points::preserve : Points::replace);
  return judge_map(row, got);
}

VectorResult judge_rescale_and_simplify(const Json& row) {
  std::string error;
  const auto map = read_map(row, "input", error);
  if (!map) return VectorResult::fail("a map", error);
  return judge_map(row, simplify(rescale_symbols(*map).map));
}

VectorResult judge_compose(const Json& row) {
  const auto first = read_answer(text_of(row, "first"));
  const auto second = read_answer(text_of(row, "second"));
  if (!first || !second) return VectorResult::fail("two maps", text_of(row, "first"));
  const Result<MapOrUndefined> both = compose(*first, *second);
  if (!both) return judge_result(row, fail(both.error()));
  const auto* known = std::get_if<IndexMap>(&*both);
  if (known == nullptr) return judge_map(row, UndefinedMap{});
  const bool simple = row.contains("simplify") && row.at("simplify").get<bool>();
  return judge_result(row, simple ? simplify(*known) : *known);
}

namespace {

const Register kSimplify = row_check("indexing", "simplify.jsonl", judge_simplify);
const Register kVars = row_check("indexing", "vars.jsonl", judge_vars);
const Register kCompose = row_check("indexing", "compose.jsonl", judge_compose_row);

}  // namespace
}  // namespace tessera::vectors
