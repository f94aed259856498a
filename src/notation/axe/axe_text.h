// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads Axe layouts.
#pragma once

#include <string_view>
#include <vector>

#include "notation/axe/make_axe.h"
#include "tessera/notation/axe.h"

namespace tessera::detail {

/// parse_axe, which leaves the ends of axes unchecked if asked.
Result<AxeLayout> parse_axe(std::string_view text, AxeEnds ends);

/// The extents of S, which a layout has as its shape unless its text gives another.
std::vector<Index> default_shape(const AxeLayout& layout);

}  // namespace tessera::detail
