// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts of max(0, .) together with its neighbors in a sum.
#pragma once

#include "expr/spelling/text_search.h"

namespace tessera::detail {

/// Proposes texts for c*max0(D), a summand of the rest:
///   max, min   max0(D) + b -> max(D + b, b), a - max0(D) -> min(a, a - D)
void propose_extremum_texts(TextSearch& search, const Term& max0);

}  // namespace tessera::detail
