// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recipes: how the tensors of one checkpoint become those of another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reshard/axis_expression.h"
#include "reshard/pieces.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "transfer/name_pattern.h"

namespace tessera::transfer {

/// A tensor on one side of a rule: `*` (unchanged), `t @ *` (a copy for each t), an axis expression, or an
/// axis expression with a distribution.
struct RecipeTensor {
  NamePattern name;
  std::string axes;
  std::string sharding = {};
  Index bits = 0;   ///< of a cell of the axes, if a stored element packs several cells; otherwise 0
  Span place = {};  ///< position of the name in the recipe
};

struct RecipeRule {
  std::vector<RecipeTensor> from;
  std::vector<RecipeTensor> to;
  PieceCopies copies;
};

/// An axis: one or more texts, all of which must give the same size.
struct RecipeAxis {
  std::string name;
  std::vector<std::string> texts;
};

struct Recipe {
  std::string name = {};
  std::vector<RecipeAxis> axes = {};
  std::string from_files = {};
  std::string to_files = {};
  std::vector<RecipeRule> rules = {};
  std::vector<NamePattern> drop = {};
};

/// Reads `{"schema": "tessera.recipe/1", "axes": {...}, "files": {...}, "tensors": [...], ...}`. Errors, with
/// a span in `text`: syntax, unknown_name (a key), duplicate_name (a repeated key), bad_option (a value of
/// the wrong kind), missing_attribute.
Result<Recipe> parse_recipe(std::string_view text);

/// The recipe that moves every tensor from one distribution to another. An empty text means that each tensor
/// is whole, in one file.
Result<Recipe> distribution_recipe(std::string_view from, std::string_view to);

/// \name Built-in recipes
/// @{
/// Their names.
std::vector<std::string_view> builtin_recipes();
/// The text of a built-in recipe, which parse_recipe can read. Empty for an unknown name. `set` has the
/// parameters of the recipe. Errors: missing_attribute (a parameter).
Result<std::string> builtin_recipe(std::string_view name,
                                   const std::map<std::string, Index, std::less<>>& set);
/// @}

/// The sizes of the axes of a recipe.
class RecipeAxes {
 public:
  /// `config` is the text of the source's config.json, or empty. `counts` has the sizes of axes whose text is
  /// `count` or `shape`. `set` replaces the texts of axes. Axes without a size are omitted; `missing` gives
  /// the reason. Errors: bad_file (a config that is not JSON), shape_mismatch (two texts with different
  /// sizes).
  static Result<RecipeAxes> make(const Recipe& recipe, std::string_view config,
                                 const std::map<std::string, Index, std::less<>>& counts,
                                 const std::map<std::string, Index, std::less<>>& set);

  AxisSizes sizes;
  std::map<std::string, Diagnostic, std::less<>> missing;
};

/// The value of an axis, computed from the values of its elementary axes. Empty if one of them is not known.
std::optional<Index> axis_value(const AxisSizes& sizes, std::string_view axis,
                                const std::map<std::string, Index, std::less<>>& elementary);

}  // namespace tessera::transfer
