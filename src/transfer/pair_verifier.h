// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares two tensors: the part that copies of cells and of codes share.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "expr/questions/row_evaluator.h"
#include "tessera/relayout/relayout.h"
#include "tessera/transfer/copy.h"
#include "transfer/index_box.h"
#include "transfer/page_budget.h"
#include "transfer/reach.h"

namespace tessera::transfer {

/// One layout of a side, whose cells have `bits` bits in a buffer of `bytes` bytes.
struct ComparedPart {
  ComparedPart(const Layout& layout, Index cell_bits, Index buffer_bytes)
      : reach(layout), map(defining_map(layout)), bits(cell_bits), bytes(buffer_bytes) {}

  /// The map that defines the notation. Of tiled layouts it is independent of the digits, which plans use.
  static IndexMap defining_map(const Layout& layout);

  Reach reach;
  IndexMap map;
  Index bits;
  Index bytes;
};

/// Compares every element. Evaluates the maps of both sides in rows, reads little of both files at a time,
/// and uses all threads.
class PairVerifier {
 public:
  PairVerifier(const PairVerifier&) = delete;
  PairVerifier& operator=(const PairVerifier&) = delete;
  virtual ~PairVerifier() = default;

  /// Errors: verify_failed, with the first element that was found to differ.
  Result<VerifyReport> run();

 protected:
  using Parts = std::vector<ComparedPart>;

  /// The maps of the first side come first. `release` drops the pages of both files.
  PairVerifier(std::span<const Index> shape, std::array<Parts, 2> sides, const VerifyOptions& options,
               std::function<void()> release, const std::function<void(Progress)>& progress);

  /// How many of the first `count` elements of a row are the same, up to the first that differs. `maps` has
  /// the offsets of all parts. May be called from any thread.
  virtual std::size_t same_row(const RowEvaluator& maps, std::size_t count) const = 0;
  virtual Diagnostic difference(std::span<const Index> index) const = 0;

  /// An evaluator of all maps, for one thread.
  RowEvaluator evaluator() const { return RowEvaluator(exprs_, shape_.size()); }

 private:
  Result<void> compare_all();
  Index touched_bytes(const IndexBox& box) const;
  const Digits* digits(std::size_t side) const;
  void compare_box(const IndexBox& box);
  void compare_block(RowEvaluator& maps, const IndexBox& block);
  bool found() const { return wrong_.load(std::memory_order_relaxed) != kIndexMax; }

  std::vector<Index> shape_;
  Index size_ = 1;
  Index element_bits_ = 0;
  std::array<Parts, 2> sides_;
  std::vector<Expr> exprs_;
  const VerifyOptions& options_;
  PageBudget pages_;
  const std::function<void(Progress)>& progress_;
  std::unique_ptr<Executor> executor_;
  std::atomic<Index> wrong_ = kIndexMax;
};

}  // namespace tessera::transfer
