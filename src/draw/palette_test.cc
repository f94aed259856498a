// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tessera/draw/picture.h"

namespace tessera {
namespace {

constexpr std::array<Theme, 2> kThemes = {Theme::light, Theme::dark};
constexpr Scale kSequential{Scale::Kind::sequential, kMaxSteps};
constexpr Scale kBanded{Scale::Kind::banded, 32};
constexpr Scale kCategorical{Scale::Kind::categorical, kCategories};

// Simulates the two common kinds of color blindness, which confuse red with green, by a linear map of linear
// RGB (F. Viénot, H. Brettel, J. Mollon 1999).
Rgb seen(Rgb color, bool protan) {
  const auto linear = [](std::uint8_t c) { return std::pow(c / 255.0, 2.2); };
  const auto byte = [](double c) {
    return static_cast<std::uint8_t>(std::lround(255 * std::pow(std::fmin(std::fmax(c, 0), 1), 1 / 2.2)));
  };
  const double r = linear(color.r);
  const double g = linear(color.g);
  const double b = linear(color.b);
  const double rg = protan ? 0.11238 * r + 0.88762 * g : 0.29275 * r + 0.70725 * g;
  const double blue = protan ? 0.00401 * r - 0.00401 * g + b : -0.02234 * r + 0.02234 * g + b;
  return {byte(rg), byte(rg), byte(blue)};
}

TEST(Palette, TextOnEveryColorHasTheContrastOfWcagAa) {
  for (const Theme theme : kThemes) {
    for (const Scale& scale : {kSequential, kCategorical, kBanded}) {
      for (int i = 0; i < scale.steps; ++i) {
        const Rgb paper = color_of(scale, i, theme);
        EXPECT_GE(contrast(paper, ink_on(paper)), 4.5) << to_string(paper);
      }
    }
    const ThemeColors& colors = colors_of(theme);
    EXPECT_GE(contrast(colors.paper, colors.ink), 7);
    EXPECT_GE(contrast(colors.paper, colors.muted), 4.5);
    EXPECT_GE(contrast(colors.padding, colors.muted), 4.5);
    EXPECT_GE(contrast(colors.paper, colors.mark), 4.5);
  }
}

TEST(Palette, NoPaperIsTooGreyForBlackAndForWhite) {
  for (int i = 0; i < 256; ++i) {
    const auto gray = static_cast<std::uint8_t>(i);
    EXPECT_GE(contrast({gray, gray, gray}, ink_on({gray, gray, gray})), 4.5) << i;
  }
}

TEST(Palette, CategoriesStayApartForTheColorBlind) {
  for (const Theme theme : kThemes) {
    for (int i = 0; i < kCategories; ++i) {
      for (int j = 0; j < i; ++j) {
        const Rgb a = color_of(kCategorical, i, theme);
        const Rgb b = color_of(kCategorical, j, theme);
        EXPECT_GE(distance(a, b), 0.07) << i << " " << j;
        for (const bool protan : {false, true}) {
          EXPECT_GE(distance(seen(a, protan), seen(b, protan)), 0.04)
              << i << " " << j << (protan ? " protan" : " deutan");
        }
      }
    }
  }
}

TEST(Palette, BandsDifferMostFromTheirNeighbors) {
  for (const Theme theme : kThemes) {
    for (int i = 0; i < 32; ++i) {
      for (int j = 0; j < i; ++j) {
        const double apart = distance(color_of(kBanded, i, theme), color_of(kBanded, j, theme));
        EXPECT_GE(apart, 0.055) << i << " " << j;
        if (i - j < 8) {
          EXPECT_GE(apart, 0.075) << i << " " << j;
        }
      }
    }
  }
}

TEST(Palette, BandsAreColorsOfTerminals) {
  for (const Theme theme : kThemes) {
    for (int i = 0; i < 32; ++i) {
      const Rgb color = color_of(kBanded, i, theme);
      EXPECT_EQ(terminal_color(nearest_terminal_color(color)), color) << i;
    }
  }
}

TEST(Palette, TerminalColorsAreACubeAndGrays) {
  EXPECT_EQ(to_string(terminal_color(16)), "#000000");
  EXPECT_EQ(to_string(terminal_color(75)), "#5fafff");
  EXPECT_EQ(to_string(terminal_color(231)), "#ffffff");
  EXPECT_EQ(to_string(terminal_color(232)), "#080808");
  EXPECT_EQ(to_string(terminal_color(255)), "#eeeeee");
  EXPECT_EQ(nearest_terminal_color({254, 254, 255}), 231);
}

TEST(Palette, EqualStepsOfASequenceLookEqual) {
  for (const Theme theme : kThemes) {
    const double whole =
        distance(color_of(kSequential, 0, theme), color_of(kSequential, kMaxSteps - 1, theme));
    double least = 1;
    double most = 0;
    for (int i = 8; i < kMaxSteps; i += 8) {
      const double step = distance(color_of(kSequential, i - 8, theme), color_of(kSequential, i, theme));
      least = std::fmin(least, step);
      most = std::fmax(most, step);
    }
    EXPECT_LE(most, 2.5 * least);
    EXPECT_GE(whole, 0.5);
  }
}

TEST(Palette, TheLastStepIsReachedWithFewAndWithManySteps) {
  for (const int steps : {1, 2, 3, 64}) {
    const Scale scale{Scale::Kind::sequential, steps};
    EXPECT_EQ(color_of(scale, 0, Theme::light), color_of(kSequential, 0, Theme::light));
    if (steps > 1) {
      EXPECT_EQ(color_of(scale, steps - 1, Theme::light), color_of(kSequential, kMaxSteps - 1, Theme::light));
    }
  }
}

TEST(Palette, OklchKnowsWhiteBlackAndSrgbRed) {
  EXPECT_EQ(to_string(from_oklch(1, 0, 0)), "#ffffff");
  EXPECT_EQ(to_string(from_oklch(0, 0, 0)), "#000000");
  EXPECT_EQ(to_string(from_oklch(0.62796, 0.25768, 29.234)), "#ff0000");
  // Colors outside the gamut keep their hue.
  EXPECT_LT(distance(from_oklch(0.62796, 0.9, 29.234), {255, 0, 0}), 0.02);
}

}  // namespace
}  // namespace tessera
