// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that only move elements, and chains of them.
#pragma once

#include <string>
#include <vector>

#include "hlo/analysis/bitcast.h"
#include "tessera/base/index.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/traffic.h"

namespace tessera {

/// A copy, transpose, reshape or bitcast-convert of an array, or a fusion of nothing else.
struct Movement {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  /// `yes`: a bitcast would do. `no`: elements move; `bytes` are those of the result.
  BitcastAnswer answer;
  /// The kernels of a plan that moves them, such as `transpose`, in the order of the plan; empty if there is
  /// none.
  std::vector<std::string> kernels = {};

  /// Bytes read and written by all runs, without padding; loops that run an unknown number of times count
  /// once. 0 unless elements move.
  Index traffic() const;
};

/// Movements that follow each other, of which at least two move elements.
struct MovementChain {
  std::vector<const Instruction*> instructions;  ///< the first one first, with the bitcasts between them
  Count runs = {1, 1};
  BitcastAnswer answer;  ///< from the first operand to the last result
  Index traffic = 0;     ///< sum over its members
  Index saving = 0;      ///< what one movement, or none if the chain cancels, would save

  /// Whether the last result has the same bytes in memory as the first operand, so that nothing needs to
  /// move. Otherwise one movement is enough.
  bool cancels() const { return answer.verdict == Verdict::yes; }
};

}  // namespace tessera
