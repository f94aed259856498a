// SPDX-License-Identifier: Apache-2.0
/// \file
/// The argument of verbs that take layouts and placements.
#pragma once

#include <optional>
#include <string>

#include "notation/symbolic/symbolic_layout.h"
#include "tessera/notation/axe.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/placement/placement.h"
#include "tessera/reshard/distribution.h"
#include "verbs/field_types.h"

namespace tessera::verbs {

/// A layout, an Axe layout, which is also a Layout if its places are in one memory, a mesh, a layout with
/// names for sizes, or an attribute of Triton without a shape.
struct PlacedLayout {
  NamedOrLayout plain = {};  ///< with neither for a mesh, and if an Axe layout is not a Layout
  std::optional<AxeLayout> axe = {};
  std::optional<Distribution> mesh = {};
  std::optional<symbolic::SymbolicLayout> sized = {};
  std::optional<TritonLayout> triton = {};
};
template <>
struct Reading<PlacedLayout> {
  static PlacedLayout none() { return {.plain = Reading<NamedOrLayout>::none()}; }
  /// Errors: also those of parse_axe and parse_distribution.
  static Result<PlacedLayout> read(const std::string& text);
};

/// An error for `tile:8` and `folder/a:b`: a name before a colon is more often a mistyped prefix or a file
/// than a size.
Result<void> is_no_mistyped_prefix(const symbolic::SymbolicLayout& sized);

/// The layout of a request whose Axe layout is a placement on several axes: `layout_of`, or its error.
/// Errors: also missing_layout (a mesh, which has no shape), missing_attribute (names for sizes).
Result<NamedOrLayout> layout_side(const PlacedLayout& placed, std::optional<std::string_view> axis = {});

/// The placement of either.
Result<Placement> placement_of(const PlacedLayout& placed);

}  // namespace tessera::verbs
