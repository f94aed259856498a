// SPDX-License-Identifier: Apache-2.0
/// \file
/// What pictures need to know about a layout.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// One dimension as drawn.
struct ViewDim {
  std::string name;
  Index extent = 1;
  /// At least `extent`: positions from `extent` on are padding that occupies memory.
  Index drawn = 1;
  /// Tiles begin at multiples of these numbers; ascending, each greater than 1.
  std::vector<Index> cuts = {};
  /// The extents of a nested mode, leftmost and fastest first; empty for a plain dimension.
  std::vector<Index> leaves = {};
};

/// A function from the indices of a box to offsets, with its tiles and nesting.
struct LayoutView {
  std::string text;
  std::vector<ViewDim> dims;
  /// Defined where every index lies in [0, drawn).
  OffsetFunction offset;
  /// The coordinate with its nesting, `(1,0),2`, of an index inside the extents.
  std::function<std::string(std::span<const Index>)> natural;
  /// Elements of memory, if known; offsets are then in [0, buffer).
  std::optional<Index> buffer = {};
  /// Bits of an element, if known.
  std::optional<Index> bits = {};
  /// Whether the first dimension varies fastest in 1-D indices (CuTe); otherwise the last one does.
  bool first_fastest = false;

  /// Number of elements.
  Index size() const;
  /// The 1-D index of an index inside the extents.
  Index linear_index(std::span<const Index> index) const;
};

/// The view of a layout. Padding is drawn where tiles overhang the shape, unless it exceeds three times the
/// number of elements. `text` is the title. Cost: that of to_digits.
LayoutView view_of(const Layout& layout, std::string text);

/// `2,3`; `()` without dimensions.
std::string coordinate_text(std::span<const Index> index);

/// Advances to the next index of the box [begin, end), the last dimension fastest; false after the last
/// index.
bool next_index(std::span<Index> index, std::span<const Index> begin, std::span<const Index> end);

}  // namespace tessera
