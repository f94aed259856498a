// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers bands of new tensors from the mapped files of a checkpoint.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tessera/relayout/relayout.h"
#include "transfer/banded_tensor.h"
#include "transfer/byte_boxes.h"
#include "transfer/file_plan.h"
#include "transfer/page_budget.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {

/// What all new tensors share. `most_laid_out`: the memory of a new tensor for sources without digits.
struct GatheredFiles {
  GatheredFiles(const FilePlan& files, Index memory_bytes, Index most)
      : plan(files), pages(memory_bytes / 2, [&files] { files.source.drop_pages(); }), most_laid_out(most) {}

  const FilePlan& plan;
  PageBudget pages;
  Index most_laid_out;
  PlanCache plans;
};

/// Makes a new tensor from a list of moves. One whose layout has no digits, such as a swizzle, is a single
/// band, from its row-major elements in memory.
class BandGather final : public BandMover {
 public:
  BandGather(const TargetTensor& tensor, GatheredFiles& files) : tensor_(tensor), files_(files) {}

  void cut(Index piece) override;
  std::span<const Band> bands() const override { return bands_; }
  std::vector<std::span<const std::byte>> stored(const Band& band) override;
  Result<void> move(const Band& band, std::span<std::byte> memory) override;
  void finish() override;

 private:
  Result<void> gather(Index begin, Index end, std::byte* target);
  Result<void> move_part(const TensorMove& part, std::byte* target);
  Result<void> lay_out(std::span<const std::byte> rows, std::span<std::byte> out) const;
  StoredElements& elements_of(const TensorMove& part);
  std::span<const std::byte> bytes_of(const TensorMove& part) const;

  const TargetTensor& tensor_;
  GatheredFiles& files_;
  Index piece_ = 0;
  std::optional<ByteBoxes> boxes_;
  std::vector<Band> bands_;                         // in bytes
  std::map<std::size_t, StoredElements> elements_;  // of sources that are read by element or in memory
  Index laid_out_ = 0;                              // bytes of those in memory
};

}  // namespace tessera::transfer
