// SPDX-License-Identifier: Apache-2.0
// Loops over the points of a map.
#include <fmt/format.h>

#include "code/build.h"
#include "code/nest_test_text.h"
#include "code/nest_text.h"
#include "tessera/code/code.h"

namespace tessera {
namespace {

using coding::Function;

// For languages on arrays, which have no loops: a function from the number of a point to its variables and
// results.
Result<SourceCode> numbered_code(Function function, const IndexMap& map, const CodeOptions& options) {
  const Result<IndexMap> numbered = coding::by_number(map);
  if (!numbered) return fail(numbered.error());
  Result<IndexMap> simple = coding::prepared(*numbered);
  if (!simple) return fail(simple.error());
  const std::vector<std::string> names = coding::variable_names(map);
  std::vector<coding::TermId> variables;
  for (std::size_t v = 0; v < numbered->variables().size(); ++v) {
    const Interval given = numbered->variables()[v].bounds;
    const std::size_t runtime = map.dim_count() + map.range_count() + v - 1;
    std::string name = v == 0 ? coding::free_name("n", names) : names[runtime];
    variables.push_back(coding::add_parameter(function, std::move(name), given));
    const Interval bounds = simple->variables()[v].bounds;
    if (v == 0 || !(given == bounds)) function.conditions.push_back({variables.back(), bounds});
  }
  if (const auto added = coding::add_map(function, *simple, variables); !added) return fail(added.error());
  function.about.push_back(
      fmt::format("Point number {} of {}: its variables, its results, and whether it is valid.",
                  function.parameters[0].name, function.parameters[0].range.upper + 1));
  return coding::finished(function, options, coding::expected_of(*numbered));
}

}  // namespace

Result<SourceCode> loop_code(const IndexMap& map, const CodeOptions& options) {
  Result<Function> function = coding::start_function(options, "for_each");
  if (!function) return fail(function.error());
  const Result<IndexMap> simple = coding::prepared(map);
  if (!simple) return fail(simple.error());
  function->about = {fmt::format("All points of {}", to_string(*simple))};
  const coding::Rules& rules = function->terms.rules();
  if (rules.family == coding::Family::arrays) return numbered_code(*std::move(function), *simple, options);
  const std::vector<std::string> names = coding::variable_names(*simple);
  const std::size_t loops = simple->dim_count() + simple->range_count();
  std::vector<coding::TermId> variables(names.size());
  for (std::size_t v = loops; v < names.size(); ++v)
    variables[v] = coding::add_parameter(*function, names[v], simple->variables()[v].bounds);
  for (std::size_t v = 0; v < loops; ++v)
    variables[v] = coding::add_parameter(*function, names[v], simple->variables()[v].bounds);
  if (const auto added = coding::add_map(*function, *simple, variables); !added) return fail(added.error());
  const coding::LoopNest nest{.function = *std::move(function), .loops_from = names.size() - loops};
  Result<std::string> text = coding::nest_text({nest});
  if (!text) return fail(text.error());
  Result<std::string> test =
      options.test ? coding::nest_test(nest, coding::expected_of(*simple)) : std::string();
  if (!test) return fail(test.error());
  return coding::finished(rules, *std::move(text), *std::move(test));
}

}  // namespace tessera
