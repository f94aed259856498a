// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recipes for the usual tensors of transformers, by their usual names.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// A built-in recipe: its name, what it does, and the names that `--set` takes next to those of its axes.
struct BuiltinRecipe {
  std::string_view name;
  std::string_view does;
  std::array<std::string_view, 3> parameters = {};  ///< empty: none
};

std::span<const BuiltinRecipe> builtin_recipes();

using RecipeParameters = std::map<std::string, Index, std::less<>>;

/// The text of a built-in recipe, which parse_recipe can read. Empty for an unknown name. Takes the
/// parameters of the recipe out of `set`; what is left are sizes of axes. Errors: missing_attribute (a
/// parameter).
Result<std::string> builtin_recipe(std::string_view name, RecipeParameters& set);

}  // namespace tessera::transfer
