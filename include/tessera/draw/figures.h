// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations of the layout algebra as linked pictures: what belongs together has one colour.
#pragma once

#include "tessera/algebra/tiler.h"
#include "tessera/base/result.h"
#include "tessera/draw/picture.h"

namespace tessera {

/// The layout and zipped_divide(layout, tiler): rows are the places inside a tile, columns the tiles; a tile
/// has the same colour in both. Errors: those of the division, unsupported_codomain, limit.
Result<Picture> divide_figure(const StridedLayout& layout, const Tiler& tiler);

/// `second`, `first` and composition(first, second): each coordinate of `second` has a colour, and so have
/// the coordinate of `first` that it leads to and the place of the result. Errors: those of the composition,
/// unsupported_codomain, limit.
Result<Picture> composition_figure(const StridedLayout& first, const StridedLayout& second);

/// `block`, `grid`, logical_product(block, grid), and blocked_product where both have two modes: a copy of
/// the block has the same colour everywhere. Errors: those of the product, unsupported_codomain, limit.
Result<Picture> product_figure(const StridedLayout& block, const StridedLayout& grid);

}  // namespace tessera
