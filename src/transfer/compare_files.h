// SPDX-License-Identifier: Apache-2.0
/// \file
/// The proof of a plan, and the last steps of a target, between writing its last band and giving it its name.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "transfer/file_plan.h"
#include "transfer/page_budget.h"
#include "transfer/target_run.h"

namespace tessera::transfer {

/// Proves that the moves of every tensor write each byte once and omit only padding, by counting the writes
/// of each cell, at most half of the memory at a time. Errors: verify_failed.
Result<void> check_every_byte(const FilePlan& plan, Index memory_bytes);

/// Adds the index of new files, and copies the small files that programs need to load the tensors next to
/// them, as is_settings says. Does not copy the index of the source. Errors: file_write.
Result<void> add_small_files(const FilePlan& plan, const PartFolder& folder);

}  // namespace tessera::transfer
