// SPDX-License-Identifier: Apache-2.0
/// \file
/// The law of relayouts: every byte of the destination is the one that the index maps require, and no other
/// byte changes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/index_walk.h"
#include "laws/guarded_memory.h"
#include "laws/relayout_cases.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera::testing_relayout {

using testing_support::GuardedMemory;

/// Calls f for all indices of a box, in row-major order.
template <class F>
void for_each_index(std::span<const Index> box, const F& f) {
  for (const Index extent : box) {
    if (extent == 0) return;
  }
  std::vector<Index> index(box.size(), 0);
  do {
    f(index);
  } while (tessera::detail::next_index(index, box));
}

/// How to make and run a plan.
struct Setting {
  Index element_bytes = 4;
  PlanOptions options = {};
  std::size_t src_gap = 0;
  std::size_t dst_gap = 0;
  bool at_end = true;
  bool through_text = false;  ///< print the plan and parse it back first
  bool on_threads = false;    ///< run each chunk on its own thread
  bool each_element = false;  ///< evaluate both layouts at every element, unless padding is set
};

/// A random width, padding, instruction set of this machine, number of chunks and alignment.
Setting draw_setting(Choices& choices);

/// Runs make_plan(src, dst) between guard pages and compares every byte of the destination with an
/// element-by-element copy through both maps. Returns the problem, or an empty text if there is none.
/// Requires offsets >= 0.
std::string check_relayout(const Layout& src, const Layout& dst, const Setting& setting, GuardedMemory& from,
                           GuardedMemory& to);

/// Edits the text of the plan. The edited plan must be refused, or be proved and correct, or be unproved but
/// stay within the buffers. Returns the problem, or an empty text if there is none.
std::string check_edited_plan(Choices& choices, const Layout& src, const Layout& dst, const Setting& setting,
                              GuardedMemory& from, GuardedMemory& to);

}  // namespace tessera::testing_relayout
