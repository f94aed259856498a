// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations of the layout algebra as linked pictures: corresponding cells share a color. The left operand
/// is a layout or a chain of swizzles that ends in one.
#pragma once

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/tiler.h"
#include "tessera/base/result.h"
#include "tessera/draw/picture.h"

namespace tessera {

/// The layout and zipped_divide(layout, tiler): rows are positions inside a tile, columns are tiles; a tile
/// has the same color in both. Errors: those of the division, unsupported_codomain, limit.
Result<Picture> divide_figure(const ComposedLayout& layout, const Tiler& tiler);

/// `second`, `first` and composition(first, second): a cell of `second`, the cell of `first` that it maps to,
/// and the corresponding cell of the result share a color. Errors: those of the composition,
/// unsupported_codomain, limit.
Result<Picture> composition_figure(const ComposedLayout& first, const StridedLayout& second);

/// `block`, `grid`, logical_product(block, grid), and blocked_product if both have two modes: a copy of the
/// block has the same color everywhere. Errors: those of the product, unsupported_codomain, limit.
Result<Picture> product_figure(const ComposedLayout& block, const StridedLayout& grid);

}  // namespace tessera
