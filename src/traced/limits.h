// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of recorded calculations.
#pragma once

#include <cstddef>

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason.
struct TracedLimits {
  std::size_t numbers = std::size_t{1} << 20;  ///< of one recording, each with its polynomial
};
inline constexpr TracedLimits kTracedLimits = {};

}  // namespace tessera::detail
