// SPDX-License-Identifier: Apache-2.0
/// \file
/// The proof of a plan, and the last steps of a target, between writing its last band and giving it its name.
#pragma once

#include "transfer/file_plan.h"
#include "transfer/part_folder.h"

namespace tessera::transfer {

/// Proves that the moves of every tensor write each byte once and omit only padding, by counting the writes
/// of each cell. O(cells / 64 + runs). Errors: verify_failed.
Result<void> check_every_byte(const FilePlan& plan);

/// Compares every element of the new files with its source, run by run and without relayout plans. Returns
/// the number of elements. Errors: verify_failed.
Result<Index> compare_files(const FilePlan& plan, const PartFolder& folder, Index memory_bytes);

/// Copies the small files that programs need to load the tensors next to them: `.json`, `.txt`, `.model`,
/// `.jinja`. Does not copy the index of the source. Errors: file_write.
Result<void> copy_settings(const FilePlan& plan, const PartFolder& folder);

}  // namespace tessera::transfer
