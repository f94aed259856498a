// SPDX-License-Identifier: Apache-2.0
/// \file
/// Offers that write max0 as max or min.
#pragma once

#include "expr/offers.h"

namespace tessera::detail {

/// Offers for c*max0(D), a summand of the rest:
///   max, min   max0(D) + b -> max(D + b, b), a - max0(D) -> min(a, a - D)
void offer_max_moves(Offers& offers, const Term& max0);

}  // namespace tessera::detail
