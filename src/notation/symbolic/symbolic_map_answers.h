// SPDX-License-Identifier: Apache-2.0
// Questions about maps with names for sizes, for all sizes and all indices.
#pragma once

#include <vector>

#include "notation/symbolic/symbolic_map.h"
#include "tessera/size/size.h"

namespace tessera::symbolic {

/// Whether two maps are the same function on the same domain, for all sizes. The index of a counterexample is
/// the smallest in row-major order, of the first sizes; of more than 20000 indices, the corners come first.
/// Errors: empty_range, limit.
Result<SizeAnswer> equal(const SymbolicMap& a, const SymbolicMap& b, const AssumptionList& where);

/// Whether every result of every index is in its interval, for all sizes. Errors: empty_range, limit.
Result<SizeAnswer> within(const SymbolicMap& map, const std::vector<SizedInterval>& box,
                          const AssumptionList& where);

}  // namespace tessera::symbolic
