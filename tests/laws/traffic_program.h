// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random programs whose arrays are sets of numbered elements, and what their steps read and write.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::laws {

/// What one step does, in elements. All elements have 4 bytes.
struct StepTruth {
  std::string name;
  Index used = 0;
  Index most_reads = 0;  ///< of each value inside a fusion, once for each element that is needed
  Index plain_reads =
      -1;  ///< of a single instruction: pairs of a result element and an element that it needs
  /// Of a fusion in which every value has one reader and every operand is another array: what its loops read.
  /// -1: of others.
  Index loop_reads = -1;
  Index result = 0;
  Index update = -1;           ///< elements of the update; -1: none
  bool may_overwrite = false;  ///< nothing needs the updated array later, and the program owns it
  bool must_copy = false;      ///< something does, or the caller keeps it
  /// The array is donated to another result, or dead code of a fusion reads it, too.
  bool open = false;
  bool at_runtime = false;
};

struct TrafficProgram {
  std::string text;
  std::vector<StepTruth> steps;
  Index unfused = 0;  ///< elements read and written if each instruction of the fusions were a step
};

TrafficProgram random_traffic_program(std::mt19937_64& random);

}  // namespace tessera::laws
