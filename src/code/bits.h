// SPDX-License-Identifier: Apache-2.0
/// \file
/// Swizzles and bases over F2 as terms: with bit operations, or with quotients and remainders if the language
/// has none.
#pragma once

#include <span>
#include <vector>

#include "code/terms.h"
#include "tessera/algebra/composed_layout.h"

namespace tessera::coding {

/// The swizzle of a value of at least 0.
TermId swizzled(Terms& terms, const Swizzle& swizzle, TermId x);

/// The XOR of bases[i][k] over all dimensions i and all bits k that are set in index[i].
TermId lower_linear(Terms& terms, std::span<const std::vector<Index>> bases, std::span<const TermId> index);

}  // namespace tessera::coding
