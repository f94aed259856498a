// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks elements of new files against the meaning of both sides, independently of the plan that wrote them.
#pragma once

#include <cstddef>
#include <span>

#include "transfer/file_plan.h"
#include "transfer/target_run.h"

namespace tessera::transfer {

/// Compares every element. Computes where it is before and after from the formulas of the distributions or
/// from the axes of its piece, and where it is in its tensors from their layouts, and compares the bits at
/// all its places in the new files with those of a holder in the source. `files` are the bytes of the new
/// files; `release` drops the pages of all files. Also proves by counting that elements fill the new tensors.
/// Returns the number of elements that were compared, counting each copy. Errors: verify_failed.
Result<Index> verify_elements(const FilePlan& plan, std::span<const std::span<const std::byte>> files,
                              const Release& release, Index memory_bytes);

}  // namespace tessera::transfer
