// SPDX-License-Identifier: Apache-2.0
/// \file
/// The axes that Axe layouts name: their order, what they count, and where they end.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tessera/notation/axe.h"

namespace tessera::detail {

/// An axis that TIRx knows.
struct KnownAxis {
  std::string_view name;
  AxisRole role = AxisRole::place;
  std::string_view unit = {};       ///< what it counts; empty for axes that count no threads
  std::string_view container = {};  ///< in what
  Index end = 0;                    ///< values are below; 0: no limit
};

/// In their order.
std::span<const KnownAxis> known_axes();
const KnownAxis* known_axis(std::string_view name);
AxisRole axe_role(std::string_view name);
/// The order of axes: known ones first, then others by name.
bool axis_before(std::string_view a, std::string_view b);

/// The names of all axes of a layout, in order.
std::vector<std::string> axis_names(const AxeLayout& layout);

/// How threads count on: the axis that all thread axes fuse to, and the factor of each.
struct FusedAxis {
  std::string_view name;
  Index factor = 1;
};
/// Where an axis goes if the layout has these axes. Requires a chain.
FusedAxis fused_axis(std::string_view axis, std::span<const std::string> all);

/// Units and containers from the finest unit on; empty if the axes form no chain. Without thread axes, both
/// words are empty.
std::optional<AxeScope> chain_of(std::span<const std::string> all);

}  // namespace tessera::detail
