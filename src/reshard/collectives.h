// SPDX-License-Identifier: Apache-2.0
/// \file
/// A chain of collectives with the same result as a plan, to compare the bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// One collective over the places that differ in some digits of their number. all_gather: the digit no longer
/// cuts dimension `from`. slice: the digit now cuts dimension `to`. all_to_all: the digits cut `to` instead
/// of `from`. permute: places exchange whole shards.
struct CollectiveStep {
  enum class Kind : std::uint8_t { all_gather, slice, all_to_all, permute };
  Kind kind = Kind::permute;
  std::string over = {};  ///< the mesh axes, as `x*y`, or `places 2 apart`; empty for permute
  std::size_t from = 0;
  std::size_t to = 0;
  Index bytes = 0;   ///< bytes that each of these places receives
  Index places = 0;  ///< number of places that receive
};
/// `all-gather`, `slice`, `all-to-all`, `permute`.
std::string_view to_string(CollectiveStep::Kind kind);

struct CollectiveChain {
  std::vector<CollectiveStep> steps;
  Index total = 0;       ///< bytes received by all places
  bool cheapest = true;  ///< false: the search reached a limit, and there may be a cheaper chain
};

/// The cheapest chain, by Dijkstra's algorithm over at most 20,000 ways to cut the array and 2^23 steps of
/// work for permutations. Empty if there is no such chain: a side is a view, does not use every place, or has
/// uneven, cyclic or strided cuts, or the meshes have no common digits.
std::optional<CollectiveChain> cheapest_collectives(const ReshardArray& array);

}  // namespace tessera
