// SPDX-License-Identifier: Apache-2.0
// The view of a layout by index.
#pragma once

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

Result<Picture> index_picture(const LayoutView& layout, const PictureOptions& options);

}  // namespace tessera::detail
