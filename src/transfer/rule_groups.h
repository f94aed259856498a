// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which rule of a recipe takes which tensors of a checkpoint.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transfer/checkpoint.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

/// The tensors that a rule takes together: they have the same words in their names.
struct RuleGroup {
  std::map<std::string, std::string, std::less<>> words;
  std::vector<std::vector<NameMatch>> found;  ///< of each pattern of the source
};

struct RuleGroups {
  std::vector<std::vector<RuleGroup>> of_rule;
  std::vector<std::string> dropped;
  /// How many values each axis has in names, if the recipe counts it.
  std::map<std::string, Index, std::less<>> counts;
};

/// Gives each tensor to the first rule that names it, or drops it. Errors: unknown_name with the reason
/// no_match (the recipe is for other tensors), different_shape with the reason
/// unused_source (unless `allow_unused`) or not_covered (a number is missing in counted names).
Result<RuleGroups> group_tensors(const Checkpoint& source, const Recipe& recipe, bool allow_unused);

/// The sizes of axes whose text is `shape`: such an axis is alone in a dimension of a tensor of the source.
/// Empty if the rule has none. Errors: shape_mismatch (two extents, another rank), bad_option (a tensor
/// that is distributed).
Result<std::map<std::string, Index, std::less<>>> shape_axes(const Checkpoint& source, const Recipe& recipe,
                                                             const RecipeRule& rule, const RuleGroup& group);

}  // namespace tessera::transfer
