// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares two tensors: the part that copies of cells and of codes share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tessera/relayout/relayout.h"
#include "tessera/transfer/copy.h"
#include "transfer/index_box.h"

namespace tessera::transfer {

/// Compares every element. Reads little of both files at a time, on all threads.
class PairVerifier {
 public:
  PairVerifier(const PairVerifier&) = delete;
  PairVerifier& operator=(const PairVerifier&) = delete;
  virtual ~PairVerifier() = default;

  /// Errors: verify_failed, with the first element that was found to differ.
  Result<VerifyReport> run();

 protected:
  /// Boxes have at most `box_elements`, of `element_bits` in both files together. `release` drops the pages
  /// of both files.
  PairVerifier(std::span<const Index> shape, Index box_elements, Index element_bits,
               const VerifyOptions& options, std::function<void()> release,
               const std::function<void(Progress)>& progress);

  /// \name What a pair knows. The digits say where to cut, if there are any.
  /// @{
  virtual std::optional<Digits> digits(int side) const = 0;
  virtual Index touched_bytes(const IndexBox& box) const = 0;
  virtual Diagnostic difference(std::span<const Index> index) const = 0;
  /// @}
  /// Calls differs(). May be called from any thread.
  virtual void compare_box(const IndexBox& box) = 0;

  std::span<const Index> shape() const { return shape_; }
  Index size() const { return size_; }
  const VerifyOptions& options() const { return options_; }
  Executor& executor() const { return *executor_; }
  void release() const;
  /// The element with this row-major number differs.
  void differs(Index number);
  bool found() const { return wrong_.load(std::memory_order_relaxed) != kIndexMax; }
  /// Reports progress, and returns what was wrong so far. Errors: verify_failed.
  Result<void> reached(Index done, Index total) const;

 private:
  Result<void> compare_all();

  std::vector<Index> shape_;
  Index size_ = 1;
  Index box_elements_;
  Index element_bits_;
  const VerifyOptions& options_;
  std::function<void()> release_;
  const std::function<void(Progress)>& progress_;
  std::unique_ptr<Executor> executor_;
  std::atomic<Index> wrong_ = kIndexMax;
};

}  // namespace tessera::transfer
