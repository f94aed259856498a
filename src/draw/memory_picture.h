// SPDX-License-Identifier: Apache-2.0
// The view of a layout by offset in memory.
#pragma once

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

Result<Picture> memory_picture(const LayoutView& layout, const PictureOptions& options);

// The width of an element in bits: from the options, else from the layout, else the width of a bank's word.
Index element_bits(const LayoutView& layout, const PictureOptions& options);

}  // namespace tessera::detail
