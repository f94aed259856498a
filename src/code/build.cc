// SPDX-License-Identifier: Apache-2.0
#include "code/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "code/function_text.h"
#include "code/lower.h"
#include "tessera/map/map_algebra.h"

namespace tessera::coding {

Result<Function> start_function(const CodeOptions& options, std::string_view default_name) {
  if (!options.name.empty() && !is_identifier(options.name))
    return fail(
        Code::bad_option, fmt::format("'{}' is not a valid function name", options.name), {},
        "use letters, digits and single _, start with a letter, and avoid names that a language reserves");
  return Function{.terms = Terms(rules_of(options.language), options.multiply_high),
                  .name = options.name.empty() ? std::string(default_name) : options.name};
}

TermId add_parameter(Function& function, std::string name, Interval range) {
  const auto number = static_cast<Index>(function.parameters.size());
  function.parameters.push_back({std::move(name), range});
  return function.terms.variable(number, range);
}

std::vector<std::string> variable_names(const IndexMap& map) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < map.variables().size(); ++v) {
    std::string name = map.domain().name(v);
    if (!is_identifier(name)) name = fmt::format("x{}", v);
    names.push_back(free_name(std::move(name), names));
  }
  return names;
}

Result<void> add_map(Function& function, const IndexMap& map, std::span<const TermId> variables) {
  std::vector<std::string> taken = function.results;
  for (const Parameter& parameter : function.parameters) taken.push_back(parameter.name);
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    const Result<TermId> value = lower(function.terms, map.results()[i], variables);
    if (!value) return fail(value.error());
    function.values.push_back(*value);
    function.results.push_back(free_name(fmt::format("r{}", i), taken));
  }
  for (const Constraint& constraint : map.constraints()) {
    const Result<TermId> term = lower(function.terms, constraint.expr, variables);
    if (!term) return fail(term.error());
    function.conditions.push_back({*term, constraint.range});
  }
  return {};
}

Result<IndexMap> prepared(const IndexMap& map) {
  IndexMap simple = simplify(map, Points::preserve);
  if (simple.known_empty())
    return fail(Code::undefined_value, "the map has no points", {}, "no loop and no function is needed");
  for (std::size_t v = 0; v < simple.variables().size(); ++v) {
    if (!simple.variables()[v].bounds.is_finite())
      return fail(Code::unbounded, fmt::format("{} has no bounds", simple.domain().name(v)), {},
                  "add an interval for it to the domain");
  }
  return simple;
}

Expected expected_of(const IndexMap& map) {
  return [map](std::span<const Index> point) -> std::optional<std::vector<Index>> {
    if (!map.domain().contains(point)) return std::nullopt;
    return map.evaluate(point);
  };
}

namespace {

constexpr std::size_t kColumns = 100;

// Where to break a line: after the last comma or before the last operator at the lowest nesting depth. In
// Python, only inside brackets; a line that was broken before begins inside brackets, too.
std::size_t break_of(std::string_view line, bool brackets_only) {
  std::size_t best = 0;
  int best_depth = 1 << 20;
  int depth = 0;
  for (std::size_t i = 0; i + 3 < line.size() && i < kColumns; ++i) {
    if (line[i] == '(' || line[i] == '[' || line[i] == '{') ++depth;
    if (line[i] == ')' || line[i] == ']' || line[i] == '}') --depth;
    if (line[i] != ' ' || i < 8 || (brackets_only && depth <= 0)) continue;
    const std::string_view next = line.substr(i + 1, 3);
    const bool breaks = line[i - 1] == ',' || next.starts_with("+ ") || next.starts_with("- ") ||
                        next.starts_with("^ ") || next.starts_with("& ") || next.starts_with("and") ||
                        next.starts_with("&& ");
    if (breaks && depth <= best_depth && line.find_first_not_of(' ') < i) {
      best = i;
      best_depth = depth;
    }
  }
  return best;
}

// Breaks long lines. Continuation lines are indented by four more columns.
std::string wrapped(std::string_view text, bool brackets_only) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(start + 4, ' ');
    const bool code = line.compare(start, 1, "#") != 0 && line.compare(start, 2, "//") != 0;
    while (code && line.size() > kColumns) {
      const std::size_t at = break_of(line, brackets_only);
      if (at == 0) break;
      out += line.substr(0, at) + "\n";
      line = indent + line.substr(at + 1);
      // break_of() would treat the rest as if it began outside brackets.
      if (brackets_only) break;
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace

Result<Function> map_function(const IndexMap& map, const CodeOptions& options,
                              std::vector<std::string> about) {
  Result<Function> function = start_function(options, "read");
  if (!function) return function;
  const Result<IndexMap> simple = prepared(map);
  if (!simple) return fail(simple.error());
  const std::vector<std::string> names = variable_names(*simple);
  std::vector<TermId> variables;
  for (std::size_t v = 0; v < names.size(); ++v) {
    const Interval given = map.variables()[v].bounds;
    const Interval bounds = simple->variables()[v].bounds;
    variables.push_back(add_parameter(*function, names[v], given.is_finite() ? given : bounds));
    // Constraints may have narrowed the interval.
    if (!(given == bounds)) function->conditions.push_back({variables.back(), bounds});
  }
  if (const auto added = add_map(*function, *simple, variables); !added) return fail(added.error());
  function->about = std::move(about);
  function->about.push_back(to_string(*simple));
  return function;
}

SourceCode finished(const Rules& rules, std::string functions, std::string test) {
  SourceCode code;
  code.language = rules.language;
  code.text = std::string(rules.prologue);
  // Two empty lines before a function, as Python's formatters write them.
  const bool python = rules.family == Family::python || rules.family == Family::arrays;
  if (!code.text.empty()) code.text += python ? "\n\n" : "\n";
  code.text += rules.family == Family::affine ? functions : wrapped(functions, python);
  code.test = std::move(test);
  return code;
}

Result<SourceCode> finished(const Function& function, const CodeOptions& options, const Expected& expected) {
  Result<std::string> text = function_text(function);
  if (!text) return fail(text.error());
  return finished(function.terms.rules(), *std::move(text),
                  options.test ? function_test(function, expected) : std::string());
}

Result<IndexMap> by_number(const IndexMap& map) {
  const std::span<const Variable> variables = map.variables();
  const std::size_t loops = map.dim_count() + map.range_count();
  std::vector<Expr> values(variables.size());
  Index inner = 1;
  for (std::size_t v = loops; v-- > 0;) {
    const auto extent = variables[v].bounds.count();
    const Expr digit = floor_div(Expr::variable(0), inner);
    if (!extent || mul_overflows(inner, *extent, inner))
      return fail(Code::overflow, "the number of points does not fit in 64 bits");
    values[v] = mod(digit, *extent) + variables[v].bounds.lower;
  }
  std::vector<Variable> runtimes(variables.begin() + static_cast<std::ptrdiff_t>(loops), variables.end());
  for (std::size_t i = 0; i < runtimes.size(); ++i)
    values[loops + i] = Expr::variable(static_cast<Index>(1 + i));
  Domain domain({{.bounds = Interval::of_extent(inner), .name = "n"}}, {}, std::move(runtimes));
  for (const Constraint& constraint : map.constraints())
    domain.constrain(substitute(constraint.expr, values), constraint.range);
  std::vector<Expr> results(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(loops));
  for (const Expr result : map.results()) results.push_back(substitute(result, values));
  return IndexMap::make(std::move(domain), std::move(results));
}

}  // namespace tessera::coding
