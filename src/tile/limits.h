// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of questions about tiles.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason.
struct TileLimits {
  Index constraint_values = 4096;            ///< of one variable of a constraint that are enumerated
  Index constraint_points = Index{1} << 20;  ///< of the variables of a constraint together
  Index listed_points = Index{1} << 20;      ///< of a tile whose elements are listed
  std::size_t cases = 512;                   ///< conjunctions of a constraint; a reader could not use more
  /// Whose order is searched for fewer cases, which takes too long for more.
  std::size_t ordered_pieces = 16;
  Index modulus = 4096;                  ///< of a dilation: no array has gaps this wide
  std::size_t tilings = 20000;           ///< of one instruction that are tried
  std::size_t shown_tilings = 16;        ///< of the best ones
  std::size_t program_tilings = 400000;  ///< that tiled_traffic tries for a program
};
inline constexpr TileLimits kTileLimits = {};

}  // namespace tessera::detail
