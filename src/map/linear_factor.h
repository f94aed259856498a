// SPDX-License-Identifier: Apache-2.0
// The factor of a variable in a sum.
#pragma once

#include <optional>

#include "tessera/expr/expr.h"

namespace tessera::detail {

// The c of `e = c * variable + what does not mention it`. Nothing if it is not of this form, or c leaves
// 64 bits. O(size of the tree).
std::optional<Index> linear_factor(Expr e, Index variable);

}  // namespace tessera::detail
