// SPDX-License-Identifier: Apache-2.0
/// \file
/// The law of counted loops: their maps agree with the dependences found by running the program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::laws {

/// The values of the entry's parameters; empty for parameters without integer values.
using ParameterValues = std::vector<std::vector<Index>>;

/// How often each case occurred. If a case never occurred, the test proves nothing about it.
struct LoopCoverage {
  std::size_t programs = 0;
  std::size_t exact = 0;  ///< number of pairs of a result and a parameter with an exact set
  std::size_t superset = 0;
  std::size_t unknown = 0;
  std::size_t pairs = 0;  ///< pairs of elements that exact sets relate
};

/// In both directions, the maps between the entry's results and its parameters agree with a run of the
/// program.
void check_loop_maps_are_the_dependence(const std::string& text, const ParameterValues& values,
                                        LoopCoverage& coverage);

}  // namespace tessera::laws
