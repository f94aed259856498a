// SPDX-License-Identifier: Apache-2.0
#include "size/few_values.h"

#include <fmt/format.h>

#include "size/explore.h"
#include "size/limits.h"

namespace tessera::symbolic {

bool proved_for_each_value(const AssumptionList& where, const std::vector<std::string>& names,
                           const std::function<bool(const AssumptionList&)>& proved) {
  const Premises start = premises(where, names, std::make_shared<Space>());
  if (start.empty) return false;
  const Exploration all =
      explore(start.region, start.conditions, [](Recorder&) { return Leaf{.frame = "true"}; });
  if (all.empty) return false;
  for (const std::string& name : names) {
    // A size that is a core of its own, whose interval has both ends.
    const Polynomial& value = all.root->values().at(all.space->parameter(name));
    const Monomial variables = value.variables();
    if (variables.size() != 1 || !(value == Polynomial::of(variables[0]))) continue;
    const SizeRegion::Range range = all.root->cores().at(variables[0]);
    if (!range.high || *range.high - range.low >= kSizeLimits.few_values) continue;
    bool each = true;
    for (Integer n = range.low; each && n <= *range.high; ++n) {
      const auto here = AssumptionList::parse(fmt::format("{0} in [{1}, {1}]", name, to_string(n)));
      if (!here) return false;
      AssumptionList one = where;
      one.append(*here);
      each = proved(one);
    }
    if (each) return true;
  }
  return false;
}

}  // namespace tessera::symbolic
