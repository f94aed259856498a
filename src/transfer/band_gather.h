// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers bands of new tensors from the mapped files of a checkpoint.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "tessera/relayout/relayout.h"
#include "transfer/byte_boxes.h"
#include "transfer/file_plan.h"
#include "transfer/page_budget.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {

/// The tensors of the source that one new tensor reads element by element or in memory, by their numbers.
struct GatheredSources {
  std::map<std::size_t, StoredElements> elements = {};
  Index laid_out = 0;  ///< bytes of those in memory
};

/// Moves elements by relayout plans, with several threads. Returns the pages of the sources to the system
/// when about `budget` bytes are resident.
class BandGather {
 public:
  /// `most_laid_out`: the memory of a new tensor for sources without digits.
  BandGather(const FilePlan& plan, Index budget, Index most_laid_out)
      : plan_(plan), pages_(budget, [&plan] { plan.source.drop_pages(); }), most_laid_out_(most_laid_out) {}

  /// Bytes [begin, end) of a tensor. Fills `buffer` and returns it; but if the bytes lie in the sources in
  /// order and in long runs, returns these runs instead. `buffer` has end - begin bytes. Errors: those of
  /// make_plan.
  Result<std::vector<std::span<const std::byte>>> gather(const TargetTensor& tensor, const ByteBoxes& boxes,
                                                         GatheredSources& sources, Index begin, Index end,
                                                         std::span<std::byte> buffer);

 private:
  Result<void> move(const TensorMove& part, Index unit, std::byte* target);
  StoredElements& elements_of(const TargetTensor& tensor, const TensorMove& part, GatheredSources& sources);

  const FilePlan& plan_;
  PageBudget pages_;
  Index most_laid_out_;
  PlanCache plans_;
};

}  // namespace tessera::transfer
