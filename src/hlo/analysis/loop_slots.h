// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which parts of the state of a loop are one array.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hlo/analysis/array_origin.h"

namespace tessera::detail {

/// What a slot of a loop's state holds: an array from before the loop, or one that the body made some
/// iterations ago.
struct SlotContent {
  ProgramArray array;
  std::int64_t age = -1;  ///< iterations since it was made; -1: from before the loop
  friend bool operator==(const SlotContent&, const SlotContent&) = default;
};

/// The contents of all slots before each iteration, by names alone: the body passes a slot on, moves it to
/// another slot, or makes a new array.
struct LoopSlots {
  std::vector<std::vector<SlotContent>> before;  ///< before iteration t; the last one may be after the loop
  /// Whether `before` has every state that occurs.
  bool complete = false;
  std::optional<Index> trips = {};  ///< iterations, if they are known

  /// Calls `visit` for every state that can be the one after the loop.
  void each_final(const std::function<void(const std::vector<SlotContent>&)>& visit) const;
  /// Calls `visit` for every state before an iteration.
  void each_inside(const std::function<void(const std::vector<SlotContent>&)>& visit) const;

 private:
  friend LoopSlots loop_slots(const Instruction&, ArrayOrigins&);
  std::size_t repeats_ = 0;  ///< the state that follows the last one, if `complete` and no `trips` end it
};

/// Follows at most 64 iterations. Empty if the loop has an error. The arrays of `before` are those that
/// `origins` gives inside the body and before the loop.
LoopSlots loop_slots(const Instruction& loop, ArrayOrigins& origins);

}  // namespace tessera::detail
