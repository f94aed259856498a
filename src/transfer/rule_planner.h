// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rules of a recipe, applied to the tensors of a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "transfer/checkpoint.h"
#include "transfer/file_plan.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

struct PlannedRules {
  std::vector<TargetTensor> tensors = {};  ///< `file` is empty if nothing says it
  std::vector<std::string> rules = {};     ///< each rule as text: `a, b -> c`
  std::vector<std::string> dropped = {};
  bool has_places = false;
};

/// Every tensor of the source is taken by the first rule that matches, or dropped. Errors: as of
/// reshard_files.
Result<PlannedRules> plan_rules(const Checkpoint& source, const Recipe& recipe,
                                const ReshardFilesOptions& options);

}  // namespace tessera::transfer
