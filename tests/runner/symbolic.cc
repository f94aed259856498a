// SPDX-License-Identifier: Apache-2.0
// Answers for all sizes: what holds for all sizes must hold at each size of a row.
#include <algorithm>
#include <cctype>
#include <map>

#include "eval/for_all_sizes.h"
#include "eval/node_run.h"
#include "notation/symbolic/symbolic_answers.h"
#include "notation/symbolic/symbolic_equality.h"
#include "notation/symbolic/symbolic_map.h"
#include "notation/symbolic/symbolic_text.h"
#include "notation/symbolic/unknown_sizes.h"
#include "runner/symbolic_rows.h"
#include "tessera/notation/conversion.h"

namespace tessera::vectors {

SizeMap size_map_of(const Json& object) { return object.get<std::map<std::string, Index, std::less<>>>(); }

VectorResult unexpected_error(const std::string& expected, const Diagnostic& error) {
  return VectorResult::fail(expected, to_string(error));
}

namespace {

/// The assumptions of a row, or the result for it.
Result<SizeAssumptions> assumptions_of(const Json& row) {
  const std::string where = row.value("where", "");
  return where.empty() ? SizeAssumptions() : SizeAssumptions::parse(where);
}

}  // namespace

Result<bool> truth_at(std::string condition, const SizeMap& sizes) {
  while (!condition.empty()) {
    const std::size_t end = condition.find(" or ");
    const Result<SizeAssumptions> part = SizeAssumptions::parse(condition.substr(0, end));
    if (!part && part.error().code != Code::empty_range) return fail(part.error());
    // Sizes of parameters that the condition does not name do not matter.
    if (part && part->holds(sizes)) return true;
    condition = end == std::string::npos ? "" : condition.substr(end + 4);
  }
  return false;
}

VectorResult judge_size_answer(const Json& row, const SizeAnswer& got) {
  const std::string expected = text_of(row, "answer");
  const std::string text = to_string(got);
  using Kind = SizeAnswer::Kind;
  if (expected == "undecided") {
    if (got.kind == Kind::undecided) return VectorResult::pass();
  } else if (got.kind == Kind::undecided) {
    return VectorResult::fail(row.dump(), text);
  }
  const bool has_false = row.contains("at");
  if (got.kind == Kind::yes && (has_false || expected == "no" || expected == "iff"))
    return VectorResult::fail(row.dump(), text);
  if (got.kind != Kind::yes && expected == "yes") return VectorResult::fail("yes", text);
  if (got.kind == Kind::iff || got.kind == Kind::yes) {
    for (const Json& point : row.value("points", Json::array())) {
      const Result<bool> here =
          got.kind == Kind::yes ? Result<bool>(true) : truth_at(got.condition, size_map_of(point.at(0)));
      if (!here) return unexpected_error("a condition that can be read: " + text, here.error());
      if (*here != point.at(1).get<bool>())
        return VectorResult::fail(point.dump() + " of " + row.dump().substr(0, 200), text);
    }
  }
  if (got.kind == Kind::no || (got.kind == Kind::iff && has_false)) {
    const Json& at = row.at("at");
    if (got.smallest) {
      if (size_map_of(at.at("sizes")) != got.sizes) return VectorResult::fail(at.dump(), text);
      if (at.contains("index") && at.at("index").get<std::vector<Index>>() != got.index)
        return VectorResult::fail(at.dump(), text);
      if (at.contains("values")) {
        std::vector<std::string> values;
        for (const Json& v : at.at("values")) {
          std::string value = v.dump();
          if (v.is_array())  // the results of a map
            value = v.size() == 1 ? v.at(0).dump() : "(" + value.substr(1, value.size() - 2) + ")";
          values.push_back(std::move(value));
        }
        if (values != got.values) return VectorResult::fail(at.dump(), text);
      }
    }
  }
  return VectorResult::pass();
}

namespace {

VectorResult judge_fact(const Json& row) {
  const Result<SizeAssumptions> where = assumptions_of(row);
  if (!where) return unexpected_error("assumptions", where.error());
  const Result<SizeAnswer> got =
      compare_sizes(row.value("left", row.value("lhs", "")) + " " + text_of(row, "op") + " " +
                        row.value("right", row.value("rhs", "")),
                    *where);
  return got ? judge_size_answer(row, *got) : unexpected_error(text_of(row, "answer"), got.error());
}

VectorResult judge_term(const Json& row) {
  const std::string expected = text_of(row, "print");
  const Result<std::string> got = canonical_size(text_of(row, "text"));
  if (!got) return unexpected_error(expected, got.error());
  if (*got != expected) return VectorResult::fail(expected, *got);
  const Result<std::string> again = canonical_size(*got);
  return VectorResult::when(again && *again == *got, *got, again ? *again : to_string(again.error()));
}

VectorResult judge_where(const Json& row) {
  const Result<SizeAssumptions> got = SizeAssumptions::parse(text_of(row, "text"));
  if (!got) return unexpected_error(text_of(row, "print"), got.error());
  const Result<SizeAssumptions> again = SizeAssumptions::parse(got->text());
  if (!again || again->text() != got->text())
    return VectorResult::fail(got->text(), again ? again->text() : "an error");
  for (const bool holds : {true, false}) {
    for (const Json& sizes : row.at(holds ? "holds" : "fails")) {
      if (got->holds(size_map_of(sizes)) != holds) return VectorResult::fail(sizes.dump(), got->text());
    }
  }
  return VectorResult::pass();
}

/// The code of a text that cannot be read, or that is a layout or a map for no sizes.
VectorResult judge_refusal(const Json& row) {
  const std::string text = text_of(row, "text");
  std::optional<Code> code;
  if (text_of(row, "verb") == "show") {
    const auto layout = symbolic::SymbolicLayout::parse(text);
    const auto facts =
        layout ? symbolic::facts(*layout, {}) : Result<symbolic::SizedAnswers>(fail(layout.error()));
    if (!facts) code = facts.error().code;
  } else {
    const auto map = symbolic::SymbolicMap::parse(text, {});
    if (!map) code = map.error().code;
  }
  return VectorResult::when(code && to_string(*code) == text_of(row, "error"), text_of(row, "error"),
                            code ? std::string(to_string(*code)) : "no error");
}

/// The canonical text of a layout, which is its own.
VectorResult judge_layout_text(const Json& row) {
  const std::string expected = text_of(row, "print");
  for (const std::string& text : {text_of(row, "text"), expected}) {
    const auto layout = symbolic::SymbolicLayout::parse(text);
    if (!layout) return unexpected_error(expected, layout.error());
    const std::string got = symbolic::canonical(*layout);
    if (got != expected) return VectorResult::fail(expected, got);
  }
  return VectorResult::pass();
}

/// A text with `?`: the names and what is assumed of them, its error, or an equality of two.
VectorResult judge_unknowns(const Json& row) {
  if (row.contains("a")) {
    const auto a = symbolic::parse_with_unknowns(text_of(row, "a"));
    const auto b =
        symbolic::parse_with_unknowns(text_of(row, "b"), 1 + symbolic::unknown_count(text_of(row, "a")));
    if (!a || !b) return unexpected_error("layouts", a ? b.error() : a.error());
    const Result<SizeAnswer> got = symbolic::equal(*a, *b, {});
    return got ? judge_size_answer(row, *got) : unexpected_error(text_of(row, "answer"), got.error());
  }
  const auto layout = symbolic::parse_with_unknowns(text_of(row, "text"));
  if (row.contains("error"))
    return VectorResult::when(!layout && to_string(layout.error().code) == text_of(row, "error"),
                              text_of(row, "error"), layout ? "a layout" : to_string(layout.error()));
  const auto named = symbolic::named_unknowns(text_of(row, "text"));
  if (!named) return unexpected_error(text_of(row, "layout"), named.error());
  const std::string got = named->text + " where " + named->where.text();
  const std::string expected = text_of(row, "layout") + " where " + text_of(row, "where");
  if (got != expected) return VectorResult::fail(expected, got);
  // Strides of a basis are for the calculator.
  if (named->text.find('@') != std::string::npos) return VectorResult::pass();
  return layout ? VectorResult::when(layout->text() == text_of(row, "layout"), expected, layout->text())
                : unexpected_error(expected, layout.error());
}

VectorResult judge_symbolic_text(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "term") return judge_term(row);
  if (op == "where") return judge_where(row);
  if (op == "error") return judge_refusal(row);
  if (op == "layout") return judge_layout_text(row);
  return unknown_op(row);
}

/// A text of numbers with the strides of extents of 1 written 0: what the calculator answers, or the code of
/// its error.
std::string normal_text(const std::string& text) {
  Evaluator evaluator;
  const Evaluation said = evaluator.evaluate(text);
  if (said.error) return parse_code(text) ? text : std::string(to_string(said.error->code));
  const Value& value = said.answers.back().value;
  const auto* layout = value.as<TrackedLayout>();
  if (layout == nullptr) return to_string(value);
  StridedLayout l = layout->layout;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.extent[i] == 1) l.stride[i] = 0;
  }
  return to_string(Value(l));
}

/// A value with names at sizes, as `normal`.
std::string value_text_at(const std::string& text, const SizeMap& at) {
  const eval::ParsedProgram program = eval::parse_program(text);
  if (program.error || program.statements.size() != 1) return "cannot be read: " + text;
  std::map<std::string, symbolic::Integer, std::less<>> numbers;
  for (const auto& [name, value] : at) numbers[name] = value;
  const auto written = eval::text_at(program.statements[0].expr, {}, numbers);
  return written ? normal_text(*written) : "has no value: " + text;
}

}  // namespace

VectorResult judge_cases(const Json& row) {
  const std::string expression = text_of(row, "text");
  eval::SizedVariables none;
  const auto all = eval::for_all_sizes(expression, row.value("where", ""), {}, none);
  if (!all) {  // no names
    const std::string got = normal_text(expression);
    for (const Json& point : row.at("points")) {
      if (point.at(1) != got) return VectorResult::fail(point.dump(), got);
    }
    return VectorResult::pass();
  }
  if (all->error) return unexpected_error("cases", *all->error);
  const std::vector<eval::SizedCase>& cases = all->answers.back().cases;
  bool may_be_undecided = false;
  for (const Json& c : row.at("cases")) {
    // A newer search finds some of the inverses that have this error.
    may_be_undecided = may_be_undecided || c.contains("undecided") ||
                       c.value("error", "") == "left_inverse_chain" ||
                       c.value("then", "").find("undecided") != std::string::npos;
  }
  std::string shown;
  for (const eval::SizedCase& c : cases)
    shown += c.text +
             (c.kind == eval::SizedCase::Kind::value ? "" : std::string(to_string(c.code)) + " " + c.reason) +
             " if " + c.condition + "; ";
  for (const eval::SizedCase& c : cases) {
    if (c.kind == eval::SizedCase::Kind::undecided && !may_be_undecided)
      return VectorResult::fail(row.at("cases").dump(), shown);
  }
  if (!row.contains("points"))
    return VectorResult::when(row.at("cases").size() != 1 || cases.size() == 1, row.at("cases").dump(),
                              shown);
  for (const Json& point : row.at("points")) {
    const SizeMap at = size_map_of(point.at(0));
    const std::string expected =
        normal_text(point.at(1).is_string() ? point.at(1).get<std::string>() : point.at(1).dump());
    int matching = 0;
    for (const eval::SizedCase& c : cases) {
      const Result<bool> here = c.condition.empty() ? Result<bool>(true) : truth_at(c.condition, at);
      if (!here) return unexpected_error("a condition that can be read: " + c.condition, here.error());
      if (!*here) continue;
      ++matching;
      if (c.kind == eval::SizedCase::Kind::undecided) continue;
      const std::string got =
          c.kind == eval::SizedCase::Kind::error ? std::string(to_string(c.code)) : value_text_at(c.text, at);
      if (got != expected && expected != "left_inverse_chain")
        return VectorResult::fail(point.dump() + " of " + expression, got + " by " + shown);
    }
    if (matching != 1)
      return VectorResult::fail("one case at " + point.at(0).dump(),
                                std::to_string(matching) + " of " + shown);
  }
  return VectorResult::pass();
}

namespace {

VectorResult judge_equality(const Json& row) {
  if (text_of(row, "kind") == "maps") return judge_map_equality(row);
  const auto a = symbolic::SymbolicLayout::parse(text_of(row, "a"));
  const auto b = symbolic::SymbolicLayout::parse(text_of(row, "b"));
  if (!a) return unexpected_error("a layout", a.error());
  if (!b) return unexpected_error("a layout", b.error());
  symbolic::AssumptionList where;
  if (!row.value("where", "").empty()) {
    const auto list = symbolic::AssumptionList::parse(text_of(row, "where"));
    if (!list) return unexpected_error("assumptions", list.error());
    where = *list;
  }
  const Result<SizeAnswer> got = symbolic::equal(*a, *b, where);
  return got ? judge_size_answer(row, *got) : unexpected_error(text_of(row, "answer"), got.error());
}

/// A text of a case at sizes: a name, or a term of names and numbers without brackets, is a number.
std::string layout_text_at(const std::string& text, const SizeMap& at) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    const auto found = at.find(text.substr(i, end - i));
    if (found != at.end()) {
      out += std::to_string(found->second);
      i = end;
    } else {
      end = std::max(end, i + 1);
      out += text.substr(i, end - i);
      i = end;
    }
  }
  return out;
}

/// A conversion in cases, judged at each point: a text by its function, an error by its reason.
VectorResult judge_conversion(const Json& row) {
  const auto layout = symbolic::SymbolicLayout::parse(text_of(row, "source_text"));
  if (!layout) return unexpected_error("a layout", layout.error());
  symbolic::AssumptionList where;
  if (!row.value("where", "").empty()) {
    const auto list = symbolic::AssumptionList::parse(text_of(row, "where"));
    if (!list) return unexpected_error("assumptions", list.error());
    where = *list;
  }
  const auto to = parse_notation(text_of(row, "to"));
  if (!to) return unknown_op(row);
  const auto got = symbolic::convert(*layout, *to, where);
  if (!got) return unexpected_error("cases", got.error());
  for (const Json& point : row.at("points")) {
    const SizeMap at = size_map_of(point.at(0));
    symbolic::Sizes numbers;
    for (const auto& [name, value] : at) numbers[name] = value;
    const auto source = parse_layout(layout->text_at(numbers).value_or(""));
    if (!source) return unexpected_error("a layout at " + point.dump(), source.error());
    int matching = 0;
    for (const symbolic::SizedCase& c : got->answers[0].cases) {
      const Result<bool> here = c.condition.empty() ? Result<bool>(true) : truth_at(c.condition, at);
      if (!here) return unexpected_error("a condition that can be read: " + c.condition, here.error());
      if (!*here) continue;
      ++matching;
      if (point.at(1).is_object()) {
        if (c.kind != symbolic::SizedCase::Kind::error || point.at(1).at("reason") != c.reason)
          return VectorResult::fail(point.dump(), c.text + c.reason);
        continue;
      }
      if (c.kind != symbolic::SizedCase::Kind::value) return VectorResult::fail(point.dump(), c.reason);
      std::string text = layout_text_at(c.text, at);
      if (*to != Notation::map) {
        const auto again = symbolic::SymbolicLayout::parse(c.text);
        if (!again) return unexpected_error("a text that can be read: " + c.text, again.error());
        text = again->text_at(numbers).value_or("");
      }
      // The bounds of a map are numbers: `[0, 8 - 1]`.
      for (std::size_t end = 0; (end = text.find(" - 1]", end)) != std::string::npos;) {
        std::size_t begin = end;
        while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
        if (begin == end) break;
        text.replace(begin, end + 4 - begin, std::to_string(std::stol(text.substr(begin, end - begin)) - 1));
      }
      const auto read = parse_layout(text);
      if (!read) return unexpected_error("a layout: " + c.text, read.error());
      if (same_map(*read, *source).verdict != Verdict::yes) return VectorResult::fail(point.dump(), c.text);
    }
    if (matching != 1) return VectorResult::fail("one case at " + point.dump(), std::to_string(matching));
  }
  return VectorResult::pass();
}

const Register kSymbolicConvert = row_check("symbolic", "convert.jsonl", judge_conversion);
const Register kSymbolicEqual = row_check("symbolic", "equal.jsonl", judge_equality);
const Register kSymbolicEval = row_check("symbolic", "eval.jsonl", judge_cases);
const Register kSymbolicFacts = row_check("symbolic", "facts.jsonl", judge_fact);
const Register kSymbolicText =
    row_check("symbolic", "text.jsonl", judge_symbolic_text, {"term", "layout", "where", "error"});
const Register kSymbolicUnknowns = row_check("symbolic", "cuteir.jsonl", judge_unknowns);

}  // namespace
}  // namespace tessera::vectors
