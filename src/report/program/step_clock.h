// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much time a step would save with fewer bytes or operations.
#pragma once

#include <unordered_map>

#include "hlo/time/roofline.h"

namespace tessera::detail {

/// The steps of a program on a chip. A step that waits for something else saves nothing.
class StepClock {
 public:
  /// `time` and `chip` may be null: then nothing takes time. They must outlive the object.
  StepClock(const ProgramTime* time, const Chip* chip);

  /// What all runs save if each moves this many bytes less, or receives this many bytes less of other
  /// devices.
  Seconds without_bytes(const Instruction& step, const Count& bytes) const;
  Seconds without_link(const Instruction& step, const Count& bytes) const;
  /// What all runs save if the step is left out.
  Seconds without(const Instruction& step) const;
  /// What all runs save if each does at most this part of its operations less and moves `bytes` less.
  Seconds without_work(const Instruction& step, double part, const Count& bytes) const;
  /// What all runs save if one step computes both, without writing and reading `bytes` between them.
  Seconds merged(const Instruction& first, const Instruction& second, Index bytes) const;

 private:
  const StepTime* of(const Instruction& step) const;

  const Chip* chip_;
  std::unordered_map<const Instruction*, const StepTime*> steps_;
};

/// The time of several runs.
Seconds times_of(const Seconds& time, const Count& runs);

}  // namespace tessera::detail
