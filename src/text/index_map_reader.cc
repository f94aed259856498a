// SPDX-License-Identifier: Apache-2.0
#include "text/index_map_reader.h"

#include <fmt/core.h>

#include <algorithm>

namespace tessera::detail {

Result<std::variant<IndexMap, UndefinedMap>> IndexMapReader::read(DomainPart domain_part) {
  std::variant<IndexMap, UndefinedMap> out;
  if (lexer_.peek().is("UNDEFINED") || lexer_.peek().is("KNOWN")) {
    if (!special(out)) return Failure(reader_.take_error());
    return out;
  }
  if (!header()) return Failure(reader_.take_error());
  const bool ends_here = lexer_.peek().kind == TokenKind::end;
  const bool needs_domain = lists_.count() > 0 && domain_part == DomainPart::required;
  if (!ends_here || needs_domain) {
    if (!domain() || !end_of_text()) return Failure(reader_.take_error());
  }
  out = IndexMap::make_unchecked(make_domain(), std::move(results_));
  return out;
}

std::optional<std::vector<Index>> IndexMapReader::written_box() const {
  if (lists_.dims == 0 || lists_.dims != bounds_.size() || !constraints_.empty()) return std::nullopt;
  std::vector<Index> extents;
  for (const Bounds& bounds : bounds_) {
    const bool no_point = bounds.lower > bounds.upper;
    if (!no_point && (bounds.lower != 0 || bounds.upper == kPosInf)) return std::nullopt;
    extents.push_back(no_point ? 0 : bounds.upper + 1);
  }
  return extents;
}

bool IndexMapReader::special(std::variant<IndexMap, UndefinedMap>& out) {
  if (lexer_.accept("UNDEFINED")) {
    out = UndefinedMap{};
    return end_of_text();
  }
  lexer_.take();
  if (!reader_.expect("EMPTY", "after KNOWN")) return false;
  out = IndexMap::empty(Domain(), 0);
  return end_of_text();
}

bool IndexMapReader::end_of_text() {
  if (lexer_.peek().kind == TokenKind::end) return true;
  return reader_.fail_expected("the end of the map");
}

bool IndexMapReader::header() {
  if (lexer_.peek().kind == TokenKind::end) {
    return reader_.fail(Code::syntax, "the text of a map is empty", lexer_.peek().span,
                        "write a map like (d0) -> (d0 mod 8), domain: d0 in [0, 63]");
  }
  if (!reader_.expect("(", "before the dimensions") || !name_list(")", lists_.dims)) return false;
  if (lexer_.accept("[") && !name_list("]", lists_.ranges)) return false;
  if (lexer_.accept("{") && !name_list("}", lists_.runtimes)) return false;
  return reader_.expect("->", "after the variables") && results();
}

bool IndexMapReader::name_list(std::string_view close, std::size_t& count) {
  if (lexer_.accept(close)) return true;
  for (;;) {
    const Token& name = lexer_.peek();
    if (name.kind != TokenKind::name) {
      return reader_.fail_expected("the name of a variable", "names start with a letter: d0, s0, rt0, th_x");
    }
    if (is_keyword(name.text)) {
      return reader_.fail(Code::reserved_name, fmt::format("'{}' is a keyword, not a name", name.text),
                          name.span, "choose another name");
    }
    if (!names_.declare(name.text)) {
      return reader_.fail(Code::duplicate_name, fmt::format("variable '{}' is declared twice", name.text),
                          name.span, "rename one of the two");
    }
    ++count;
    lexer_.take();
    if (lexer_.accept(close)) return true;
    if (!lexer_.accept(","))
      return reader_.fail_expected(fmt::format("',' or '{}' in the list of variables", close));
  }
}

bool IndexMapReader::results() {
  if (!reader_.expect("(", "before the results")) return false;
  if (lexer_.accept(")")) return true;
  for (;;) {
    Expr result;
    if (!reader_.expression(result)) return false;
    results_.push_back(result);
    if (lexer_.accept(")")) return true;
    if (!lexer_.accept(",")) return reader_.fail_expected("an operator, ',' or ')' after a result");
  }
}

bool IndexMapReader::domain() {
  if (lists_.count() == 0) {
    return reader_.fail_expected("the end of the map", "a map without variables has no domain");
  }
  if (lexer_.peek().kind == TokenKind::end) {
    const std::string name(names_[0]);
    return reader_.fail(Code::syntax, "the domain is missing", lexer_.peek().span,
                        fmt::format("add the interval of each variable: ', domain: {} in [0, 9]{}'", name,
                                    lists_.count() > 1 ? ", ..." : ""));
  }
  if (!reader_.expect(",", "before the domain") || !reader_.expect("domain", "after the results") ||
      !reader_.expect(":", "after domain")) {
    return false;
  }
  for (std::size_t i = 0; i < lists_.count(); ++i) {
    if (i > 0 && lexer_.peek().kind != TokenKind::end &&
        !reader_.expect(",", "between the items of the domain")) {
      return false;
    }
    if (!variable_item(i)) return false;
  }
  while (lexer_.peek().kind != TokenKind::end) {
    if (!reader_.expect(",", "between the items of the domain")) return false;
    if (lexer_.peek().kind == TokenKind::end) break;  // a comma after the last item
    if (!constraint_item()) return false;
  }
  return true;
}

bool IndexMapReader::variable_item(std::size_t variable) {
  const Token& token = lexer_.peek();
  if (token.kind == TokenKind::end) {
    return reader_.fail(Code::syntax, fmt::format("the interval of '{}' is missing", names_[variable]),
                        token.span, fmt::format("add ', {} in [0, 9]'", names_[variable]));
  }
  if (token.kind != TokenKind::name || token.text != names_[variable]) {
    return reader_.fail_expected(fmt::format("the interval of '{}'", names_[variable]),
                                 "the domain begins with the intervals of all variables, in order");
  }
  lexer_.take();
  Bounds bounds;
  if (!reader_.expect("in", "before an interval") || !interval(bounds)) return false;
  bounds_.push_back(bounds);
  return true;
}

bool IndexMapReader::constraint_item() {
  Item item;
  if (!reader_.expression(item.expr)) return false;
  if (!lexer_.accept("in")) {
    return reader_.fail_expected("an operator, or 'in' and the interval of the constraint",
                                 "write a constraint like d0 mod 2 in [0, 0]");
  }
  if (!interval(item.bounds)) return false;
  constraints_.push_back(item);
  return true;
}

bool IndexMapReader::interval(Bounds& out) {
  return reader_.expect("[", "of an interval") && reader_.integer(out.lower, "the lower bound") &&
         reader_.expect(",", "between the bounds") && reader_.integer(out.upper, "the upper bound") &&
         reader_.expect("]", "after the bounds");
}

// The name of a variable; empty if it is the default name.
std::string IndexMapReader::own_name(std::size_t variable) const {
  const std::string_view name = names_[variable];
  const std::size_t symbol = variable - std::min(variable, lists_.dims);
  if (variable < lists_.dims) return name == fmt::format("d{}", variable) ? "" : std::string(name);
  if (symbol < lists_.ranges) return name == fmt::format("s{}", symbol) ? "" : std::string(name);
  return name == fmt::format("rt{}", symbol - lists_.ranges) ? "" : std::string(name);
}

Domain IndexMapReader::make_domain() const {
  std::vector<Variable> kinds[3];
  bool feasible = true;
  for (std::size_t i = 0; i < lists_.count(); ++i) {
    const Bounds bounds = i < bounds_.size() ? bounds_[i] : Bounds{};
    const auto interval = Interval::make(bounds.lower, bounds.upper);
    feasible = feasible && interval;
    const std::size_t kind = i < lists_.dims ? 0 : i < lists_.dims + lists_.ranges ? 1 : 2;
    kinds[kind].push_back({interval.value_or(Interval::point(0)), own_name(i)});
  }
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  if (!feasible) domain.set_known_empty();
  for (const Item& item : constraints_) domain.constrain(item.expr, {item.bounds.lower, item.bounds.upper});
  return domain;
}

}  // namespace tessera::detail
