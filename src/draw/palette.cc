// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tessera/draw/picture.h"

namespace tessera {
namespace {

using Triple = std::array<double, 3>;

double to_linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double to_gamma(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

Triple linear(Rgb c) { return {to_linear(c.r), to_linear(c.g), to_linear(c.b)}; }

// Björn Ottosson's OKLab: cone responses, their cube roots, and a second linear map.
Triple to_oklab(Rgb color) {
  const auto [r, g, b] = linear(color);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// Linear RGB; components outside [0, 1] are not in sRGB.
Triple from_oklab(const Triple& lab) {
  const double l = std::pow(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2], 3);
  const double m = std::pow(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2], 3);
  const double s = std::pow(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2], 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool in_gamut(const Triple& rgb) {
  return std::ranges::all_of(rgb, [](double c) { return c >= -1e-6 && c <= 1 + 1e-6; });
}

std::uint8_t byte(double linear) {
  return static_cast<std::uint8_t>(std::lround(255 * to_gamma(std::clamp(linear, 0.0, 1.0))));
}

double luminance(Rgb color) {
  const auto [r, g, b] = linear(color);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

Rgb mix(Rgb a, Rgb b, double share_of_b) {
  const auto channel = [&](std::uint8_t x, std::uint8_t y) {
    return static_cast<std::uint8_t>(std::lround(x + (y - x) * share_of_b));
  };
  return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b)};
}

// M. Okabe and K. Ito, Color Universal Design (2008), with gray instead of their black, which a dark theme
// would hide.
constexpr std::array<Rgb, kCategories> kOkabeIto = {{{0x56, 0xb4, 0xe9},
                                                     {0xe6, 0x9f, 0x00},
                                                     {0x00, 0x9e, 0x73},
                                                     {0xcc, 0x79, 0xa7},
                                                     {0xf0, 0xe4, 0x42},
                                                     {0x00, 0x72, 0xb2},
                                                     {0xd5, 0x5e, 0x00},
                                                     {0xa8, 0xa8, 0xa8}}};

// Terminal color numbers, chosen by a search: near Okabe and Ito's hues in four shades, pairwise at least
// 0.055 apart, and as far apart as possible for color-blind readers.
constexpr std::array<std::uint8_t, kMaxClasses> kLightBands = {
    75, 208, 35, 169, 220, 25, 166, 247, 81,  214, 72,  175, 191, 67,  173, 250,
    80, 185, 78, 218, 228, 74, 179, 188, 159, 222, 115, 219, 193, 146, 216, 189};
constexpr std::array<std::uint8_t, kMaxClasses> kDarkBands = {
    74, 178, 36, 175, 220, 26, 166, 145, 31, 130, 29,  132, 143, 25, 124, 102,
    23, 94,  22, 96,  100, 18, 88,  241, 24, 58,  236, 53,  101, 17, 52,  239};

}  // namespace

std::string to_string(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

Rgb from_oklch(double lightness, double chroma, double hue) {
  const double angle = hue * std::numbers::pi / 180;
  const auto at = [&](double c) { return from_oklab({lightness, c * std::cos(angle), c * std::sin(angle)}); };
  Triple rgb = at(chroma);
  if (!in_gamut(rgb)) {
    double low = 0;
    for (int i = 0; i < 24; ++i) {
      const double middle = (low + chroma) / 2;
      (in_gamut(at(middle)) ? low : chroma) = middle;
    }
    rgb = at(low);
  }
  return {byte(rgb[0]), byte(rgb[1]), byte(rgb[2])};
}

double distance(Rgb a, Rgb b) {
  const Triple x = to_oklab(a);
  const Triple y = to_oklab(b);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double contrast(Rgb a, Rgb b) {
  const double x = luminance(a) + 0.05;
  const double y = luminance(b) + 0.05;
  return std::max(x, y) / std::min(x, y);
}

// The worst case is luminance sqrt(0.05 * 1.05) - 0.05, where both inks have contrast sqrt(21) = 4.58.
Rgb ink_on(Rgb paper) {
  constexpr Rgb black{0, 0, 0};
  constexpr Rgb white{255, 255, 255};
  return contrast(paper, black) >= contrast(paper, white) ? black : white;
}

Rgb terminal_color(int number) {
  static constexpr std::array<std::uint8_t, 6> kLevels = {0, 95, 135, 175, 215, 255};
  if (number >= 232) {
    const auto gray = static_cast<std::uint8_t>(8 + 10 * (number - 232));
    return {gray, gray, gray};
  }
  const auto level = [](int k) { return kLevels[static_cast<std::size_t>(k % 6)]; };
  const int cube = number - 16;
  return {level(cube / 36), level(cube / 6), level(cube)};
}

int nearest_terminal_color(Rgb color) {
  int best = 16;
  double nearest = distance(color, terminal_color(best));
  for (int i = 17; i < 256; ++i) {
    const double apart = distance(color, terminal_color(i));
    if (apart >= nearest) continue;
    nearest = apart;
    best = i;
  }
  return best;
}

Rgb color_of(const Scale& scale, int step, Theme theme) {
  if (scale.kind == Scale::Kind::banded) {
    const auto& bands = theme == Theme::light ? kLightBands : kDarkBands;
    return terminal_color(bands[static_cast<std::size_t>(step % kMaxClasses)]);
  }
  if (scale.kind == Scale::Kind::categorical) {
    const Rgb pure = kOkabeIto[static_cast<std::size_t>(step % kCategories)];
    return theme == Theme::light ? mix(pure, {255, 255, 255}, 0.25) : mix(pure, {0, 0, 0}, 0.12);
  }
  const double t = scale.steps > 1 ? static_cast<double>(step) / (scale.steps - 1) : 0;
  // Readers with any kind of color blindness can tell yellow (105 degrees) from blue (265 degrees).
  return theme == Theme::light ? from_oklch(0.965 - 0.50 * t, 0.055 + 0.085 * t, 105 + 160 * t)
                               : from_oklch(0.33 + 0.55 * t, 0.10 + 0.03 * t, 265 - 160 * t);
}

const ThemeColors& colors_of(Theme theme) {
  static constexpr ThemeColors kLight{.paper = {255, 255, 255},
                                      .ink = {31, 35, 40},
                                      .muted = {89, 99, 110},
                                      .grid = {196, 202, 209},
                                      .frame = {31, 35, 40},
                                      .padding = {240, 241, 243},
                                      .hatch = {198, 203, 210},
                                      .mark = {176, 0, 32}};
  static constexpr ThemeColors kDark{.paper = {22, 27, 34},
                                     .ink = {230, 237, 243},
                                     .muted = {158, 167, 179},
                                     .grid = {72, 80, 90},
                                     .frame = {230, 237, 243},
                                     .padding = {33, 39, 47},
                                     .hatch = {72, 80, 90},
                                     .mark = {255, 140, 140}};
  return theme == Theme::light ? kLight : kDark;
}

}  // namespace tessera
