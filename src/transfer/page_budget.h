// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much of the mapped files is resident.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "base/cancellation.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// The most bytes of a mapped file that become resident when one byte is read. Linux maps 64 KiB around the
/// byte, or the whole folio of the page cache that has it, up to 2 MiB: measured are 64 KiB in a file that
/// was just read at random, 1 MiB in one that was just written, and 2 MiB in one that was read from front to
/// back.
inline constexpr Index kPageWindow = Index{1} << 21;

/// Returns the pages of mapped files to the system when too many are resident. Adds up what may have become
/// resident, and measures before it decides, because most pages are counted more than once. Several threads
/// may share a budget.
class PageBudget {
 public:
  /// `release` returns the pages. `all_bytes`: those of all files; nothing is counted if they fit.
  PageBudget(Index bytes, std::function<void()> release, Index all_bytes = kIndexMax);
  PageBudget(const PageBudget&) = delete;
  PageBudget& operator=(const PageBudget&) = delete;
  ~PageBudget();

  /// The bytes that may be resident.
  Index limit() const { return limit_; }
  /// The most that one step may count: several page windows, because a single element may touch two. Most
  /// steps touch far less than they count.
  Index bytes() const { return std::max(limit_, 8 * kPageWindow); }
  /// Bytes counted since the last measurement.
  Index spent() const { return spent_; }
  /// How often the pages were dropped.
  Index drops() const { return drops_; }

  /// Counts bytes that may become resident, and drops the pages if that may be too much. The count then
  /// begins anew. Returns whether it did.
  bool spend(Index bytes);
  /// The resident bytes of all files that the process has mapped, its program too. Nothing if the system does
  /// not tell.
  std::optional<Index> resident_file_bytes() const;

 private:
  Index limit_;
  bool counts_;
  std::function<void()> release_;
  int statm_ = -1;                  // what the system says of this process
  std::atomic<Index> program_ = 0;  // what is resident without the files: the program itself
  std::atomic<Index> spent_ = 0;
  std::atomic<Index> drops_ = 0;
};

/// Moves the parts of `whole`, a CutBox or a StridedMove, of which each costs at most what one step may
/// count. Errors: those of `move`, and of canceled questions.
template <class Whole, class Cost, class Move>
Result<void> move_within(PageBudget& pages, const Whole& whole, const Cost& cost, const Move& move) {
  Result<void> moved;
  for_each_fitting(whole, cost, pages.bytes(), [&](const auto& part) {
    if (moved && detail::cancelled()) moved = detail::cancelled_failure();
    if (!moved) return;
    pages.spend(cost(part));
    moved = move(part);
  });
  return moved;
}

}  // namespace tessera::transfer
