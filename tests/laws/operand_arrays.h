// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which operands of a step are one array, found by running the program with a number for each array.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::laws {

/// For each operand of a step, the first operand that is the same array.
using EqualOperands = std::vector<std::size_t>;

/// What each step has as operands in the runs of its computation. A part of a loop's state is one array in
/// all iterations if the body returns it as it is, and another array in each run otherwise. The result of a
/// conditional is an array of its own.
std::map<const Instruction*, std::set<EqualOperands>> operand_arrays(const Computation& start);

}  // namespace tessera::laws
