// SPDX-License-Identifier: Apache-2.0
// The drawing as SVG elements, for render_svg and render_html.
#pragma once

#include <string>

#include "draw/scene.h"
#include "tessera/draw/picture.h"

namespace tessera::detail {

// Text with the five special characters of XML escaped; characters outside XML 1.0 become U+FFFD.
std::string xml_escaped(std::string_view text);

// CSS rules of the picture's colors, for one theme or both.
std::string svg_style(const Picture& picture, ThemeChoice theme);

// The element from `<svg ...>` to `</svg>`. `interactive` adds data for the page's script and leaves out the
// title, which the page shows itself.
std::string svg_element(const Picture& picture, const std::string& style, bool interactive);

}  // namespace tessera::detail
