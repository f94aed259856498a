// SPDX-License-Identifier: Apache-2.0
// Maps with names for sizes: at the sizes of a row, and at every point there, the answer for all sizes is
// right.
#include <algorithm>
#include <functional>

#include "eval/for_all_sizes.h"
#include "notation/symbolic/map_terms.h"
#include "notation/symbolic/symbolic_map_answers.h"
#include "notation/symbolic/symbolic_map_cases.h"
#include "runner/symbolic_rows.h"

namespace tessera::vectors {
namespace {

using symbolic::Integer;
using symbolic::SizedCase;
using symbolic::Sizes;
using symbolic::SymbolicMap;

/// Every word of a text that may be the name of a size.
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0)) ++end;
    if (end > at && std::isalpha(static_cast<unsigned char>(text[at])) != 0)
      out.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  std::erase_if(out, [](const std::string& w) { return symbolic::is_size_word(w) || w == "floordiv"; });
  return out;
}

/// The names of a text that are not variables of the map.
std::vector<std::string> sizes_of(const std::string& text) {
  std::vector<std::string> out = words(text);
  const std::vector<std::string> dims = words(text.substr(0, text.find("->")));
  std::erase_if(out, [&](const std::string& w) { return std::ranges::find(dims, w) != dims.end(); });
  return out;
}

Result<SymbolicMap> map_of(const std::string& text) { return SymbolicMap::parse(text, sizes_of(text)); }

Result<symbolic::AssumptionList> assumed(const Json& row) {
  const std::string where = row.value("where", "");
  return where.empty() ? symbolic::AssumptionList() : symbolic::AssumptionList::parse(where);
}

Sizes numbers_of(const SizeMap& map) {
  Sizes out;
  for (const auto& [name, value] : map) out[name] = value;
  return out;
}

/// The case that holds at sizes; null if there is not one.
const SizedCase* case_at(const std::vector<SizedCase>& cases, const SizeMap& at) {
  const SizedCase* found = nullptr;
  for (const SizedCase& c : cases) {
    const Result<bool> here = c.condition.empty() ? Result<bool>(true) : truth_at(c.condition, at);
    if (!here || !*here) continue;
    if (found != nullptr) return nullptr;
    found = &c;
  }
  return found;
}

/// The results of a map at an index, or nothing outside its domain.
std::optional<std::vector<Integer>> results_at(const SymbolicMap& map, Sizes at,
                                               const std::vector<Integer>& index) {
  for (std::size_t d = 0; d < map.dims().size(); ++d) at[map.dims()[d]] = index[d];
  for (const symbolic::SizedInterval& i : map.domain()) {
    const auto value = symbolic::evaluate(i.value, at);
    const auto low = symbolic::evaluate(i.low, at);
    const auto high = symbolic::evaluate(i.high, at);
    if (!value || !low || !high || *value < *low || *value > *high) return std::nullopt;
  }
  std::vector<Integer> out;
  for (const symbolic::SizeTerm& t : map.results()) {
    const auto value = symbolic::evaluate(t, at);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

/// Calls `visit` for the indices of the intervals of a map, widened by one.
void visit_box(const SymbolicMap& map, const Sizes& at,
               const std::function<void(const std::vector<Integer>&)>& visit) {
  const std::size_t rank = map.dims().size();
  std::vector<Integer> low(rank);
  std::vector<Integer> high(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    low[d] = symbolic::evaluate(map.domain()[d].low, at).value_or(0) - 1;
    high[d] = symbolic::evaluate(map.domain()[d].high, at).value_or(0) + 1;
    if (high[d] < low[d]) return;
  }
  std::vector<Integer> index = low;
  for (int n = 0; n < 40000; ++n) {
    visit(index);
    std::size_t d = rank;
    while (d-- > 0) {
      if (++index[d] <= high[d]) break;
      index[d] = low[d];
      if (d == 0) return;
    }
    if (rank == 0) return;
  }
}

std::string text_of_index(const std::vector<Integer>& index) {
  std::string out;
  for (const Integer x : index) out += (out.empty() ? "" : ",") + symbolic::to_string(x);
  return "(" + out + ")";
}

/// Two maps on the same domain with the same values at sizes; else what differs.
std::string difference(const SymbolicMap& a, const SymbolicMap& b, const Sizes& at) {
  std::string out;
  for (const SymbolicMap* box : {&a, &b}) {
    visit_box(*box, at, [&](const std::vector<Integer>& index) {
      if (!out.empty()) return;
      const auto x = results_at(a, at, index);
      const auto y = results_at(b, at, index);
      if (x != y)
        out = "at " + text_of_index(index) + ": " + (x ? text_of_index(*x) : "undefined") + " and " +
              (y ? text_of_index(*y) : "undefined");
    });
  }
  return out;
}

std::string shown(const std::vector<SizedCase>& cases) {
  std::string out;
  for (const SizedCase& c : cases)
    out += (c.kind == SizedCase::Kind::value ? c.text : std::string(to_string(c.code)) + " " + c.reason) +
           " if " + c.condition + "; ";
  return out;
}

/// simplify and compose: values at points, and how long the answer is.
VectorResult judge_values(const Json& row, const Result<symbolic::SizedAnswers>& got) {
  if (!got) return unexpected_error(text_of(row, "print"), got.error());
  const std::vector<SizedCase>& cases = got->answers[0].cases;
  for (const Json& point : row.at("points")) {
    const SizeMap at = size_map_of(point.at(0));
    const SizedCase* c = case_at(cases, at);
    if (c == nullptr || c->kind != SizedCase::Kind::value)
      return VectorResult::fail("a value at " + point.dump(), shown(cases));
    const auto map = map_of(c->text);
    if (!map) return unexpected_error("a map: " + c->text, map.error());
    std::vector<Integer> index;
    for (const Json& x : point.at(1)) index.push_back(x.get<Index>());
    std::vector<Integer> results;
    for (const Json& x : point.at(2)) results.push_back(x.get<Index>());
    if (results_at(*map, numbers_of(at), index) != results)
      return VectorResult::fail(point.dump() + " of " + row.at("id").dump(), c->text);
  }
  if (row.contains("max_operators") && cases.size() == 1) {
    const auto map = map_of(cases[0].text);
    if (!map) return unexpected_error("a map: " + cases[0].text, map.error());
    int operators = 0;
    for (const symbolic::SizeTerm& t : map->results()) operators += symbolic::cost_of(t).operators;
    return VectorResult::when(operators <= row.at("max_operators").get<int>(),
                              row.at("max_operators").dump() + " operators", cases[0].text);
  }
  return VectorResult::pass();
}

VectorResult judge_inverse(const Json& row) {
  const auto map = map_of(text_of(row, "map"));
  const auto where = assumed(row);
  if (!map || !where) return unexpected_error("a map", map ? where.error() : map.error());
  const auto got = symbolic::inverse(*map, *where);
  if (!got) return unexpected_error(row.dump(), got.error());
  const std::vector<SizedCase>& cases = got->answers[0].cases;
  const Json points = row.value("points", Json::array());
  for (const Json& point : points) {
    const SizeMap at = size_map_of(point.at(0));
    const SizedCase* c = case_at(cases, at);
    if (c == nullptr) return VectorResult::fail("one case at " + point.dump(), shown(cases));
    if (c->kind == SizedCase::Kind::undecided ||
        (c->kind == SizedCase::Kind::value) != point.at(1).get<bool>())
      return VectorResult::fail(point.dump(), shown(cases));
  }
  if (row.contains("at")) {
    const auto error = std::ranges::find_if(
        cases, [&](const SizedCase& c) { return c.kind == SizedCase::Kind::error && c.smallest; });
    const Json& at = row.at("at");
    if (error == cases.end() || error->sizes != size_map_of(at.at("sizes")))
      return VectorResult::fail(at.dump(), shown(cases));
  }
  if (!row.contains("print")) return VectorResult::pass();
  const auto print = map_of(text_of(row, "print"));
  if (!print) return unexpected_error("a map", print.error());
  int compared = 0;
  for (Index n = 1; n <= 12 && compared < 6; ++n) {
    SizeMap at;
    Index next = n;
    std::vector<std::string> names = sizes_of(text_of(row, "map"));
    for (const std::string& name : where->names(names))
      at[name] = (1 + (next = (next * 7 + 3) % 11)) * (n > 6 ? 8 : 1);  // some with the divisors of rows
    if (!where->holds(numbers_of(at))) continue;
    const SizedCase* c = case_at(cases, at);
    if (c == nullptr || c->kind != SizedCase::Kind::value)
      return VectorResult::fail(row.dump(), shown(cases));
    const auto mine = map_of(c->text);
    if (!mine) return unexpected_error("a map: " + c->text, mine.error());
    const std::string differs = difference(*mine, *print, numbers_of(at));
    if (!differs.empty()) return VectorResult::fail(text_of(row, "print"), c->text + " " + differs);
    ++compared;
  }
  return VectorResult::when(compared > 0, "sizes to compare the inverse at", "none of those that are tried");
}

VectorResult judge_within(const Json& row) {
  std::string box;
  for (const Json& i : row.at("box"))
    box += (box.empty() ? "[" : ", [") + i.at(0).get<std::string>() + ", " + i.at(1).get<std::string>() + "]";
  const auto map = map_of(text_of(row, "map"));
  const auto where = assumed(row);
  if (!map || !where) return unexpected_error("a map", map ? where.error() : map.error());
  const auto intervals = symbolic::parse_box(box, *map, words(box + " " + text_of(row, "map")));
  if (!intervals) return unexpected_error("a box", intervals.error());
  const auto got = symbolic::within(*map, *intervals, *where);
  return got ? judge_size_answer(row, *got) : unexpected_error(row.dump(), got.error());
}

VectorResult judge_count(const Json& row) {
  const auto map = map_of(text_of(row, "map"));
  const auto where = assumed(row);
  if (!map || !where) return unexpected_error("a map", map ? where.error() : map.error());
  for (const bool of_points : {true, false}) {
    const auto got = symbolic::count(*map, of_points, *where);
    if (!got) return unexpected_error(row.dump(), got.error());
    const std::vector<SizedCase>& cases = got->answers[0].cases;
    for (const Json& point : row.at("points")) {
      const SizeMap at = size_map_of(point.at(0));
      const SizedCase* c = case_at(cases, at);
      if (c == nullptr || c->kind != SizedCase::Kind::value)
        return VectorResult::fail("a number at " + point.dump(), shown(cases));
      symbolic::TermReader reader(c->text);
      const auto term = reader.term();
      if (!term || symbolic::evaluate(*term, numbers_of(at)) != point.at(of_points ? 1 : 2).get<Index>())
        return VectorResult::fail(point.dump(), shown(cases));
    }
  }
  return VectorResult::pass();
}

VectorResult judge_map(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "inverse") return judge_inverse(row);
  if (op == "within") return judge_within(row);
  if (op == "count") return judge_count(row);
  const auto where = assumed(row);
  if (!where) return unexpected_error("assumptions", where.error());
  if (op == "simplify") {
    const auto map = map_of(text_of(row, "map"));
    if (!map) return unexpected_error("a map", map.error());
    return judge_values(row, symbolic::simplify(*map, *where));
  }
  if (op != "compose") return unknown_op(row);
  const auto first = map_of(text_of(row, "first"));
  const auto second = map_of(text_of(row, "second"));
  if (!first || !second) return unexpected_error("a map", first ? second.error() : first.error());
  return judge_values(row, symbolic::compose(*first, *second, *where));
}

VectorResult judge_bug(const Json& row) {
  const std::string kind = text_of(row, "kind");
  if (kind == "equal_maps") return judge_map_equality(row);
  if (kind == "within") return judge_within(row);
  if (kind == "eval") return judge_cases(row);
  if (kind == "access") return judge_one_count(row);
  if (kind == "eval_basis") {
    eval::SizedVariables none;
    const auto all = eval::for_all_sizes(text_of(row, "text"), row.value("where", ""), {}, none);
    const bool one = all && !all->error && all->answers.back().cases.size() == 1;
    const std::string got = one ? all->answers.back().cases[0].text : "no single case";
    return VectorResult::when(got == text_of(row, "right"), text_of(row, "right"), got);
  }
  if (kind != "fact") return unknown_op(row);
  const auto where = SizeAssumptions::parse(row.value("where", ""));
  const auto got = compare_sizes(text_of(row, "lhs") + " " + text_of(row, "op") + " " + text_of(row, "rhs"),
                                 row.value("where", "").empty() ? SizeAssumptions()
                                 : where                        ? *where
                                                                : SizeAssumptions());
  return got ? judge_size_answer(row, *got) : unexpected_error(row.dump(), got.error());
}

const Register kSymbolicBugs = row_check("symbolic", "bugs.jsonl", judge_bug);
const Register kSymbolicMaps =
    row_check("symbolic", "map.jsonl", judge_map, {"simplify", "compose", "inverse", "within", "count"});

}  // namespace

VectorResult judge_map_equality(const Json& row) {
  const std::string first = text_of(row, "a");
  const std::string second = text_of(row, "b");
  const auto a = map_of(first);
  const auto b = map_of(second);
  const auto where = assumed(row);
  if (!a || !b || !where) return unexpected_error("maps", !a ? a.error() : !b ? b.error() : where.error());
  const auto got = symbolic::equal(*a, *b, *where);
  return got ? judge_size_answer(row, *got) : unexpected_error(text_of(row, "answer"), got.error());
}

}  // namespace tessera::vectors
