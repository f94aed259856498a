// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts the instructions of an analysis and why they are not exact.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "tessera/hlo/analyze.h"

namespace tessera::detail {

/// The counts of some instructions.
class Tally {
 public:
  using Clock = std::chrono::steady_clock;

  void count(const InstructionIndexing& one);
  void add_time(Clock::duration time) { stats_.seconds += std::chrono::duration<double>(time).count(); }
  void add(const Tally& other);
  AnalyzeStats stats() &&;

 private:
  using ShortfallKey = std::tuple<std::string, Exactness, std::string>;

  AnalyzeStats stats_;  // without shortfalls
  std::map<ShortfallKey, std::uint64_t> shortfalls_;
};

}  // namespace tessera::detail
