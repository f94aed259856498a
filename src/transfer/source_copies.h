// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies in the source of a checkpoint: elements that must be equal, of which only one is read.
#pragma once

#include <string>
#include <vector>

#include "transfer/file_plan.h"
#include "transfer/recipe.h"
#include "transfer/source_shards.h"

namespace tessera::transfer {

/// The copies of the pieces of a rule, by axes that only the source has and by replicated distributions. A
/// copy whose file is missing is left out. Adds views to the source. Errors: those of check_stored,
/// different_type, limit.
Result<std::vector<SourceCopy>> piece_copies(Checkpoint& source, const RecipeRule& rule,
                                             const PieceMatch& match, const AxisSizes& sizes);

/// The copies of the tensor `name`, by its distribution; if that is whole, in all files that have it. Errors:
/// different_type, shape_mismatch.
Result<std::vector<SourceCopy>> replicas(const Checkpoint& source, const std::string& name,
                                         const SourceShards& shards);

/// Which copies to compare: those of axes that the recipe declares, or also replicas.
enum class WhichCopies : std::uint8_t { declared, all };

/// Compares the copies with those that are read. Returns the number of elements compared. Errors: bad_option
/// with the reason copies_differ.
Result<Index> compare_copies(const FilePlan& plan, WhichCopies which, Index memory_bytes);

}  // namespace tessera::transfer
