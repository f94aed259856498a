// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the fields of an Axe layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/notation/axe.h"

namespace tessera::detail {

/// What is wrong with a layout, and the axis that it is about, if there is one.
struct AxeFault {
  Diagnostic error;
  std::string axis = {};
};

/// Whether values beyond the end of an axis are a fault: lane 32 of a warp.
enum class AxeEnds : std::uint8_t { checked, unchecked };

/// Sorts and adds up the offsets, then checks; empty if the layout is valid.
std::optional<AxeFault> find_fault(AxeLayout& layout, AxeEnds ends = AxeEnds::checked);

/// make_axe for the results of operations, which may name lanes that do not exist: their operands are parts
/// of larger layouts, and a slice may bring them back.
Result<AxeLayout> make_result(AxeLayout layout);

/// parse_axe, which leaves the ends unchecked if asked.
Result<AxeLayout> parse_axe(std::string_view text, AxeEnds ends);

/// `canonical`, but the shape stays in any case.
AxeLayout canonical_of_shape(const AxeLayout& layout);
/// The extents of S, which a layout has as its shape unless its text gives another.
std::vector<Index> default_shape(const AxeLayout& layout);

}  // namespace tessera::detail
