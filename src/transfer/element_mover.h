// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves elements one by one, for copies without a plan.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "tessera/relayout/relayout.h"
#include "tessera/transfer/copy.h"
#include "transfer/bands.h"
#include "transfer/page_budget.h"
#include "transfer/reach.h"

namespace tessera::transfer {

/// Moves a band by evaluating both layouts at each element. It skips boxes of indices whose offsets are all
/// outside the band. For most layouts each element is visited once or twice in all; at worst, once per band.
class ElementMover {
 public:
  /// `pages`: those of the source. All but the bytes must outlive the mover.
  ElementMover(const Tensor& source, std::span<const std::byte> bytes, const Tensor& destination, Index width,
               PageBudget& pages);

  /// Like BandMover::move. Errors: broadcast, with the two indices.
  Result<void> move(const Band& band, std::span<std::byte> memory, Executor& executor) const;

 private:
  class Cells;

  void visit(const IndexBox& box, const Band& band,
             const std::function<void(const IndexBox&, Index touched)>& f) const;
  std::pair<IndexBox, IndexBox> halves(const IndexBox& box, const Band& band) const;
  void move_box(const IndexBox& box, Cells& cells) const;
  Failure shared_offset(Index offset) const;

  const Tensor& source_;
  std::span<const std::byte> bytes_;
  const Tensor& destination_;
  std::size_t width_;
  PageBudget& pages_;
  Reach from_;
  Reach to_;
};

/// The error `broadcast`: indices `a` and `b` of the destination share an offset.
Failure shared_offset(std::span<const Index> a, std::span<const Index> b, Index offset);

}  // namespace tessera::transfer
