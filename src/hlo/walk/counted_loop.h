// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops that run a known number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module/leaves.h"
#include "tessera/expr/interval.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The value `first + step * t` before iteration t, counted from 0.
struct LoopCounter {
  Index first = 0;
  Index step = 0;
};

/// A loop that begins with its counter at a value of the program, not at a constant.
struct LoopStart {
  std::uint32_t array = 0;  ///< of the state: the counter
  std::size_t element = 0;  ///< the same at the top level of the state
  Interval clamp;           ///< where the loop may start; one that starts beyond has no iteration
  Interval followed;        ///< the starts that `trips` and `counters` describe: all, or those from 0 on
};

/// A `while` whose body runs `trips` times or, with a `start`, a part of one: only the last iterations, from
/// the one in which the counter has the value at the start. `trips` is then the most there can be.
struct CountedLoop {
  Index trips = 0;
  std::optional<LoopStart> start = {};
  /// For each array of the state: its counter. Its values before all iterations and after the last one
  /// are in its type. Empty for arrays that do not count.
  std::vector<std::optional<LoopCounter>> counters;
};

/// The number from the condition, the initial values and the body, else from `known_trip_count` of the
/// backend_config. Counters are integers at the top level of the state that start at a constant and to which
/// the body adds a constant. The one that the condition compares with a constant (LT, LE, GT or GE) may also
/// start at any value of its type, if that has at most 32 bits and the body adds 1 or -1. Empty if the
/// number of iterations is not known, and for a loop that would not end. Cost: linear in the size of the
/// state.
std::optional<CountedLoop> counted_loop(const Instruction& loop, const Computation& condition,
                                        const Computation& body, Leaves& leaves);

}  // namespace tessera::detail
