// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random distributions, and an evaluator of distributions that handles one element at a time.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/reshard/distribution.h"

namespace tessera::laws {

/// The text of a random distribution of an array of this shape over at most `most_places` places: uneven,
/// replicated, strided, block-cyclic, or with several cuts, in any notation that can express it.
std::string random_distribution(std::mt19937_64& random, const std::vector<Index>& shape, Index most_places);

/// A place, and the local index of an element at that place.
using OneHolder = std::pair<Index, std::vector<Index>>;

/// The holders of one element, computed by the formulas for one index, cut after cut, for every coordinate of
/// the mesh. Shares no code with `bind_distribution`. Requires a distribution that applies to the shape and
/// has no order brackets.
std::vector<OneHolder> holders_by_element(const Distribution& distribution, const std::vector<Index>& shape,
                                          const std::vector<Index>& index, Index places);

}  // namespace tessera::laws
