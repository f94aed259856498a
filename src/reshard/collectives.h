// SPDX-License-Identifier: Apache-2.0
/// \file
/// A chain of collectives that does the same as a plan, to compare the bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// One collective over the places that differ in one digit of their number. all_gather: dimension `from` is
/// no longer cut by the digit. slice: dimension `to` is cut by it. all_to_all: `to` is cut by it instead of
/// `from`. permute: places exchange whole shards.
struct CollectiveStep {
  enum class Kind : std::uint8_t { all_gather, slice, all_to_all, permute };
  Kind kind = Kind::permute;
  std::string over = {};  ///< the mesh axis, or `places 2 apart`; empty for permute
  std::size_t from = 0;
  std::size_t to = 0;
  Index bytes = 0;   ///< that each of these places receives
  Index places = 0;  ///< that receive
};
/// `all-gather`, `slice`, `all-to-all`, `permute`.
std::string_view to_string(CollectiveStep::Kind kind);

struct CollectiveChain {
  std::vector<CollectiveStep> steps;
  Index total = 0;  ///< bytes received by all places
};

/// The cheapest chain, by Dijkstra's method over at most 20,000 ways to cut the array. Nothing if there is
/// none among them: if a side is a view, does not use every place, or has uneven, cyclic or strided cuts, or
/// if the meshes have no common digits.
std::optional<CollectiveChain> cheapest_collectives(const ReshardArray& array);

}  // namespace tessera
