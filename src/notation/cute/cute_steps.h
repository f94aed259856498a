// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps of an operation of the layout algebra as lines of text.
#pragma once

#include <string>
#include <vector>

#include "tessera/algebra/detail/trace.h"

namespace tessera {

/// One line with the numbers of the step: "mode 0 (extent 6): stride 3 divides it, emit 2:24, 2 left".
std::string to_string(const TraceStep& step);

/// Collects the lines of an operation: `StepLines log; composition(a, b, log.trace());`. Must outlive its
/// trace.
class StepLines {
 public:
  auto trace() { return TraceTo<StepLines>{this}; }
  void operator()(const TraceStep& step) { lines_.push_back(to_string(step)); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

}  // namespace tessera
