// SPDX-License-Identifier: Apache-2.0
// Whether two layouts with names for sizes are the same function, for all sizes.
#pragma once

#include "notation/symbolic/symbolic_layout.h"
#include "tessera/size/size.h"

namespace tessera::symbolic {

/// Compares shapes and offsets of every index, for all sizes that satisfy `where` and the assumptions of both
/// layouts and make both texts layouts. The counterexample of a `no` or `iff` is what the layouts of numbers
/// answer there. Errors: empty_range, bad_extent (for no sizes both are layouts).
Result<SizeAnswer> equal(const SymbolicLayout& a, const SymbolicLayout& b, const AssumptionList& where);

}  // namespace tessera::symbolic
