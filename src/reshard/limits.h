// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of distributions, plans and pieces.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason. Those of public functions are next to them:
/// kMaxPlaces, kMaxPlaceNumbers.
struct ReshardLimits {
  // Lists that a distribution, a view or a plan keeps in memory.
  std::size_t runs = std::size_t{1} << 20;         ///< of one dimension: 48 MB
  std::size_t joined_runs = std::size_t{1} << 20;  ///< of dimensions that a view joins: 48 MB
  Index units = Index{1} << 22;                    ///< equal blocks of a view, each with its part: 32 MB
  Index segments = Index{1} << 20;                 ///< of one message: 24 MB
  Index dense_places = 1024;                       ///< of a plan with a table of all pairs of them: 8 MB
  Index terms = Index{1} << 22;                    ///< summands of offsets that a place looks up: 32 MB

  // Pieces of a recipe.
  int nesting = 64;                               ///< of an axis expression, because its reader recurses
  std::size_t piece_maps = std::size_t{1} << 16;  ///< combinations of branches of an expression
  std::size_t piece_runs = std::size_t{1} << 20;  ///< of a dimension of an expression
  Index piece_boxes = Index{1} << 22;             ///< visited one by one, each with a message
  Index shard_intervals = Index{1} << 20;         ///< of a dimension of a shard: 24 MB
  Index axis_values = Index{1} << 26;             ///< indices of a distributed dimension that are walked over
  std::size_t selections = std::size_t{1} << 22;  ///< combinations of places of a piece

  // Searches: beyond these, the answer is undecided, or not proved to be the cheapest.
  std::size_t collective_states = 50'000;  ///< distributions from which a chain of collectives goes on
  Index collective_work = Index{1} << 24;  ///< arrangements of digits that are tried, and places compared
  int tile_steps = 100'000;                ///< over tile counts of a grid of all places
  int torch_sequences = 20'000;            ///< of placements that are tried
  Index torch_indices = 4096;              ///< of a dimension whose index sets are compared as lists
  std::size_t share_edges = std::size_t{1}
                            << 18;  ///< between senders and shards; beyond these, senders share evenly

  // Comparisons, index by index.
  Index compared = Index{1} << 22;             ///< elements of one shard, if local layouts have tiles
  Index simulated = Index{1} << 24;            ///< cells of all local arrays that are all compared: 128 MB
  Index simulated_at_random = Index{1} << 16;  ///< elements of larger arrays
  Index box_tests = Index{1} << 26;            ///< boxes of messages tried for these elements
};
inline constexpr ReshardLimits kReshardLimits = {};

}  // namespace tessera::detail
