// SPDX-License-Identifier: Apache-2.0
// indexing/expr.jsonl and indexing/interval.jsonl
#include <fmt/core.h>

#include <map>

#include "map/values/enumerate.h"
#include "runner/check.h"
#include "runner/maps.h"
#include "tessera/map/map_algebra.h"

namespace tessera::vectors {
namespace {

VectorResult no_parse(const Json& row) {
  return VectorResult::fail("an expression", "cannot read " + text_of(row, "input"));
}

// A map with one result and as many unbounded variables as the expression uses.
IndexMap as_map(Expr e, std::size_t variable_count) {
  return IndexMap::make_unchecked(Domain(std::vector<Variable>(variable_count), {}, {}), {e});
}

VectorResult canonicalize(const Json& row, Expr input) {
  const auto expected = parse_expr(text_of(row, "expected"));
  if (!expected) return VectorResult::fail("an expression", text_of(row, "expected"));
  Index largest = -1;
  for (const Expr e : {input, *expected}) {
    if (const auto used = variables(e); !used.empty()) largest = std::max(largest, used.back());
  }
  const auto count = static_cast<std::size_t>(largest + 1);
  const Domain everywhere(std::vector<Variable>(count), {}, {});
  const Expr got = simplify(input, everywhere);
  std::string why;
  // Compares by enumeration over a box around 0 that contains several periods of small divisors, then with
  // isl at all points.
  for (BoxRows rows(std::vector<Interval>(count, count <= 2 ? Interval{-60, 60} : Interval{-9, 9}));
       why.empty() && rows.next();) {
    for (std::size_t i = 0; i < rows.size() && why.empty(); ++i) {
      if (evaluate(*expected, rows.point(i)) != evaluate(got, rows.point(i)))
        why = "another value at a point near 0";
    }
  }
  if (why.empty()) why = mismatch(as_map(*expected, count), as_map(got, count), Match::exact);
  // isl cannot handle products of variables, so the enumeration above must suffice.
  if (why.starts_with("undecided")) why = size(got) <= size(*expected) ? "" : "larger";
  return VectorResult::when(why.empty(), to_string(*expected), to_string(got) + "  [" + why + "]");
}

VectorResult print_with_dims(const Json& row, Expr input) {
  const Json& dims = row.at("num_dims");
  const std::string got = dims.is_null() ? to_string(input) : to_string(input, [&](Index v) {
    const auto count = dims.get<Index>();
    return v < count ? fmt::format("d{}", v) : fmt::format("s{}", v - count);
  });
  return VectorResult::when(got == text_of(row, "expected"), text_of(row, "expected"), got);
}

VectorResult replace_all(const Json& row, Expr input) {
  std::vector<std::pair<Expr, Expr>> pairs;
  for (const auto& [from, to] : row.at("replacements").items()) {
    const auto a = parse_expr(from);
    const auto b = parse_expr(to.get<std::string>());
    if (!a || !b) return VectorResult::fail("expressions", from);
    pairs.emplace_back(*a, *b);
  }
  const std::string got = to_string(replace(input, pairs));
  return VectorResult::when(got == text_of(row, "expected"), text_of(row, "expected"), got);
}

VectorResult judge_expr(const Json& row) {
  const std::string op = text_of(row, "op");
  const auto input = parse_expr(text_of(row, "input"));
  if (op == "parse") {
    return VectorResult::when(!input, text_of(row, "expected"),
                              input ? to_string(*input) : to_string(input.error()));
  }
  if (!input) return no_parse(row);
  if (op == "canonicalize") return canonicalize(row, *input);
  if (op == "print") {
    const std::string got = to_string(*input);
    return VectorResult::when(got == text_of(row, "expected"), text_of(row, "expected"), got);
  }
  if (op == "print_with_dims") return print_with_dims(row, *input);
  if (op == "evaluate") {
    const auto value = evaluate(*input, row.at("vars").get<std::vector<Index>>());
    const Json got = value ? Json(*value) : Json("undefined");
    return VectorResult::when(got == row.at("expected"), text_of(row, "expected"), got.dump());
  }
  if (op == "is_multiple_of") {
    const bool got = largest_known_divisor(*input) % row.at("factor").get<Index>() == 0;
    return VectorResult::when(got == row.at("expected").get<bool>(), text_of(row, "expected"),
                              got ? "true" : "false");
  }
  if (op == "replace") return replace_all(row, *input);
  if (op == "postorder") {
    Json got = Json::array();
    for (const Expr e : postorder(*input)) got.push_back(to_string(e));
    return VectorResult::when(got == row.at("expected"), text_of(row, "expected"), got.dump());
  }
  return unknown_op(row);
}

// A range passes if it is not wider than expected and contains every value.
VectorResult judge_range(const Json& row) {
  std::string dims;
  const std::string domain_text = text_of(row, "domain");
  for (std::size_t i = 0; domain_text.find(fmt::format("d{} in", i)) != std::string::npos; ++i) {
    dims += fmt::format("{}d{}", i > 0 ? ", " : "", i);
  }
  const auto map =
      parse_index_map(fmt::format("({}) -> ({}), domain: {}", dims, text_of(row, "input"), domain_text));
  if (!map) return VectorResult::fail("an expression and a domain", to_string(map.error()));
  const Interval got = range(map->results()[0], map->domain());
  const auto wanted = row.at("expected").get<std::vector<Index>>();
  bool right = Interval{wanted[0], wanted[1]}.contains(got);
  const auto box = box_of(map->domain());
  const auto points = point_count(box);
  if (points && *points <= (Index{1} << 22)) {
    MapEvaluator values(*map);
    for (BoxRows rows(box); rows.next();) {
      values.run(rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        right = right && (!values.inside(i) || !values.defined(0, i) || got.contains(values.value(0, i)));
      }
    }
  } else {
    right = right && got == Interval{wanted[0], wanted[1]};
  }
  return VectorResult::when(right, text_of(row, "expected"), to_string(got));
}

VectorResult judge_interval(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "range") return judge_range(row);
  const auto read = [&](const char* field) {
    const auto ends = row.at(field).get<std::vector<Index>>();
    return Interval::make(ends.at(0), ends.at(1));
  };
  const auto a = read("a");
  const auto b = read("b");
  using Compare = Ternary (*)(Interval, Interval);
  static const std::map<std::string, Compare> kCompare = {{"gt", greater},       {"lt", less},
                                                          {"ge", greater_equal}, {"le", less_equal},
                                                          {"eq", equal},         {"ne", not_equal}};
  if (const auto compare = kCompare.find(op); compare != kCompare.end()) {
    // No Interval value represents an infeasible interval. It is not equal to any other interval.
    Ternary answer = Ternary::unknown;
    if (a && b) {
      answer = compare->second(*a, *b);
    } else if (op == "eq" || op == "ne") {
      answer = op == "eq" ? Ternary::no : Ternary::yes;
    }
    const Json got = answer == Ternary::unknown ? Json("unknown") : Json(answer == Ternary::yes);
    return VectorResult::when(got == row.at("expected"), text_of(row, "expected"), got.dump());
  }
  if ((op != "add" && op != "mul") || !a || !b) return unknown_op(row);
  const Interval got = op == "add" ? *a + *b : *a * *b;
  const Json as_json = {got.lower, got.upper};
  return VectorResult::when(as_json == row.at("expected"), text_of(row, "expected"), as_json.dump());
}

const Register kExpr = row_check("indexing", "expr.jsonl", judge_expr);
const Register kInterval = row_check("indexing", "interval.jsonl", judge_interval);

}  // namespace
}  // namespace tessera::vectors
