// SPDX-License-Identifier: Apache-2.0
// The older form: one item on each line, runtime variables among the symbols, each followed by its source.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "text/index_map_reader.h"
#include "text/pasted_map.h"

namespace tessera {
namespace detail {

Result<LegacyMap> IndexMapReader::read_legacy() {
  if (lexer_.peek().is("UNDEFINED") || lexer_.peek().is("KNOWN")) {
    std::variant<IndexMap, UndefinedMap> map;
    if (!special(map)) return Failure(reader_.take_error());
    if (IndexMap* const known = std::get_if<IndexMap>(&map)) return LegacyMap{.map = std::move(*known)};
    return fail(Code::undefined_value, "UNDEFINED is not a map");
  }
  if (!header()) return Failure(reader_.take_error());
  if (lists_.runtimes > 0) {
    return fail(Code::syntax, "the older form has no list of runtime variables", {0, lexer_.taken_end()},
                "list them in [ ], each with its 'hlo:' line in the domain");
  }
  if (!legacy_domain() || !legacy_trailer() || !end_of_text()) return Failure(reader_.take_error());
  return make_legacy();
}

bool IndexMapReader::legacy_domain() {
  lexer_.accept(",");
  if (lists_.count() == 0) {
    return !lexer_.accept("domain") || reader_.expect(":", "after domain");
  }
  if (!reader_.expect("domain", "after the results") || !reader_.expect(":", "after domain")) return false;
  for (std::size_t i = 0; i < lists_.count(); ++i) {
    if (!variable_item(i)) return false;
    lexer_.accept(",");
    const bool symbol = i >= lists_.dims;
    if (symbol && lexer_.peek().is("hlo") && !legacy_runtime(i)) return false;
  }
  while (lexer_.peek().kind != TokenKind::end && !lexer_.peek().is("is_simplified")) {
    if (!constraint_item()) return false;
    lexer_.accept(",");
  }
  return true;
}

bool IndexMapReader::legacy_runtime(std::size_t variable) {
  lexer_.take();
  if (!lexer_.peek().is(":")) return reader_.fail_expected("':' after hlo");
  // The rest of the line is the text of an instruction.
  std::string_view line = lexer_.take_line().text.substr(1);
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  RuntimeLines lines;
  lines.symbol = variable;
  lines.source = line;

  // Reads the header of the source's map. Its variables are those of the outer map, by position.
  VariableNames outer_names;
  std::swap(names_, outer_names);
  std::swap(lists_, lines.lists);
  std::swap(results_, lines.results);
  const bool read = header();
  std::swap(names_, outer_names);
  std::swap(lists_, lines.lists);
  std::swap(results_, lines.results);
  if (!read) return false;
  if (lines.lists.dims > lists_.dims || lines.lists.ranges > lists_.ranges || lines.lists.runtimes > 0) {
    return reader_.fail(
        Code::variable_mismatch,
        fmt::format("the map of '{}' has more variables than the map it belongs to", names_[variable]),
        lexer_.peek().span);
  }
  runtime_lines_.push_back(std::move(lines));
  return true;
}

bool IndexMapReader::legacy_trailer() {
  if (!lexer_.accept("is_simplified")) return true;
  if (!reader_.expect(":", "after is_simplified")) return false;
  if (lexer_.accept("true") || lexer_.accept("false")) return true;
  return reader_.fail_expected("true or false");
}

LegacyMap IndexMapReader::make_legacy() const {
  // Moves symbols with sources after the others, and otherwise keeps the order.
  const std::size_t count = lists_.count();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto has_source = [this](std::size_t variable) {
    return std::ranges::find(runtime_lines_, variable, &RuntimeLines::symbol) != runtime_lines_.end();
  };
  const auto middle = std::ranges::stable_partition(order, std::not_fn(has_source)).begin();
  std::vector<Expr> moved(count);
  for (std::size_t place = 0; place < count; ++place) {
    moved[order[place]] = Expr::variable(static_cast<Index>(place));
  }
  std::vector<Variable> kinds[3];
  bool feasible = true;
  for (auto it = order.begin(); it != order.end(); ++it) {
    const Bounds bounds = bounds_[*it];
    const auto interval = Interval::make(bounds.lower, bounds.upper);
    feasible = feasible && interval;
    const std::size_t kind = *it < lists_.dims ? 0 : it < middle ? 1 : 2;
    kinds[kind].push_back({interval.value_or(Interval::point(0)), own_name(*it)});
  }
  const std::vector<Variable> dims = kinds[0];
  const std::vector<Variable> ranges = kinds[1];
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  if (!feasible) domain.set_known_empty();
  for (const Item& item : constraints_) {
    domain.constrain(substitute(item.expr, moved), {item.bounds.lower, item.bounds.upper});
  }
  LegacyMap out;
  for (auto it = middle; it != order.end(); ++it) {
    const auto lines = std::ranges::find(runtime_lines_, *it, &RuntimeLines::symbol);
    const auto first = [](const std::vector<Variable>& from, std::size_t n) {
      std::vector<Variable> some(from.begin(),
                                 from.begin() + static_cast<std::ptrdiff_t>(std::min(n, from.size())));
      for (Variable& variable : some) variable.name.clear();
      return some;
    };
    out.runtime.push_back({std::string(lines->source),
                           IndexMap::make_unchecked(
                               Domain(first(dims, lines->lists.dims), first(ranges, lines->lists.ranges), {}),
                               lines->results)});
  }
  std::vector<Expr> results;
  for (const Expr e : results_) results.push_back(substitute(e, moved));
  out.map = IndexMap::make_unchecked(std::move(domain), std::move(results));
  return out;
}

}  // namespace detail

bool is_legacy_form(std::string_view text) {
  constexpr std::string_view kDomain = "domain:";
  const std::size_t at = text.find(kDomain);
  if (at == std::string_view::npos || at == 0) return false;
  const std::size_t before = text.find_last_not_of(" \t", at - 1);
  return before != std::string_view::npos && text[before] == '\n';
}

Result<LegacyMap> parse_legacy_map(std::string_view text) {
  if (detail::is_pasted_map(text)) {
    const auto pasted = detail::unwrap_pasted_map(text);
    return pasted ? parse_legacy_map(pasted->text) : fail(pasted.error());
  }
  return detail::IndexMapReader(text).read_legacy();
}

}  // namespace tessera
