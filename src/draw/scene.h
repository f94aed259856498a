// SPDX-License-Identifier: Apache-2.0
// Scene: a picture with coordinates. SVG, PNG and TikZ draw the same scene.
#pragma once

#include <string>
#include <vector>

#include "tessera/draw/picture.h"

namespace tessera::detail {

// The maximum width of a letter of a monospaced font, in font sizes (0.602 in DejaVu Sans Mono, 0.6 in
// Courier, 0.55 in Consolas). Lengths are CSS pixels; y grows downward.
inline constexpr double kLetterWidth = 0.61;

double letters(std::string_view text, double font);

enum class Anchor : std::uint8_t { start, middle, end };
enum class Role : std::uint8_t { title, caption, label, axis, legend, note };

struct SceneText {
  double x = 0;
  double y = 0;  // the baseline
  double font = 12;
  Anchor anchor = Anchor::start;
  Role role = Role::label;
  std::string text;
};

// A horizontal or vertical line. weight: 0 between cells, 1 tiles and borders, 2 tiles of tiles, -1 spans of
// labels.
struct SceneLine {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
  int weight = 0;
};

struct SceneCell {
  double x = 0;
  double y = 0;
  const Cell* cell = nullptr;  // of the picture, which outlives the scene
  Index row = 0;
  Index column = 0;
};

// The cells of one panel, all of one size, row by row, without cells of kind `none`. font 0: no text.
struct SceneGrid {
  double width = 0;  // of a cell
  double height = 0;
  double font = 12;
  std::vector<SceneCell> cells;
};

// A patch of color; -1 is padding.
struct SceneSwatch {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  int color = 0;
};

struct Scene {
  double width = 0;
  double height = 0;
  std::vector<SceneGrid> grids;
  std::vector<SceneLine> lines;  // light ones first
  std::vector<SceneText> texts;
  std::vector<SceneSwatch> swatches;
};

Scene scene_of(const Picture& picture);

// Baseline of line `i` of `count` in a cell.
double cell_baseline(const SceneGrid& grid, const SceneCell& cell, std::size_t i, std::size_t count);

// The tooltip: `(2,3) at offset 17`.
std::string tooltip(const Cell& cell);

// Width of the lines of a weight.
double line_width(int weight);

}  // namespace tessera::detail
