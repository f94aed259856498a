// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements of a broadcast are the same value: which of them lies where does not matter.
#pragma once

#include <optional>

#include "tessera/notation/layout.h"

namespace tessera::moving {

/// A destination for which a plan is right exactly when it is right for `dst`: index bits that the source
/// does not see permute elements of one value, so what swizzles and bases over F2 do to the offset bits that
/// these alone decide is left out. At each index of the source all places together stay the same. Nothing
/// where nothing can be left out. O(digits * bits), or O(bases^2).
std::optional<Layout> plainer_destination(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
