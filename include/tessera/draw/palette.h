// SPDX-License-Identifier: Apache-2.0
/// \file
/// Colours of pictures: told apart by colour-blind readers, and readable under text.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// An sRGB colour.
struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// `#e69f00`.
std::string to_string(Rgb color);

/// A colour of the perceptual space OKLab in polar form: lightness in [0, 1], chroma >= 0, hue in degrees. A
/// chroma that sRGB cannot show is lowered until it can; lightness and hue stay.
Rgb from_oklch(double lightness, double chroma, double hue);

/// Distance in OKLab; black to white is 1, and a difference of 0.02 can just be seen.
double distance(Rgb a, Rgb b);

/// The contrast ratio of WCAG 2, from 1 to 21.
double contrast(Rgb a, Rgb b);

/// Black or white, whichever stands out more; the contrast is never below 4.5.
Rgb ink_on(Rgb paper);

enum class Theme : std::uint8_t { light, dark };

/// How the colours of a picture are numbered.
struct Scale {
  /// sequential: for numbers; categorical: for names; banded: for numbers modulo something, of which
  /// neighbours must differ most.
  enum class Kind : std::uint8_t { none, sequential, categorical, banded };
  Kind kind = Kind::none;
  int steps = 0;  ///< colours 0 .. steps - 1
  friend bool operator==(const Scale&, const Scale&) = default;
};

/// Categorical colours repeat after this many.
inline constexpr int kCategories = 8;

/// The most steps of a sequential scale: more could not be told apart.
inline constexpr int kMaxSteps = 64;

/// The colour of a step. Sequential: equal steps of lightness, near the paper first, from yellow to blue on
/// light paper and back on dark paper. Categorical: Okabe and Ito's eight, grey for their black, softened
/// towards the paper. Banded: those eight in four shades; step i has the hue i mod 8.
Rgb color_of(const Scale& scale, int step, Theme theme);

/// What a theme gives to everything that is not a cell.
struct ThemeColors {
  Rgb paper;
  Rgb ink;      ///< titles and labels
  Rgb muted;    ///< names of axes, notes
  Rgb grid;     ///< lines between cells
  Rgb frame;    ///< lines between tiles
  Rgb padding;  ///< paper of padding
  Rgb hatch;    ///< its stripes
  Rgb mark;     ///< frame of a marked cell
};
const ThemeColors& colors_of(Theme theme);

}  // namespace tessera
