// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers bands of new tensors from the mapped files of a checkpoint.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tessera/relayout/relayout.h"
#include "transfer/byte_boxes.h"
#include "transfer/file_plan.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {

/// Moves elements by relayout plans, with several threads. Returns the pages of the sources to the system
/// when about `budget` bytes are resident.
class BandGather {
 public:
  BandGather(const FilePlan& plan, Index budget) : plan_(plan), pages_(budget) {}

  /// Bytes [begin, end) of a tensor. Fills `buffer` and returns it; but if the bytes lie in the sources in
  /// order and in long runs, returns these runs instead. `buffer` has end - begin bytes. Errors: those of
  /// make_plan.
  Result<std::vector<std::span<const std::byte>>> gather(const TargetTensor& tensor, const ByteBoxes& boxes,
                                                         Index begin, Index end, std::span<std::byte> buffer);

 private:
  Result<void> move(const TensorMove& part, Index unit, std::byte* target);
  void touch(Index bytes);

  const FilePlan& plan_;
  PageBudget pages_;
  PlanCache plans_;
};

}  // namespace tessera::transfer
