// SPDX-License-Identifier: Apache-2.0
/// \file
/// The sizes of axes: numbers, products of other axes, and arithmetic on names and on keys of config.json.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reshard/pieces/axis_expression.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

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
