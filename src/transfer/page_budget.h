// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much of the mapped files is resident.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "tessera/base/index.h"

namespace tessera::transfer {

/// The most bytes of a mapped file that become resident when one byte is read. Linux maps 64 KiB around the
/// byte, or the whole folio of the page cache that has it, up to 2 MiB: measured are 64 KiB in a file that
/// was just read at random, 1 MiB in one that was just written, and 2 MiB in one that was read from front to
/// back.
inline constexpr Index kPageWindow = Index{1} << 21;

/// The resident bytes of all files that the process has mapped, as the system counts them. Nothing if it does
/// not tell.
std::optional<Index> resident_file_bytes();

/// Returns the pages of mapped files to the system when too many are resident. Adds up what may have become
/// resident, and measures before it decides, because most pages are counted more than once. Several threads
/// may share a budget.
class PageBudget {
 public:
  /// At least several page windows, because a single element may touch two. `release` returns the pages.
  PageBudget(Index bytes, std::function<void()> release)
      : bytes_(std::max(bytes, 8 * kPageWindow)),
        release_(std::move(release)),
        before_(resident_file_bytes()) {}

  Index bytes() const { return bytes_; }
  /// Bytes counted since the last measurement.
  Index spent() const { return spent_; }
  /// How often the pages were dropped.
  Index drops() const { return drops_; }

  /// Counts bytes that may become resident, and drops the pages if that may be too much. The count then
  /// begins anew. Returns whether it did.
  bool spend(Index bytes);

 private:
  Index bytes_;
  std::function<void()> release_;
  std::optional<Index> before_;  // what was resident at the beginning: the program itself
  std::atomic<Index> spent_ = 0;
  std::atomic<Index> drops_ = 0;
};

/// Counts the pages of two files of which equal runs are read, one run after another.
class TwoFiles {
 public:
  /// Offsets count elements of `bits` bits.
  TwoFiles(PageBudget& budget, Index bits) : budget_(budget), bits_(bits) {}

  /// The most elements of a run to read at once, whole bytes of each file: both sides together touch no more
  /// than the quarter that PageBudget keeps free.
  Index piece() const { return budget_.bytes() / bits_ / 8 * 8; }

  void read(Index from, Index to, Index length) {
    // Runs may be far apart on either side: tiles are in one of the files.
    const Index apart = std::min(std::abs(from - last_from_) * bits_ / 8, kPageWindow) +
                        std::min(std::abs(to - last_to_) * bits_ / 8, kPageWindow);
    last_from_ = from + length;
    last_to_ = to + length;
    budget_.spend(length * bits_ / 4 + apart);
  }

 private:
  PageBudget& budget_;
  Index bits_;
  Index last_from_ = -kPageWindow;
  Index last_to_ = -kPageWindow;
};

}  // namespace tessera::transfer
