// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/digits.h"

namespace tessera::detail {

/// The digit chain of a function of one dimension, `dim`, given as a table with table[0] == 0; empty if none
/// exists. O(size).
std::optional<std::vector<Digit>> digitize(Index dim, std::span<const Index> table);

}  // namespace tessera::detail
