// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do two indices of a layout share an offset?
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// Two indices of the box with the same offset, the smaller one (row-major) first, or nothing where the
/// layout is injective. Exact, and from the structure, whatever the size: tiles move every element to a place
/// of its own, swizzles permute what the layout behind them gives, bases over F2 are independent or not,
/// digits are searched, and other maps are sums whose parts may step over each other. Errors: undecided
/// (those of to_digits and of collision(Digits)).
Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>> collision(const Layout& layout);

}  // namespace tessera
