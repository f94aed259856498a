// SPDX-License-Identifier: Apache-2.0
/// \file
/// Laws for pictures of layouts.
#pragma once

#include <string>

#include "draw/scene.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/notation/layout.h"

namespace tessera::laws {

/// The layout of a text of any notation; the test fails if it does not parse.
Layout any(std::string_view text);

/// Each check returns an empty text, or what is wrong.

/// The index view has each element once, at its own offset; padding is outside the shape and, inside the
/// memory, where no element is.
std::string check_index_view(const Layout& layout);
/// The memory view has each offset once, with an element stored there if there is one.
std::string check_memory_view(const Layout& layout);
/// Sizes are consistent: cells, cuts, labels that cover each axis, colors of the scale.
std::string check_picture(const Picture& picture);
/// Text fits its cell and the drawing, labels do not touch, cells do not overlap.
std::string check_scene(const Picture& picture);

}  // namespace tessera::laws
