// SPDX-License-Identifier: Apache-2.0
// The drawing as SVG elements, for render_svg and render_html.
#pragma once

#include <string>

#include "draw/scene.h"
#include "tessera/draw/render.h"

namespace tessera::detail {

// Text with the five characters of XML replaced; what XML 1.0 cannot hold becomes U+FFFD.
std::string xml_escaped(std::string_view text);

// Rules of the picture's colours, one theme or both.
std::string svg_style(const Picture& picture, ThemeChoice theme);

// `<svg ...>` to `</svg>`. `interactive` gives each cell its data for the script of the page, which has the
// title above the drawing.
std::string svg_element(const Picture& picture, const std::string& style, bool interactive);

}  // namespace tessera::detail
