// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions that cut each dimension once, over some axes of a mesh, as JAX and Shardy write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// A mesh, and the axes that cut each dimension, with the place numbers of a distribution.
struct FlatCuts {
  PlaceMesh mesh;
  std::vector<std::vector<std::size_t>> dims;
  std::vector<Index> on = {};
};

/// `noun` names the result in errors. Errors: those of to_xla.
Result<FlatCuts> flat_cuts(const BoundDistribution& bound, std::string_view noun);

/// Reads the text of a distribution, and gives it the local layout of another one, and place numbers.
Result<Distribution> with_rest(const std::string& text, const BoundDistribution& bound,
                               const std::vector<Index>& on);

/// The places of a mesh between `open` and `close`, or nothing if they are 0, 1, 2, ....
std::string places_text(const PlaceMesh& mesh, std::string_view open, std::string_view close);

}  // namespace tessera::detail
