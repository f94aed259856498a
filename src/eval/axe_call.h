// SPDX-License-Identifier: Apache-2.0
// Calls of the calculator whose operands are Axe layouts: slice, tile, direct_sum, canonical, fuse, places.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera::eval {

/// The answer of `slice(axe:16:S[(2,2,4):(100,10,1)], (6,10))`; nothing for other texts, and for
/// calls whose first operand is not an Axe layout. Errors have spans in the text: syntax, argument_count,
/// limit (nesting), those of parse_axe and of the operations.
std::optional<Result<std::string>> axe_call(std::string_view text);

}  // namespace tessera::eval
