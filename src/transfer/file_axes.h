// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which files of the source are the places of a rule.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "transfer/checkpoint.h"
#include "transfer/file_plan.h"
#include "transfer/recipe.h"
#include "transfer/recipe_axes.h"
#include "transfer/rule_groups.h"

namespace tessera::transfer {

/// The files that were found for the places of a rule, by the axes in the template of their names.
class FileAxes {
 public:
  FileAxes(const Checkpoint& source, const RecipeAxes& axes);

  /// The stored tensor with this number is the tensor of `place`. Errors: bad_option (it is that of another
  /// place, too).
  Result<void> add_place(std::size_t stored, Index place);
  /// Checks that all elements of a place have the same values of the template's axes: its file was found by
  /// those of the first. Errors: bad_option.
  Result<void> check(std::size_t stored, Index place,
                     const std::map<std::string, Index, std::less<>>& values);

 private:
  using Values = std::vector<std::optional<Index>>;

  const Checkpoint& source_;
  const RecipeAxes& axes_;
  std::vector<std::string> names_;  // of the template, except `place`
  std::map<std::size_t, Index> places_;
  std::map<std::size_t, Values> values_;
  Values now_;
};

/// Checks that the rule has elements of every tensor that it takes, and a place for every file with one:
/// otherwise a tensor or a file would be left out. Errors: different_shape with the reason unused_source,
/// value_count.
Result<void> check_places_read(const Checkpoint& source, const RecipeRule& rule, const RuleGroup& group,
                               const PieceOrigin& origin, const std::vector<SourceCopy>& copies,
                               const RecipeAxes& axes);

}  // namespace tessera::transfer
