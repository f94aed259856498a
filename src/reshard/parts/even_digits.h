// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions with even cuts, as digits of the indices.
#pragma once

#include <optional>
#include <vector>

#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// A digit of a dimension, which moves along one mesh axis, or in the memory of the places.
struct MeshDigit {
  Index extent = 1;
  std::optional<std::size_t> axis = {};  ///< empty: memory
  Index stride = 0;
};

/// All cuts as digits.
struct EvenDigits {
  std::vector<MeshAxis> axes;
  std::vector<std::vector<MeshDigit>> dims;  ///< of each dimension, the slowest first
  std::vector<std::size_t> free_axes;        ///< those that cut nothing
  Index offset = 0;
};

/// Errors: not_representable with reason `sizes`, if a cut is not even or does not follow the digits of the
/// cuts before it; those of the digits of the local layout.
Result<EvenDigits> even_digits(const BoundDistribution& bound);

/// The local array of one place as a layout.
Result<Layout> local_layout(const BoundDistribution& bound, Index place);

/// The mesh with the numbers that `on` gives, or that of `{replicated}`.
PlaceMesh numbered_mesh(const BoundDistribution& bound);

}  // namespace tessera::detail
