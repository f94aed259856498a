// SPDX-License-Identifier: Apache-2.0
/// \file
/// The copies that the relayout benchmark measures.
#pragma once

#include <span>

#include "tessera/relayout/plan.h"

namespace tessera::bench {

/// Earlier results of other libraries, for orientation: multiples of memcpy's speed, 0 if unknown.
struct Anchors {
  double memcpy_gbps = 0;
  double best_copy = 0;
  double hptt = 0;
  double xla = 0;
  double onednn = 0;
  double eigen = 0;
  double numpy = 0;
  double best_peer_two_threads = 0;
};

struct RelayoutCase {
  const char* id;
  const char* title;
  const char* src;  ///< a layout that parse_layout can read
  const char* dst;  ///< a layout of the same shape
  int element_bytes;
  double goal = 0;              ///< relative to memcpy, one thread; 0 if there is no goal
  double goal_two_threads = 0;  ///< relative to the best plain copy on two threads
  Anchors anchors = {};
  Padding padding = Padding::keep;
};

/// All cases. The letter names the group: A is two-dimensional arrays, B images and attention heads, C tiles,
/// D short digits, E general permutations of row-major arrays, F the same shapes and permutations read
/// column-major, as in the public benchmark, and X copies that only layouts can express.
std::span<const RelayoutCase> relayout_cases();

}  // namespace tessera::bench
