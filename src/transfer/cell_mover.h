// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves cells by plans, or one by one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tessera/relayout/relayout.h"
#include "tessera/transfer/copy.h"
#include "transfer/banded_tensor.h"
#include "transfer/element_mover.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {

/// The copy to make: both tensors, and the source's bytes, starting at offset 0 of its layout.
struct Job {
  const TensorFile& file;
  const Tensor& source;
  const Tensor& destination;
  std::span<const std::byte> bytes;
  const CopyOptions& options;
};

/// Moves cells of whole bytes, and packed ones as a byte each.
class CellMover final : public BandMover {
 public:
  /// `cells` is the number of offsets of the destination buffer, `most_cells` the limit for one band. Errors:
  /// broadcast, undecided, those of make_plan.
  static Result<std::unique_ptr<CellMover>> make(const Job& job, Index cells, Index most_cells);

  std::span<const Band> bands() const override { return bands_; }
  /// True if no plan is possible, so that each element is moved by evaluating both layouts.
  bool by_element() const { return each_ != nullptr; }
  Result<void> move(const Band& band, std::span<std::byte> memory) override;
  Result<VerifyReport> verify(std::span<const std::byte> written, const Release& release,
                              const std::function<void(Progress)>& progress) override;

 private:
  explicit CellMover(const Job& job);
  Result<void> take_plan(const RelayoutPlan& plan, Index cells, Index most_cells);
  Result<void> move_box(const Band& band, const IndexBox& box, std::byte* memory);
  PlanOptions plan_options() const;
  Index cost(const IndexBox& box) const;

  Job job_;
  Index width_;
  PageBudget pages_;
  std::optional<Digits> from_;
  std::optional<Digits> to_;
  std::optional<RelayoutPlan> whole_;  // for the whole tensor: a given plan, or if a layout has no digits
  PlanCache plans_;
  std::vector<Band> bands_;
  std::unique_ptr<ElementMover> each_;  // if no plan is possible
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<std::byte[]> unpacked_;  // the current box of a packed source
  std::size_t unpacked_bytes_ = 0;
};

}  // namespace tessera::transfer
