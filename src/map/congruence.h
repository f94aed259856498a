// SPDX-License-Identifier: Apache-2.0
/// \file
/// Integers with a given remainder.
#pragma once

#include "tessera/base/index.h"

namespace tessera::detail {

/// x = residue modulo modulus, 0 <= residue < modulus.
struct Congruence {
  Index modulus = 1;
  Index residue = 0;
};

}  // namespace tessera::detail
