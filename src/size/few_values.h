// SPDX-License-Identifier: Apache-2.0
// A question about all sizes, asked for each value of a size that has few.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "size/assumption.h"

namespace tessera::symbolic {

/// Whether some size has at most 16 values, and `proved` is true of the assumptions with each of them.
bool proved_for_each_value(const AssumptionList& where, const std::vector<std::string>& names,
                           const std::function<bool(const AssumptionList&)>& proved);

}  // namespace tessera::symbolic
