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
  std::vector<TargetTensor> tensors = {};  ///< `file` is empty if the recipe does not specify it
  std::vector<std::string> rules = {};     ///< each rule as text: `a, b -> c`
  std::vector<std::string> unmatched = {};
  std::vector<std::string> dropped = {};
  std::vector<ArrayOrigin> arrays = {};  ///< `targets` are numbers in `tensors`
  std::vector<PieceOrigin> pieces = {};
  std::vector<SourceCopy> copies = {};
  bool has_places = false;
};

/// The tensors that the rules make. The first rule that matches takes each tensor of the source, unless the
/// tensor is dropped. Adds views to the source for tensors that the recipe says the layout of. Errors: as for
/// reshard_files.
Result<PlannedRules> plan_rules(Checkpoint& source, const Recipe& recipe, const ReshardFilesOptions& options);

}  // namespace tessera::transfer
