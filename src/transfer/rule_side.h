// SPDX-License-Identifier: Apache-2.0
/// \file
/// One side of a rule, with the sizes of its axes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reshard/pieces/pieces.h"
#include "transfer/recipe.h"
#include "transfer/recipe_axes.h"

namespace tessera::transfer {

/// `*`, or `a b @ *` with the place axes a and b.
struct WholeForm {
  std::vector<std::string> places;
};

/// Empty for an axis expression.
std::optional<WholeForm> whole_form(std::string_view axes);

/// The tensors of a side, with these words in their names. Adds the axes that have a size in the text. A
/// tensor with the sharding `{replicated}` is whole at each of `files` places. Errors: those of the axes, of
/// axis expressions and of distributions.
Result<std::vector<PieceTensor>> rule_side(const std::vector<RecipeTensor>& side,
                                           const std::map<std::string, std::string, std::less<>>& words,
                                           RecipeAxes& axes, Index files = 1);

}  // namespace tessera::transfer
