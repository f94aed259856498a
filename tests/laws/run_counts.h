// SPDX-License-Identifier: Apache-2.0
/// \file
/// How often a run executes each computation, found by running the program's integers.
#pragma once

#include <map>
#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::laws {

/// Between two numbers: a branch of a conditional runs or does not.
struct Runs {
  Index least = 0;
  Index most = 0;
  friend bool operator==(const Runs&, const Runs&) = default;
};

/// How often a run of `start` executes each computation; loops run iteration by iteration. Empty if the
/// iterations of a loop depend on a parameter, or exceed 1000.
std::optional<std::map<const Computation*, Runs>> count_runs(const Computation& start);

}  // namespace tessera::laws
