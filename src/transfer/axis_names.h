// SPDX-License-Identifier: Apache-2.0
/// \file
/// The names that a recipe gives to axes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

/// The names of all axes of a recipe, sorted: those that it declares, and those of its axis expressions,
/// names of tensors and files.
std::vector<std::string> axis_names(const Recipe& recipe);

/// The error bad_option for a name in `set` that is not an axis of the recipe.
Result<void> check_set(const std::vector<std::string>& known,
                       const std::map<std::string, Index, std::less<>>& set);

}  // namespace tessera::transfer
