// SPDX-License-Identifier: Apache-2.0
/// \file
/// Laws for pictures of layouts.
#pragma once

#include <string>

#include "draw/scene.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/notation/layout.h"

namespace tessera::laws {

/// The layout of a text in any notation. The test fails if the text does not parse.
Layout any(std::string_view text);

/// Each check returns the problem, or an empty text if there is none.

/// The index view has each element once, at its own offset. Padding has indices outside the shape and offsets
/// in the memory at which there is no element.
std::string check_index_view(const Layout& layout);
/// The memory view has each offset once, with the element stored there, if any.
std::string check_memory_view(const Layout& layout);
/// Sizes are consistent: cells, cuts, labels that cover each axis, and colors of the scale.
std::string check_picture(const Picture& picture);
/// Text fits in its cell and in the drawing, labels do not touch, and cells do not overlap.
std::string check_scene(const Picture& picture);

}  // namespace tessera::laws
