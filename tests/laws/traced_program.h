// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random programs of steps that move elements or compute them, with where each element comes from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::laws {

inline constexpr Index kComputed = -1;
inline constexpr Index kConstant = -2;
inline constexpr Index kAtRunTime = -3;  ///< an element of an operand; which one is known only at run time

/// An array, and for each element where it comes from: 1000 * operand + element of the operand, or a constant
/// of the above.
struct TracedArray {
  std::string name;
  std::vector<Index> dims;
  std::string layout;
  std::vector<Index> from;
};

std::string type_of(const TracedArray& x);

/// A step of the entry, and what it does to the elements of its operands. The padding of a pad that is not in
/// a fusion is the last operand.
struct TracedStep {
  std::string name;
  bool plain = false;        ///< no fusion
  bool at_run_time = false;  ///< a slice has a start known only at run time
  std::string operation;
  std::vector<TracedArray> operands;
  TracedArray result;
};

struct TracedProgram {
  std::string text;
  std::vector<TracedStep> steps;
};

TracedProgram traced_program(std::uint64_t seed);

}  // namespace tessera::laws
