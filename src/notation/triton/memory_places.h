// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether two layouts of Triton's memory put elements at the same offsets of the same blocks.
#pragma once

#include <optional>
#include <string>

#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

/// Where the places of two layouts differ first.
struct PlacesDifference {
  std::vector<Index> index = {};
  std::string text = {};  ///< `element (32, 0) is at offset 0 of blocks 1, 3 and at offset 0 of blocks 2, 3`
};

/// The answer; `difference` is empty if each element has the same offset, partition and blocks in both.
struct PlacesEquality {
  bool decided = true;
  std::optional<PlacesDifference> difference = {};
};

/// Compares layouts of one shape and space. Nothing if it does not apply: for registers, beyond 62 bits, and
/// where paddings differ in one block and partition, so that offsets say all. Exact, by elimination in
/// O(bits²); paddings that differ in several blocks by enumeration, undecided if the first 2^16 elements have
/// equal places.
std::optional<PlacesEquality> same_places(const TritonLayout& a, const TritonLayout& b);

}  // namespace tessera::triton
