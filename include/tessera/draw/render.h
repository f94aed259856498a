// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures as text for terminals, SVG, PNG, TikZ, HTML and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/draw/layout_facts.h"
#include "tessera/draw/picture.h"

namespace tessera {

/// The colors that a terminal can show.
enum class ColorDepth : std::uint8_t { none, ansi256, truecolor };

struct TextOptions {
  bool ascii = false;  ///< `+ - |` instead of box characters
  ColorDepth colors = ColorDepth::none;
  Theme theme = Theme::light;
  Index width = 100;     ///< in columns; panels are side by side if they fit
  bool compact = false;  ///< one space between cells, not two
};

/// A picture for a terminal: lines only between tiles, a dot for padding, a star at marked cells. In 256
/// colors, text contrasts with the colors that the terminal shows. Every line ends with a line break.
/// O(cells).
std::string render_text(const Picture& picture, const TextOptions& options = {});

/// Light, dark, or the preference of the reader's system.
enum class ThemeChoice : std::uint8_t { light, dark, automatic };

/// A stand-alone document; the tooltip of a cell gives its coordinate and offset. O(cells).
std::string render_svg(const Picture& picture, ThemeChoice theme = ThemeChoice::automatic);

/// The drawing of render_svg as PNG, with `scale` pixels per SVG unit, or fewer if the image would exceed
/// 2^26 pixels. Errors: bad_option (built without cairo), limit (out of memory).
Result<std::string> render_png(const Picture& picture, Theme theme = Theme::light, double scale = 2);

/// A LaTeX document of class `standalone`. Any LaTeX with TikZ compiles it.
std::string render_tikz(const Picture& picture, Theme theme = Theme::light);

/// Facts for the page next to a picture: names and values.
using FactRows = std::vector<std::pair<std::string, std::string>>;

/// A self-contained HTML page. The mouse or the arrow keys select a cell of the drawing; the page shows its
/// coordinate and offset, and marks the corresponding cells of other panels.
std::string render_html(const Picture& picture, const FactRows& facts = {},
                        ThemeChoice theme = ThemeChoice::automatic);

/// The picture as data, one JSON object on one line; docs/lookup/show.md lists its keys.
std::string render_json(const Picture& picture);

/// The output of `show --json`, schema `tessera.show/1`: facts, picture, or both; a null argument is left
/// out.
std::string show_json(const LayoutFacts* facts, const Picture* picture);

}  // namespace tessera
