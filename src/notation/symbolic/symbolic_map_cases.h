// SPDX-License-Identifier: Apache-2.0
// Maps with names for sizes that are computed from others, in cases: their conditions exclude each other and
// cover all sizes that satisfy the assumptions.
#pragma once

#include "notation/symbolic/symbolic_map.h"
#include "size/sized_cases.h"

namespace tessera::symbolic {

/// The same map with simple terms. Errors: empty_range, undefined_value (no sizes give all divisors at least
/// 1), limit.
Result<SizedAnswers> simplify(const SymbolicMap& map, const AssumptionList& where);

/// `second` after `first`, with simple terms. Errors: rank_mismatch, and those above.
Result<SizedAnswers> compose(const SymbolicMap& first, const SymbolicMap& second,
                             const AssumptionList& where);

/// From the results back to the variables. A case in which two points have one value is the error
/// not_invertible.
Result<SizedAnswers> inverse(const SymbolicMap& map, const AssumptionList& where);

/// How many points, or different results, the map has.
Result<SizedAnswers> count(const SymbolicMap& map, bool of_points, const AssumptionList& where);

/// The set of results, as constraints on r0, r1, ...
Result<SizedAnswers> image(const SymbolicMap& map, const AssumptionList& where);

}  // namespace tessera::symbolic
