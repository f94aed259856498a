// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts for a quotient together with other summands.
#pragma once

#include "expr/spelling/text_search.h"

namespace tessera::detail {

/// Proposes texts for c*fl(M/n), a summand of the rest:
///   mod        c*fl(M/n) + (terms of F) -> t * (F mod r), F = fl(M/(n/r)), r | n, t = -c/r
///   pull in    c*fl(M/n) + c*j*P -> c*fl((M + n*j*P)/n)
///   half       c*fl(M/n) - c*fl(M/(2n)) -> c*fl((M + n)/(2n))
void propose_quotient_texts(TextSearch& search, const Term& quotient);

}  // namespace tessera::detail
