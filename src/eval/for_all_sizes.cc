// SPDX-License-Identifier: Apache-2.0
#include "eval/for_all_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "eval/interpreter.h"
#include "eval/node_run.h"
#include "size/question.h"
#include "size/spelling.h"

namespace tessera::eval {
namespace {

using symbolic::AssumptionList;
using symbolic::Case;
using symbolic::Exploration;
using symbolic::Leaf;
using symbolic::Sizes;

/// The place of the word `where`, or the end.
std::size_t where_at(std::string_view text) {
  const auto word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (std::size_t at = text.find("where"); at != std::string_view::npos; at = text.find("where", at + 1)) {
    const bool begins = at == 0 || !word(text[at - 1]);
    const bool ends = at + 5 == text.size() || !word(text[at + 5]);
    if (begins && ends) return at;
  }
  return text.size();
}

std::string value_text(const Leaf& leaf, const symbolic::SizeRegion& region) {
  std::string out;
  std::size_t n = 0;
  const bool alone = leaf.frame == "#";
  for (const char c : leaf.frame) {
    if (c != '#') {
      out += c;
      continue;
    }
    const std::string number = spelled(leaf.numbers[n++], region);
    out += alone ? number : symbolic::compact(number);
  }
  return out;
}

/// The first sizes at which the calculator has the error of a case, with what it says.
void add_witness(SizedCase& out, const Case& c, const AssumptionList& where,
                 const std::vector<std::string>& names, const Node& node, const NamedNodes& variables) {
  constexpr int most = 12;
  int tries = 0;
  bool complete = false;
  symbolic::visit_sizes(
      where, names,
      [&](const Sizes& at) {
        std::map<symbolic::SizeVariable, symbolic::Integer> numbers;
        for (const auto& [name, value] : at) numbers[c.region->space().parameter(name)] = value;
        const bool here = std::ranges::all_of(c.conditions, [&](const symbolic::SizeCondition& x) {
          return c.region->space().holds(x, numbers).value_or(false);
        });
        if (!here) return true;
        const auto text = text_at(node, variables, at);
        if (!text) return true;
        Evaluator evaluator;
        const Evaluation said = evaluator.evaluate(*text);
        if (said.error && said.error->code == out.code) {
          for (const auto& [name, value] : at) out.sizes[name] = static_cast<Index>(value);
          out.witness = said.error->witness;
          return false;
        }
        return ++tries < most;
      },
      complete);
}

SizedCase sized_case(const Case& c) {
  SizedCase out{.condition = spelled(c.conditions, c.region->space())};
  switch (c.leaf.kind) {
    case Leaf::Kind::value:
      out.text = value_text(c.leaf, *c.region);
      break;
    case Leaf::Kind::error:
      out.kind = SizedCase::Kind::error;
      out.code = parse_code(c.leaf.frame).value_or(Code::undecided);
      out.reason = c.leaf.reason;
      break;
    default:
      out.kind = SizedCase::Kind::undecided;
      out.reason = c.leaf.reason;
  }
  return out;
}

/// More general cases first: fewer conditions, then the order in which they were found.
void sort_general_first(std::vector<Case>& cases) {
  std::ranges::stable_sort(cases, {}, [](const Case& c) { return c.conditions.size(); });
}

/// The case that the calculator decides for every single one of few sizes.
bool few_sizes(const AssumptionList& where, const std::vector<std::string>& names) {
  symbolic::Integer count = 1;
  for (const std::string& name : names) {
    const symbolic::SizeRegion::Range range = where.range(name);
    if (!range.high || *range.high - range.low >= symbolic::kMaxResidues) return false;
    count *= *range.high - range.low + 1;
    if (count > symbolic::kMaxResidues) return false;
  }
  return true;
}

std::string equalities(const Sizes& at) {
  std::string out;
  for (const auto& [name, value] : at)
    out += fmt::format("{}{} == {}", out.empty() ? "" : " and ", name, symbolic::to_string(value));
  return out;
}

/// Puts answers of the calculator in place of an undecided case, one for each of few sizes.
std::vector<SizedCase> enumerated(const Case& c, const AssumptionList& where,
                                  const std::vector<std::string>& names, const Node& node,
                                  const NamedNodes& variables) {
  constexpr std::size_t most = 64;
  std::vector<SizedCase> out;
  bool complete = false;
  bool all = true;
  symbolic::visit_sizes(
      where, names,
      [&](const Sizes& at) {
        std::map<symbolic::SizeVariable, symbolic::Integer> numbers;
        for (const auto& [name, value] : at) numbers[c.region->space().parameter(name)] = value;
        for (const symbolic::SizeCondition& x : c.conditions) {
          if (!c.region->space().holds(x, numbers).value_or(false)) return true;
        }
        const auto text = text_at(node, variables, at);
        if (!text || out.size() >= most) return all = false;
        Evaluator evaluator;
        const Evaluation said = evaluator.evaluate(*text);
        SizedCase one{.condition = equalities(at)};
        if (said.error) {
          one.kind = SizedCase::Kind::error;
          one.code = said.error->code;
          one.reason = said.error->reason;
          one.witness = said.error->witness;
          for (const auto& [name, value] : at) one.sizes[name] = static_cast<Index>(value);
          if (one.code == Code::undecided || one.code == Code::limit) return all = false;
        } else {
          one.text = to_string(said.answers.back().value);
        }
        out.push_back(std::move(one));
        return true;
      },
      complete);
  return all && complete ? out : std::vector<SizedCase>{};
}

}  // namespace

std::optional<SizedEvaluation> for_all_sizes(std::string_view text, std::string_view where,
                                             const std::map<std::string, Value, std::less<>>& variables) {
  const std::size_t split = where_at(text);
  const bool assumes = split != text.size() || !where.empty();
  const std::string_view expression = text.substr(0, split);
  const ParsedProgram program = parse_program(expression);
  SizedEvaluation out;
  if (program.error) {
    if (!assumes) return std::nullopt;
    out.error = program.error;
    return out;
  }
  NamedNodes named;
  FreeNames free;
  for (const Statement& s : program.statements) {
    add_free_names(s.expr, named, free);
    if (!s.name.empty()) named[std::string(s.name)] = {.node = &s.expr};
  }
  std::erase_if(free.names, [&](const std::string& n) { return variables.contains(n); });
  if (!assumes && (!free.strong || free.names.empty())) return std::nullopt;
  // A variable of variables nests by one level for each statement.
  constexpr std::size_t most_statements = 500;
  if (program.statements.size() > most_statements) {
    out.error = Diagnostic{.code = Code::limit,
                           .message = fmt::format("more than {} statements for all sizes", most_statements),
                           .span = program.statements[most_statements].expr.span};
    return out;
  }

  AssumptionList list;
  if (split != text.size()) {
    const auto begin = static_cast<std::uint32_t>(split + 5);
    const Result<AssumptionList> own = AssumptionList::parse(text.substr(begin), begin);
    if (!own) {
      out.error = own.error();
      return out;
    }
    list.append(*own);
  }
  if (!where.empty()) {
    const Result<AssumptionList> more = AssumptionList::parse(where);
    if (!more) {
      out.error = more.error();
      out.error->field = "where";
      return out;
    }
    list.append(*more);
  }
  for (const std::string& name : free.names) {
    if (!symbolic::is_size_word(name)) continue;
    out.error =
        Diagnostic{.code = Code::reserved_name,
                   .message = fmt::format("'{}' is a word of the language and cannot be a size", name),
                   .help = "choose another name"};
    return out;
  }
  const std::vector<std::string> names = list.names(free.names);
  if (names.size() > symbolic::kMaxParameters) {
    out.error = symbolic::too_many_parameters();
    return out;
  }
  for (const std::string& name : names) {
    const symbolic::SizeRegion::Range range = list.range(name);
    out.parameters.push_back(
        {name, symbolic::to_string(range.low), range.high ? symbolic::to_string(*range.high) : ""});
  }
  out.where = list.text();

  std::deque<NamedNodes> scopes(1);  // the variables before each statement
  for (const Statement& s : program.statements) {
    const NamedNodes& before = scopes.back();
    const symbolic::Premises start = symbolic::premises(list, names, std::make_shared<symbolic::Space>());
    Exploration all{.empty = true};
    if (!start.empty) {
      all = symbolic::explore(start.region, start.conditions,
                              [&](symbolic::Recorder& run) { return evaluated(s.expr, before, run); });
    }
    if (all.empty) {
      out.error = symbolic::no_sizes(list);
      return out;
    }
    if (all.cases.empty()) {
      out.error = Diagnostic{.code = Code::bad_extent,
                             .message = "no sizes make every extent at least 1",
                             .span = s.expr.span,
                             .help = "assume sizes for which the operands are layouts, as in where N >= 8"};
      return out;
    }
    for (const Case& c : all.outside) {
      const std::string note = symbolic::outside_note(c);
      if (std::ranges::find(out.notes, note) == out.notes.end()) out.notes.push_back(note);
    }
    sort_general_first(all.cases);
    SizedAnswer answer{.name = std::string(s.name)};
    for (const Case& c : all.cases) {
      if (c.leaf.kind == Leaf::Kind::undecided && few_sizes(list, names)) {
        const std::vector<SizedCase> each = enumerated(c, list, names, s.expr, before);
        answer.cases.insert(answer.cases.end(), each.begin(), each.end());
        if (!each.empty()) continue;
      }
      answer.cases.push_back(sized_case(c));
      if (c.leaf.kind == Leaf::Kind::error) add_witness(answer.cases.back(), c, list, names, s.expr, before);
    }
    out.answers.push_back(std::move(answer));
    if (s.name.empty()) continue;
    NamedNodes after = before;
    after[std::string(s.name)] = {.node = &s.expr, .before = &before};
    scopes.push_back(std::move(after));
  }
  return out;
}

}  // namespace tessera::eval
