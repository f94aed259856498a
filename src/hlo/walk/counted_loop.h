// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops that run a known number of times.
#pragma once

#include <optional>
#include <vector>

#include "hlo/module/leaves.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The value `first + step * t` before iteration t, counted from 0.
struct LoopCounter {
  Index first = 0;
  Index step = 0;
};

/// A `while` whose body runs `trips` times.
struct CountedLoop {
  Index trips = 0;
  /// The counter of each array of the state; empty for other arrays. A counter's values before each iteration
  /// and after the last one fit its type.
  std::vector<std::optional<LoopCounter>> counters;
};

/// The counted loop of a `while`. The number of iterations follows from the condition, the initial values and
/// the body, else from `known_trip_count` of the backend_config. Counters are integers at the top level of
/// the state that start at a constant and to which the body adds a constant. Empty if the number of
/// iterations is unknown or the loop would not end. Cost: linear in the size of the state.
std::optional<CountedLoop> counted_loop(const Instruction& loop, const Computation& condition,
                                        const Computation& body, Leaves& leaves);

}  // namespace tessera::detail
