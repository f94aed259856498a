// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_map_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/plural.h"
#include "notation/symbolic/map_counts.h"
#include "notation/symbolic/map_inverse.h"
#include "notation/symbolic/map_terms.h"
#include "size/limits.h"
#include "size/question.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera::symbolic {
namespace {

/// What the algorithms of numbers say of the map at some sizes.
using SayOfMap = std::function<Result<std::string>(const IndexMap&)>;

Result<SizedAnswers> asked(const SymbolicMap& map, const AssumptionList& where, const SizedProgram& program,
                           const SayOfMap& say) {
  AssumptionList all = map.where();
  all.append(where);
  const std::vector<std::string> names = all.names(map.sizes());
  if (names.size() > kSizeLimits.parameters) return fail(too_many_parameters());
  SizedAnswers out{.parameters = parameters_of(all, names), .where = all.text()};
  const auto said = [&](const Sizes& at) -> std::optional<SaidAtSizes> {
    const auto text = map.text_at(at);
    if (!text) return std::nullopt;
    const Result<IndexMap> numbers = parse_index_map(*text);
    if (!numbers) return std::nullopt;
    Result<std::string> answer = say(*numbers);
    if (answer) return SaidAtSizes{.text = *std::move(answer)};
    return SaidAtSizes{.error = std::move(answer.error())};
  };
  Result<std::vector<SizedCase>> cases = sized_cases(all, names, program, said, out.notes);
  if (!cases && cases.error().code == Code::bad_extent)
    return fail(Code::undefined_value, "no sizes give the map a point and divisors of at least 1");
  if (!cases) return fail(std::move(cases.error()));
  out.answers.push_back({"", *std::move(cases)});
  return out;
}

}  // namespace

Result<SizedAnswers> simplify(const SymbolicMap& map, const AssumptionList& where) {
  return asked(
      map, where, [&](Recorder& run) { return simplified_leaf(map, run); },
      [](const IndexMap& numbers) -> Result<std::string> { return to_string(tessera::simplify(numbers)); });
}

Result<SizedAnswers> compose(const SymbolicMap& first, const SymbolicMap& second,
                             const AssumptionList& where) {
  if (first.results().size() != second.dims().size())
    return fail({.code = Code::rank_mismatch,
                 .message = fmt::format("the first map has {}, but the second has {}",
                                        tessera::detail::plural(std::ssize(first.results()), "result"),
                                        tessera::detail::plural(std::ssize(second.dims()), "variable")),
                 .field = "second"});
  std::map<std::string, SizeTerm> names;
  for (std::size_t i = 0; i < second.dims().size(); ++i) names[second.dims()[i]] = first.results()[i];
  std::vector<SizedInterval> domain = first.domain();
  for (const SizedInterval& i : second.domain())
    domain.push_back({replaced(i.value, names), replaced(i.low, names), replaced(i.high, names)});
  std::vector<SizeTerm> results;
  for (const SizeTerm& t : second.results()) results.push_back(replaced(t, names));
  AssumptionList all = first.where();
  all.append(second.where());
  return simplify(SymbolicMap::make(first.dims(), std::move(domain), std::move(results), std::move(all)),
                  where);
}

Result<SizedAnswers> inverse(const SymbolicMap& map, const AssumptionList& where) {
  return asked(
      map, where, [&](Recorder& run) { return inverse_leaf(map, run); },
      [](const IndexMap& numbers) -> Result<std::string> {
        const Result<IndexMap> back = tessera::inverse(numbers);
        return back ? Result<std::string>(to_string(*back)) : fail(back.error());
      });
}

Result<SizedAnswers> count(const SymbolicMap& map, bool of_points, const AssumptionList& where) {
  return asked(
      map, where, [&](Recorder& run) { return count_leaf(map, of_points, run); },
      [&](const IndexMap& numbers) -> Result<std::string> {
        const Count n = of_points ? count_points(numbers) : count_image(numbers);
        return n.exact() ? Result<std::string>(to_string(n)) : fail(Code::undecided, n.reason);
      });
}

Result<SizedAnswers> image(const SymbolicMap& map, const AssumptionList& where) {
  return asked(
      map, where, [&](Recorder& run) { return image_leaf(map, run); },
      [](const IndexMap& numbers) -> Result<std::string> {
        const Image set = tessera::image(numbers);
        return set.exact ? Result<std::string>(to_string(set))
                         : fail(Code::undecided, "not exact for numbers");
      });
}

}  // namespace tessera::symbolic
