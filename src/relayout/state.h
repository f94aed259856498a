// SPDX-License-Identifier: Apache-2.0
/// \file
/// The contents of a plan.
#pragma once

#include <array>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <vector>

#include "relayout/elementwise.h"
#include "relayout/nest.h"
#include "relayout/sweep.h"
#include "tessera/relayout/plan.h"

namespace tessera::moving {

/// The axis along which threads split a part, into ranges of units that begin at multiples of `grain`.
enum class CutAxis : std::uint8_t { none, loop, rows, cols };

/// One loop nest of a plan: a sweep, where it starts (in bytes from offset 0 on each side), and how threads
/// split it.
struct PlanPart {
  Sweep sweep = {};
  Index src = 0;
  Index dst = 0;
  CutAxis cut = CutAxis::none;
  Index units = 1;
  Index grain = 1;
};

}  // namespace tessera::moving

namespace tessera {

struct RelayoutPlan::State {
  State() {}  // NOLINT: `room` stays uninitialized
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Index element_bytes = 1;
  Index payload = 0;
  ByteRange src = {};
  ByteRange dst = {};
  PlanOptions options = {};
  Index chunks = 1;
  /// Each chunk runs in this many slices. Each slice runs a range of every part, so that parts that share
  /// cache lines run soon after each other.
  Index slices = 1;
  bool stream = false;
  /// True if later parts overwrite earlier ones. Then all parts run in order, in one chunk.
  bool in_order = false;
  /// Parts stored without allocation. Four are enough for a body and its tails in two dimensions.
  static constexpr std::size_t kInlineParts = 4;
  alignas(moving::PlanPart) std::array<std::byte, kInlineParts * sizeof(moving::PlanPart)> room;
  std::pmr::monotonic_buffer_resource memory{room.data(), room.size()};
  std::pmr::vector<moving::PlanPart> parts{&memory};
  std::optional<moving::ElementwiseCopy> elementwise;
  /// Owns all tables; the sweeps point into them.
  std::vector<std::unique_ptr<Index[]>> tables;

  Index* new_table(Index entries) {
    tables.emplace_back(new Index[static_cast<std::size_t>(entries)]);
    return tables.back().get();
  }
  /// Like new_table(entries), but returns null if there is not enough memory.
  Index* new_table(Index entries, std::nothrow_t) {
    tables.emplace_back(new (std::nothrow) Index[static_cast<std::size_t>(entries)]);
    return tables.back().get();
  }
};

}  // namespace tessera

namespace tessera::moving {

using State = RelayoutPlan::State;

}  // namespace tessera::moving
