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

/// Whether a text begins with a shape and a layout, or has the prefix `axe:`. O(shape).
bool begins_axe(std::string_view text);
/// Where a layout ends that a text begins with: before a comma, a bracket that it does not open, `;` or a
/// comparison, without blanks.
std::size_t axe_length(std::string_view text);

/// The extents of S, which a layout has as its shape unless its text gives another.
std::vector<Index> default_shape(const AxeLayout& layout);

}  // namespace tessera::detail
