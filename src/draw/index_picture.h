// SPDX-License-Identifier: Apache-2.0
// The view of a layout by index.
#pragma once

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

// The row length of a 1-D layout: `wanted`, or one tile.
Index index_row_length(const ViewDim& dim, Index count, Index wanted);

Result<Picture> index_picture(const LayoutView& layout, const PictureOptions& options);

}  // namespace tessera::detail
