// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops that run a known number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module/leaves.h"
#include "tessera/expr/expr.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The value `first + step * t` before iteration t, counted from 0.
struct LoopCounter {
  Index first = 0;
  Index step = 0;
};

/// The start of a loop whose counter begins at a value of the program, not at a constant.
struct LoopStart {
  std::uint32_t array = 0;  ///< the counter, an array of the state
  std::size_t element = 0;  ///< the counter as an element of the tuple
  Interval clamp;           ///< all possible starts; those outside mean that there is no iteration
  Interval followed;  ///< the starts for which `trips` and `counters` hold: all, or only those from 0 on
};

/// A `while` whose body runs `trips` times. If it has a `start`, it runs only the last of these iterations,
/// beginning with the one in which the counter has the value of the start.
struct CountedLoop {
  Index trips = 0;
  std::optional<LoopStart> start = {};
  /// The counter of each array of the state; empty for arrays that do not count. All values, including the
  /// one after the last iteration, fit in the type of the array.
  std::vector<std::optional<LoopCounter>> counters;
};

/// Finds the number of iterations from the condition, the initial values and the body, else from
/// `known_trip_count` of the backend_config. Counters are integers at the top level of the state that start
/// at a constant and to which the body adds a constant. The one that the condition compares with a constant
/// (LT, LE, GT or GE) may also start at any value of its type, if that has at most 32 bits and the body adds
/// 1 or -1. Empty if the number of iterations is not known, and for a loop that would not end. Cost: linear
/// in the size of the state.
std::optional<CountedLoop> counted_loop(const Instruction& loop, const Computation& condition,
                                        const Computation& body, Leaves& leaves);

}  // namespace tessera::detail
