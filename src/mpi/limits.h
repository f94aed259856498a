// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of exchanges.
#pragma once

#include "tessera/base/index.h"

namespace tessera::mpi {

/// Every limit of this folder, with its unit and its reason.
struct MpiLimits {
  /// To color the rounds; with more, the round of a pair is the distance of its places.
  Index coloring_steps = Index{1} << 24;
};
inline constexpr MpiLimits kMpiLimits = {};

}  // namespace tessera::mpi
