// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of modules of TTGIR.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::ttgir {

/// Every limit of this folder, with its unit and its reason.
struct TtgirLimits {
  std::size_t results = 1000;      ///< of one operation
  std::size_t ordered_rank = 4;    ///< dimensions whose orders are all tried
  Index divisor = Index{1} << 40;  ///< of a pointer: a multiple of 2^40 is aligned enough for everything
  int passes = 40;                 ///< over a function until its divisors settle
  int locations = 64;              ///< that refer to each other; a longer chain is a cycle
};
inline constexpr TtgirLimits kTtgirLimits = {};

}  // namespace tessera::ttgir
