// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a recipe is about, and where it takes elements from, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/element_map.h"

namespace tessera {

/// An axis of a recipe. The size is empty if it comes from the source.
struct ListedAxis {
  std::string name;
  std::vector<std::string> texts;
  std::optional<Index> size = {};
  std::string why = {};  ///< why there is no size yet
};

/// A recipe with its axes and rules.
struct RecipeAnswer {
  std::string name;
  std::string does = {};
  std::vector<std::string> parameters = {};  ///< names that `--set` takes next to the axes
  std::vector<ListedAxis> axes = {};
  std::vector<std::string> rules = {};
};

/// The built-in recipes, one a line: the name, what it does, the names of `--set`.
std::string to_text(const std::vector<RecipeAnswer>& recipes);
std::string to_json(const std::vector<RecipeAnswer>& recipes);

/// The axes and the rules of a recipe.
std::string to_text(const RecipeAnswer& recipe);
std::string to_json(const RecipeAnswer& recipe);

/// For each shard its shape, then a line for each map.
std::string to_text(const std::vector<transfer::TensorSources>& tensors);
std::string to_json(std::string_view recipe, const std::vector<transfer::TensorSources>& tensors);

}  // namespace tessera
