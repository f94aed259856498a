// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements of new files looked up by what both sides mean, and not by the plan that wrote them.
#pragma once

#include "transfer/file_plan.h"
#include "transfer/part_folder.h"

namespace tessera::transfer {

/// Of an array or a piece with at most this many elements, every one is looked up.
inline constexpr Index kLookUpAll = Index{1} << 16;
/// Of a larger one, this many: half of them at borders of parts and ends of axes, half anywhere.
inline constexpr Index kLookUpSome = Index{1} << 14;

/// Computes where an element is before and after, from the formulas of the distributions or from the axes of
/// its piece, and compares the bits at all its places in the new files with those of a holder in the source.
/// Where all elements are looked up, also counts that they fill the new tensors. Returns the number of
/// elements that were compared, each copy counted. Errors: verify_failed, file_read.
Result<Index> verify_elements(const FilePlan& plan, const PartFolder& folder, Index memory_bytes);

}  // namespace tessera::transfer
