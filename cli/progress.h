// SPDX-License-Identifier: Apache-2.0
/// \file
/// A progress bar for work that takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/output.h"

namespace tessera::cli {

/// What is counted, and how it is written.
enum class ProgressUnit : std::uint8_t { instructions, bytes, elements };

/// On stderr, when that is a terminal and the work has taken more than a second: share, rate, time left. Gone
/// when the object ends.
class Progress {
 public:
  /// `total` 0: not known. `shown` false: never shows anything.
  Progress(Output& err, std::uint64_t total, bool shown, ProgressUnit unit = ProgressUnit::instructions);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// One more is done.
  void advance();
  /// So many are done in all.
  void advance_to(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string amount(double count) const;
  void draw(Clock::time_point now);

  Output& err_;
  std::uint64_t total_;
  bool shown_;
  ProgressUnit unit_;
  bool drawn_ = false;
  std::uint64_t done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(1);
};

}  // namespace tessera::cli
