// SPDX-License-Identifier: Apache-2.0
/// \file
/// A chain of collectives with the same result as a plan, to compare the bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// One collective over the places that differ in some digits of their number. all_gather: the digits no
/// longer cut dimension `from`. slice: the digits now cut dimension `to`. all_to_all: the digits cut `to`
/// instead of `from`. permute: places exchange whole shards.
struct CollectiveStep {
  enum class Kind : std::uint8_t { all_gather, slice, all_to_all, permute };
  Kind kind = Kind::permute;
  /// The mesh axes, as `x*y`, with `x:(2)4` for the 4 positions of x after 2 outer ones; `places 2 apart`; or
  /// `positions 2 apart in the device list of the source`. Empty for permute.
  std::string over = {};
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

/// A chain, or why none was searched for.
struct CollectiveAnswer {
  std::optional<CollectiveChain> chain = {};
  std::string not_searched = {};  ///< if there is no chain
};

/// The cheapest chain for the only array of a plan, among chains that cut every dimension into equal runs
/// after every step, by digits of one place number: all axes of both meshes, all factors of these axes, and
/// products of neighbors. Device lists in another order number the places in another way, which has other
/// digits and may have a cheaper chain. A view is searched in its own dimensions if the source has a
/// distribution there. Not searched, unless no bytes move: places without a shard, cuts into unequal parts or
/// parts that are not runs, meshes without common digits. Dijkstra's algorithm with a bound of what is still
/// missing; stops after 50,000 ways to cut the array or 2^24 places compared.
CollectiveAnswer cheapest_collectives(const ReshardPlan& plan);

}  // namespace tessera
