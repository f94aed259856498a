// SPDX-License-Identifier: Apache-2.0
#include "python/src/analysis_stream.h"

#include <utility>

#include "python/src/python.h"

namespace tessera::python {

AnalysisStream::AnalysisStream(ProgramModule program, AnalyzeOptions options)
    : program_(std::move(program)), options_(std::move(options)), worker_([this] {
        analyze(*program_.module, options_, [this](InstructionIndexing&& one) {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return closed_ || ready_.size() < kAhead; });
          if (closed_) return;
          ready_.push_back(std::move(one));
          if (ready_.size() == 1) changed_.notify_all();
        });
        const std::lock_guard lock(mutex_);
        done_ = true;
        changed_.notify_all();
      }) {}

AnalysisStream::~AnalysisStream() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  const nb::gil_scoped_release release;  // the analysis may take a while
  worker_.join();
}

std::optional<ProgramMaps> AnalysisStream::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ || !ready_.empty(); });
  if (ready_.empty()) return {};
  ProgramMaps out{program_, std::move(ready_.front()), options_.direction};
  ready_.pop_front();
  if (ready_.size() < kAhead) changed_.notify_all();
  return out;
}

}  // namespace tessera::python
