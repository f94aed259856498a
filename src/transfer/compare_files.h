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

/// Compares new tensors with their sources, run by run and without relayout plans.
class TensorComparison {
 public:
  TensorComparison(const FilePlan& plan, Index memory_bytes) : plan_(plan), memory_bytes_(memory_bytes) {}

  /// Compares every element of a tensor whose bytes in the new file are `written`. `release` drops the pages
  /// of the new files and of the source. Returns the number of elements. Errors: verify_failed.
  Result<Index> compare(const TargetTensor& tensor, std::span<const std::byte> written,
                        const Release& release);

 private:
  const FilePlan& plan_;
  Index memory_bytes_;
  std::optional<PageBudget> pages_;  // counts from the first comparison on
};

/// Adds the index of new files, and copies the small files that programs need to load the tensors next to
/// them, as is_settings says. Does not copy the index of the source. Errors: file_write.
Result<void> add_small_files(const FilePlan& plan, const PartFolder& folder);

}  // namespace tessera::transfer
