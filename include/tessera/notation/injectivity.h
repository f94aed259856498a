// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether two indices of a layout share an offset.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// Two indices of the box with the same offset, the smaller one (row-major) first, or nothing if the layout
/// is injective. Exact, and decided from the structure at any size: tiles are injective, a swizzle permutes
/// the offsets of the layout after it, bases over F2 are independent or not, digits are searched, and other
/// maps are sums of parts, each of which may exceed the range of the smaller ones. Errors: undecided (those
/// of to_digits and of collision(Digits)).
Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>> collision(const Layout& layout);

}  // namespace tessera
