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
  if (options.test)
    return fail(Code::not_applicable, "a test is of one function, and a placement has one for each axis", {},
                "choose an axis: --axis NAME");
  std::string functions;
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
  }
  return coding::finished(*rules, std::move(functions));
}

}  // namespace tessera
