// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves the elements of one band of a destination into memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tessera/relayout/relayout.h"
#include "tessera/transfer/copy.h"
#include "transfer/bands.h"
#include "transfer/element_mover.h"

namespace tessera::transfer {

/// The copy to make: both tensors, and the source's bytes, starting at offset 0 of its layout.
struct Job {
  const TensorFile& file;
  const Tensor& source;
  const Tensor& destination;
  std::span<const std::byte> bytes;
  const CopyOptions& options;
};

/// Cuts the destination into bands and moves their elements. The memory of a band has a cell of moved_bytes()
/// bytes for each offset.
class BandMover {
 public:
  /// `cells` is the number of offsets of the destination buffer, `most_cells` the limit for one band. Errors:
  /// broadcast, undecided, those of make_plan.
  static Result<std::unique_ptr<BandMover>> make(const Job& job, Index cells, Index most_cells);

  std::span<const Band> bands() const { return bands_; }
  /// True if no plan is possible, so that each element is moved by evaluating both layouts.
  bool by_element() const { return each_ != nullptr; }

  /// Writes the elements of the band, and no other cell. The first cell of `memory` has offset band.begin.
  /// Errors: broadcast, those of make_plan.
  Result<void> move(const Band& band, std::span<std::byte> memory);

 private:
  explicit BandMover(const Job& job);
  Result<void> take_plan(const RelayoutPlan& plan, Index cells, Index most_cells);
  Result<void> move_box(const Band& band, const IndexBox& box, std::byte* memory);
  PlanOptions plan_options() const;
  Index cost(const IndexBox& box) const;
  void release();

  Job job_;
  Index width_;
  Index source_budget_;
  Index resident_ = 0;  // bytes of the source that may have been touched since the last release
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
