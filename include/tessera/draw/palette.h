// SPDX-License-Identifier: Apache-2.0
/// \file
/// Colors of pictures: distinct even for color-blind readers, and readable under text.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// An sRGB color.
struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// `#e69f00`.
std::string to_string(Rgb color);

/// A color of the perceptual space OKLab in polar form: lightness in [0, 1], chroma >= 0, hue in degrees.
/// Chroma outside sRGB is reduced until it fits; lightness and hue stay.
Rgb from_oklch(double lightness, double chroma, double hue);

/// Distance in OKLab: black to white is 1, and 0.02 is just visible.
double distance(Rgb a, Rgb b);

/// The contrast ratio of WCAG 2, from 1 to 21.
double contrast(Rgb a, Rgb b);

/// Black or white, whichever contrasts more; the contrast is at least 4.5.
Rgb ink_on(Rgb paper);

/// The color with this number in a terminal of 256 colors: 16 to 231 are a cube, 232 to 255 are grays.
Rgb terminal_color(int number);

/// The number, from 16 to 255, of the nearest terminal color. O(240).
int nearest_terminal_color(Rgb color);

enum class Theme : std::uint8_t { light, dark };

/// The kind and the number of a picture's colors.
struct Scale {
  /// sequential: numbers. categorical: up to kCategories classes. banded: up to kMaxClasses classes.
  enum class Kind : std::uint8_t { none, sequential, categorical, banded };
  Kind kind = Kind::none;
  int steps = 0;  ///< colors 0 .. steps - 1
  friend bool operator==(const Scale&, const Scale&) = default;
};

/// Categorical colors repeat after this many.
inline constexpr int kCategories = 8;

/// Banded colors repeat after this many: as many as shared memory has banks and a warp has threads.
inline constexpr int kMaxClasses = 32;

/// The most steps of a sequential scale; more would look alike.
inline constexpr int kMaxSteps = 64;

/// The color of a step. Sequential: equal steps of lightness, from near the paper, yellow to blue on light
/// paper and blue to yellow on dark paper. Categorical: the eight of Okabe and Ito with gray for black,
/// softened toward the paper. Banded: 32 terminal colors, at least 0.055 apart, so that every renderer and
/// every terminal shows 32 different colors; steps i and i + 8 have similar hues.
Rgb color_of(const Scale& scale, int step, Theme theme);

/// The colors of everything but cells.
struct ThemeColors {
  Rgb paper;
  Rgb ink;      ///< titles and labels
  Rgb muted;    ///< names of axes, notes
  Rgb grid;     ///< lines between cells
  Rgb frame;    ///< lines between tiles
  Rgb padding;  ///< background of padding
  Rgb hatch;    ///< its stripes
  Rgb mark;     ///< frame of a marked cell
};
const ThemeColors& colors_of(Theme theme);

}  // namespace tessera
