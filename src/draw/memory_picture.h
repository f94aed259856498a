// SPDX-License-Identifier: Apache-2.0
// The view of a layout by offset in memory.
#pragma once

#include <compare>
#include <vector>

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

Result<Picture> memory_picture(const LayoutView& layout, const PictureOptions& options);

// The width of an element in bits: from the options, else from the layout, else the width of a bank's word.
// An element by its offset and its number in C order.
struct Owner {
  Index offset = 0;
  Index place = 0;
  friend auto operator<=>(const Owner&, const Owner&) = default;
};
// All elements, sorted by offset.
std::vector<Owner> owners_of(const LayoutView& layout);
// The index of the element with this number.
std::vector<Index> index_of(const LayoutView& layout, Index place);

// A row length at which rows begin at tiles or at rows of the array, unless it is `wanted`.
Index memory_row_length(const LayoutView& layout, Index count, Index wanted);

Index drawn_bits(const LayoutView& layout, const PictureOptions& options);

}  // namespace tessera::detail
