// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks elements of new files against the meaning of both sides, independently of the plan that wrote them.
#pragma once

#include <cstddef>
#include <span>

#include "transfer/file_plan.h"
#include "transfer/target_run.h"

namespace tessera::transfer {

/// In an array or a piece with at most this many elements, every one is checked.
inline constexpr Index kLookUpAll = Index{1} << 16;
/// In a larger one, at most this many: half at borders of parts and ends of axes, half at random.
inline constexpr Index kLookUpSome = Index{1} << 14;

/// Computes where an element is before and after, from the formulas of the distributions or from the axes of
/// its piece, and compares the bits at all its places in the new files with those of a holder in the source.
/// `files` are the bytes of the new files; `release` drops the pages of all files. If all elements are
/// checked, also proves by counting that they fill the new tensors. Returns the number of elements that were
/// compared, counting each copy. Errors: verify_failed.
Result<Index> verify_elements(const FilePlan& plan, std::span<const std::span<const std::byte>> files,
                              const Release& release, Index memory_bytes);

}  // namespace tessera::transfer
