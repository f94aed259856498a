// SPDX-License-Identifier: Apache-2.0
/// \file
/// The operations of one instruction.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "hlo/module/leaves.h"
#include "hlo/operations/work.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Counts the operations of instructions, each computation once.
///
/// An instruction computes each element of its result once. Every elementwise instruction is one operation
/// for each element, of the type of its operands if it compares, else of its result; a complex addition is 2,
/// a multiplication 6, a division 11. A dot is a multiplication and an addition for each pair of elements
/// that meet, and so is a convolution, without pairs in which padding or a gap takes the place of an
/// element of the input. A reduction of n elements applies its function n - 1 times. Instructions that only
/// move data, and constants, have none. A fusion is the sum of its instructions, a loop that of its
/// iterations.
class OperationCounter {
 public:
  /// The operations of one run of an instruction, with those of the computations that it runs. A number is a
  /// bound, with a reason, if it depends on data or on an algorithm, or if the operations of some instruction
  /// are unknown; calls that nest too deep are. O(instructions), the first time.
  Work of(const Instruction& op);
  /// Of one run of a computation.
  const Work& of(const Computation& computation);

 private:
  Work elementwise(const Instruction& op);
  Work applied(const Instruction& op, const char* key, const Count& applications);
  Work all_reduced(const Instruction& op, bool scattered);
  Work loop(const Instruction& op);
  Work branches(const Instruction& op);
  Work windowed(const Instruction& op);
  Work started(const Instruction& op);

  std::unordered_map<const Computation*, Work> known_;
  std::uint32_t depth_ = 0;  // of the computations that are being counted
  Leaves leaves_;
};

}  // namespace tessera::detail
