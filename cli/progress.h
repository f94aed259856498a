// SPDX-License-Identifier: Apache-2.0
/// \file
/// A progress bar for long work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/output.h"

namespace tessera::cli {

/// The unit that is counted.
enum class ProgressUnit : std::uint8_t { instructions, bytes, elements };

/// Shows share, rate and time left on stderr, if stderr is a terminal and the work has taken more than a
/// second. The destructor removes the bar.
class ProgressBar {
 public:
  /// If `total` is 0, the total is unknown. If not `shown`, nothing is shown.
  ProgressBar(Output& err, std::uint64_t total, bool shown, ProgressUnit unit = ProgressUnit::instructions);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// Increments the count.
  void advance();
  /// Sets the count.
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
