// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the fields of an Axe layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace tessera::detail
