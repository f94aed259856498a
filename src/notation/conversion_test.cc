// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/conversion.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tessera/notation/layout.h"

namespace tessera {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

std::string to(Notation notation, std::string_view text) {
  return to_string(convert(layout(text), notation).value().layout);
}

Diagnostic refusal(Notation notation, std::string_view text) {
  const auto result = convert(layout(text), notation);
  if (!result) return result.error();
  ADD_FAILURE() << text << " converts to " << to_string(result->layout);
  return {};
}

TEST(ConversionTest, TiledArraysBecomeNestedModes) {
  EXPECT_EQ(to(Notation::cute, "f32[3,5]{1,0:T(2,2)}"), "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)");
  EXPECT_EQ(to(Notation::cute, "bf16[16,256]{1,0:T(8,128)(2,1)}"),
            "((2,4,2),(128,2)):((1,256,2048),(2,1024))");
  EXPECT_EQ(to(Notation::cute, "16:[0, 0 oe(8)]"), "((2,4,2)):((4,1,8))");
  EXPECT_EQ(to(Notation::cute, "f32[5]{0:T(4)(3)}"), "((4,2)):((1,6)) crop (5)");
}

TEST(ConversionTest, ASwizzleIsFoundBeforeALayout) {
  EXPECT_EQ(to(Notation::cute, "d0:9,18,36 d1:1,2,4"), "Sw<3,0,3> o _0 o (8,8):(8,1)");
  // A single dimension stays one dimension, however many modes it has.
  EXPECT_EQ(to(Notation::cute, "d0:1,2,5,8"), "Sw<1,0,2> o _0 o 16:1");
  EXPECT_EQ(refusal(Notation::cute, "f32[2,3,4]{2,1,0:T(*,2,3)}").reason, "entangled");
}

TEST(ConversionTest, ASwizzleIsFoundBeforeACroppedLayout) {
  // Regression: this conversion failed, because only bases that a swizzle makes disjoint were tried.
  EXPECT_EQ(to(Notation::cute, "d0:3,7"), "Sw<1,0,2> o _0 o ((3,2)):((3,5)) crop (4)");
  // Extents that are not powers of two have no bases at all.
  EXPECT_EQ(to(Notation::cute, to(Notation::map, "Sw<2,0,3> o _0 o (8,8):(8,1) crop (6,7)")),
            "Sw<2,0,3> o _0 o (6,7):(8,1)");
  EXPECT_EQ(refusal(Notation::cute, "f32[2,3,4]{2,1,0:T(*,2,3)}").notes.front(),
            "it is not a single swizzle of a layout either");
}

TEST(ConversionTest, SwizzlesHaveBasesAndSumsModuloTwo) {
  EXPECT_EQ(to(Notation::linear, "Sw<3,0,3> o _0 o (8,8):(8,1)"), "d0:9,18,36 d1:1,2,4");
  EXPECT_EQ(same_map(layout("Sw<3,0,3> o _0 o (8,8):(8,1)"),
                     convert(layout("Sw<3,0,3> o _0 o (8,8):(8,1)"), Notation::map)->layout)
                .verdict,
            Verdict::yes);
}

TEST(ConversionTest, XlaGetsTheShortestListAndTheMemoryOfTheSource) {
  EXPECT_EQ(to(Notation::xla, "f32[4,8]{1,0:T(2,4)(2,1)}"), "f32[4,8]{1,0:T(2,1)}");
  EXPECT_EQ(to(Notation::xla, "f32[6,1]{1,0:T(8,128)}"), "f32[6,1]{1,0:T(128)L(1024)}");
  EXPECT_EQ(to(Notation::xla, "f32[3,5]{1,0:T(2,2)}"), "f32[3,5]{1,0:T(2,2)}");
  EXPECT_EQ(to(Notation::xla, "2x3x4x5:NHWC"), "f32[2,3,4,5]{1,3,2,0}");
  EXPECT_EQ(to(Notation::xla, "f32[2,3,4]{2,1,0:T(*,2,3)}"), "f32[2,3,4]{2,1,0:T(*,2,3)}");
  EXPECT_EQ(to(Notation::xla, "s8[4,8]{1,0:T(2,4)(2,1)S(1)}"), "s8[4,8]{1,0:T(2,1)S(1)}");
}

// The padding after the last row was left out, with a note, though a block of rows has it.
TEST(ConversionTest, OnednnGetsTheMemoryOfTheSource) {
  EXPECT_EQ(to(Notation::onednn, "f32[3,5]{1,0:T(2,8)}"), "f32[3,5]:AB2a8b");
  EXPECT_EQ(to(Notation::onednn, "f32[5]{0:T(8)}"), "f32[5]:A4a");
  EXPECT_EQ(to(Notation::onednn, "f32[30,7]{1,0:T(8,128)}"), "f32[30,7]:AB4a128b");
  EXPECT_EQ(to(Notation::onednn, "f32[6,1]{1,0:T(8,128)}"), "f32[6,1]:AB4a128b");
  EXPECT_EQ(to(Notation::onednn, "f32[3,4]{1,0:L(16)}"), "f32[3,4]:AB2a4b");
  const Layout odd = layout("f32[3,4]{1,0:L(13)}");
  EXPECT_EQ(convert(odd, Notation::onednn)->notes.front(),
            "buffer_smaller: the target has 12 elements, but the source has 13; the tail is not represented");
  // Against every index of random tiles.
  std::mt19937 random(44);
  const auto upto = [&](Index most) { return std::uniform_int_distribution<Index>(1, most)(random); };
  int padded = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const std::string text =
        fmt::format("f32[{},{},{}]{{2,1,0:T({},{})}}", upto(4), upto(9), upto(9), upto(5), upto(5));
    SCOPED_TRACE(text);
    const Layout from = layout(text);
    const auto made = convert(from, Notation::onednn);
    if (!made) continue;
    EXPECT_EQ(equal(from, made->layout, EqualityNotion::map).verdict, Verdict::yes)
        << to_string(made->layout);
    if (!made->notes.empty()) continue;
    EXPECT_EQ(made->layout.allocated_elements(), from.buffer_size().value()) << to_string(made->layout);
    ++padded;
  }
  EXPECT_GT(padded, 100);
}

TEST(ConversionTest, WhatATargetCannotExpressIsReported) {
  const Conversion conversion = convert(layout("bf16[3,5]{1,0:T(2,2)S(1)}"), Notation::cute).value();
  EXPECT_EQ(conversion.buffer_size, 24);
  EXPECT_EQ(conversion.dropped, (std::vector<std::string>{"type bf16", "memory space S(1)"}));
  EXPECT_EQ(convert(layout("((2,2),(2,3)):((2,12),(1,4)) crop (3,5)"), Notation::xla)->notes.back(),
            "buffer_larger: the tiles allocate 24 elements, but the source has 21");
  EXPECT_EQ(convert(layout("f32[8]{0:L(128)}"), Notation::morello)->notes.front(),
            "buffer_smaller: the target has 8 elements, but the source has 128; the tail is not represented");
}

TEST(ConversionTest, EveryReasonHasItsCase) {
  EXPECT_EQ(refusal(Notation::cute, "np:(4):(1) + 2").reason, "offset");
  EXPECT_EQ(refusal(Notation::cute, "np:(0,4):(1,1)").reason, "empty");
  EXPECT_EQ(refusal(Notation::cute, "f32[17]{0:T(3)(8,16,2)(2)}").reason, "irregular");
  EXPECT_EQ(refusal(Notation::strides, "f32[4,8]{1,0:T(2,4)(2,1)}").reason, "multi_digit");
  EXPECT_EQ(refusal(Notation::strides, "f32[4,8]{1,0:T(2,4)(2,1)}").help,
            "the expanded view np:(2,2,8):(16,1,2), reshaped to (4,8), is the same array");
  EXPECT_EQ(refusal(Notation::morello, "4:-1").reason, "negative_stride");
  EXPECT_EQ(refusal(Notation::morello, "(4,8):(0,1)").reason, "broadcast");
  EXPECT_EQ(refusal(Notation::morello, "(4,8):(0,1)").witness, "(0, 0) and (1, 0)");
  EXPECT_EQ(refusal(Notation::morello, "f32[3,5]{1,0:T(2,2)}").reason, "padding");
  EXPECT_EQ(refusal(Notation::morello, "((3,4)):((4,1))").reason, "order");
  EXPECT_EQ(refusal(Notation::xla, "(3,2):(2,3)").reason, "gap");
  EXPECT_EQ(refusal(Notation::linear, "f32[3,5]{1,0:T(2,2)}").reason, "not_power_of_two");
  EXPECT_EQ(refusal(Notation::linear, "(4,4):(1,3)").reason, "carry");
  EXPECT_EQ(refusal(Notation::morello, "f32[]").code, Code::rank_mismatch);
}

// Chains without a swizzle that start at another offset than 0 were once refused as their own notation.
TEST(ConversionTest, AChainWithAnOffsetRemainsACuteLayout) {
  EXPECT_EQ(to(Notation::cute, "Sw<0,0,0> o _5 o (4):(1)"), "Sw<0,0,0> o _5 o (4):(1)");
  EXPECT_EQ(refusal(Notation::cute, "np:(4):(1) + 5").reason, "offset");
}

// Blocks were once limited to 2^31 elements when read, but not when printed.
TEST(ConversionTest, TagsWithLargeBlocksCanBeRead) {
  EXPECT_EQ(to(Notation::onednn, "np:(2147483649,2):(1,2147483650)"), "2147483649x2:Ab2147483650a");
  EXPECT_EQ(to(Notation::onednn, "2147483649x2:Ab2147483650a"), "2147483649x2:Ab2147483650a");
}

TEST(ConversionTest, AnEmptyBoxHasATypeATagStridesAndAMap) {
  EXPECT_EQ(to(Notation::xla, "np:(0,4):(1,1)"), "f32[0,4]{1,0}");
  EXPECT_EQ(to(Notation::onednn, "np:(0,4):(1,1)"), "0x4:ab");
  EXPECT_EQ(to(Notation::strides, "f32[0,4]"), "np:(0,4):(0,0)");
  EXPECT_EQ(to(Notation::map, "f32[0,4]"), "(d0, d1) -> (0), domain: d0 in [0, -1], d1 in [0, 3]");
}

TEST(ConversionTest, AllSpellingsAreTheSameFunction) {
  const Layout from = layout("6x8:[1, 0, 1 p(4)]");
  for (const Notation notation : {Notation::xla, Notation::cute, Notation::morello, Notation::map}) {
    const auto all = spellings(from, notation).value();
    for (const Layout& one : all) {
      EXPECT_EQ(same_map(from, one).verdict, Verdict::yes) << to_string(one);
    }
  }
  std::vector<std::string> tiles;
  const std::vector<Layout> lists = spellings(from, Notation::xla).value();
  for (const Layout& one : lists) tiles.push_back(to_string(one));
  EXPECT_EQ(tiles.front(), "f32[6,8]{1,0:T(6,4)}");
  EXPECT_NE(std::ranges::find(tiles, "f32[6,8]{0,1:T(4,1)}"), tiles.end());
}

}  // namespace
}  // namespace tessera
