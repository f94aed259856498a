// SPDX-License-Identifier: Apache-2.0
// The analysis of a module as an iterator.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "python/src/hlo_objects.h"

namespace tessera::python {

/// Runs `analyze` in its own thread, at most kAhead instructions ahead of `next`, so that memory does not
/// grow with the module. The destructor waits for the analysis, which drops its remaining answers.
class AnalysisStream {
 public:
  AnalysisStream(ProgramModule program, AnalyzeOptions options);
  AnalysisStream(const AnalysisStream&) = delete;
  AnalysisStream& operator=(const AnalysisStream&) = delete;
  ~AnalysisStream();

  /// The next instruction. Empty at the end. Call it without the GIL.
  std::optional<ProgramMaps> next();

 private:
  static constexpr std::size_t kAhead = 4096;

  ProgramModule program_;
  AnalyzeOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<InstructionIndexing> ready_;
  bool done_ = false;
  bool closed_ = false;
  std::thread worker_;
};

}  // namespace tessera::python
