// SPDX-License-Identifier: Apache-2.0
// Placements as source code: a function for each axis.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/try.h"
#include "code/build.h"
#include "code/function_text.h"
#include "tessera/code/code.h"
#include "tessera/placement/placement.h"

namespace tessera {
namespace {

// What moves on one axis: its digits, the replicas that it has, its offset and its swizzle.
Result<Placement> on_axis(const Placement& placement, std::size_t axis) {
  const PlacementDigits& all = *placement.digits();
  PlacementDigits own;
  own.combination = all.combination;
  own.offset = {all.offset[axis]};
  for (const PlacementDigit& digit : all.index) own.index.push_back({digit.extent, {digit.step[axis]}});
  for (const PlacementDigit& digit : all.replicas) {
    if (digit.extent > 1 && digit.step[axis] != 0) own.replicas.push_back({digit.extent, {digit.step[axis]}});
  }
  if (all.swizzle && all.swizzle->axis == axis) own.swizzle = AxisSwizzle{0, all.swizzle->swizzle};
  return Placement::make({placement.shape().begin(), placement.shape().end()}, {placement.axes()[axis]},
                         std::move(own));
}

// `place_laneid`, with single underscores, as all languages take them.
std::string function_name(std::string_view prefix, std::string_view axis, std::set<std::string>& taken) {
  std::string out(prefix);
  out += '_';
  for (const char c : axis) {
    if (c != '_' || out.back() != '_') out += c;
  }
  while (out.back() == '_') out.pop_back();
  const std::string base = out;
  for (int n = 1; !taken.insert(out).second; ++n) out = fmt::format("{}{}", base, n);
  return out;
}

}  // namespace

Result<SourceCode> placement_code(const Placement& placement, const CodeOptions& options) {
  if (placement.digits() == nullptr)
    return fail(Code::not_applicable, "the placement is a list of maps, not one map of digits");
  if (placement.size() == 0) return fail(Code::bad_extent, "the placement has no elements");
  std::string functions;
  std::vector<coding::FunctionCall> calls;
  std::vector<IndexMap> maps;
  std::vector<coding::Parameter> box;  // of the test: the index, then the replicas of each axis
  for (const Index extent : placement.shape()) box.push_back({"", Interval::of_extent(extent)});
  std::optional<coding::Rules> rules;
  std::set<std::string> taken;
  for (std::size_t a = 0; a < placement.axes().size(); ++a) {
    TESSERA_TRY(own, on_axis(placement, a));
    CodeOptions one = options;
    one.name = function_name(options.name.empty() ? "place" : options.name, placement.axes()[a].name, taken);
    const std::size_t replicas = own.digits()->replicas.size();
    const std::string about = fmt::format("The value on the axis {}{}.", placement.axes()[a].name,
                                          replicas == 0   ? ""
                                          : replicas == 1 ? "; s0 is the number of a replica"
                                                          : "; s0, s1, ... are the numbers of a replica");
    TESSERA_TRY(function, coding::map_function(own.maps().front(), one, {about}));
    TESSERA_TRY(text, coding::function_text(function));
    rules = function.terms.rules();
    const bool python = rules->family == coding::Family::python || rules->family == coding::Family::arrays;
    if (!functions.empty()) functions += python ? "\n\n" : "\n";
    functions += text;
    if (!options.test) continue;
    coding::FunctionCall call{.function = std::move(function)};
    for (std::size_t i = 0; i < placement.rank(); ++i) call.arguments.push_back(i);
    for (std::size_t i = placement.rank(); i < call.function.parameters.size(); ++i) {
      call.arguments.push_back(box.size());
      box.push_back(call.function.parameters[i]);
    }
    maps.push_back(own.maps().front());
    calls.push_back(std::move(call));
  }
  if (!options.test) return coding::finished(*rules, std::move(functions));
  std::vector<coding::Expected> of_axis;
  for (const IndexMap& map : maps) of_axis.push_back(coding::expected_of(map));
  const auto expected = [&](std::span<const Index> point) -> std::optional<std::vector<Index>> {
    std::vector<Index> out;
    for (std::size_t a = 0; a < calls.size(); ++a) {
      std::vector<Index> own;
      for (const std::size_t i : calls[a].arguments) own.push_back(point[i]);
      const auto value = of_axis[a](own);
      if (!value) return std::nullopt;
      out.push_back(value->front());
    }
    return out;
  };
  return coding::finished(*rules, std::move(functions), coding::functions_test(calls, box, expected));
}

}  // namespace tessera
