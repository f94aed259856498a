// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recipes for the usual tensors of transformers, by their usual names.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// The names of the built-in recipes.
std::vector<std::string_view> builtin_recipes();

/// The text of a built-in recipe, which parse_recipe can read. Empty for an unknown name. `set` has the
/// parameters of the recipe. Errors: missing_attribute (a parameter).
Result<std::string> builtin_recipe(std::string_view name,
                                   const std::map<std::string, Index, std::less<>>& set);

}  // namespace tessera::transfer
