// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/notation/layout.h"

namespace tessera {
namespace {

Notation notation_of(std::string_view text) { return parse_layout(text).value().notation(); }

std::string printed(std::string_view text) { return to_string(parse_layout(text).value()); }

Diagnostic error_of(std::string_view text) { return parse_layout(text).error(); }

TEST(AnyLayoutTest, TheBeginningOfATextTellsItsNotation) {
  EXPECT_EQ(notation_of("f32[3,5]{1,0:T(2,2)}"), Notation::xla);
  EXPECT_EQ(notation_of("(6,8):(1,6)"), Notation::cute);
  EXPECT_EQ(notation_of("Sw<3,0,3> o _0 o (8,8):(8,1)"), Notation::cute);
  EXPECT_EQ(notation_of("4:1"), Notation::cute);
  EXPECT_EQ(notation_of("6x8:[1, 0, 1 p(4)]"), Notation::morello);
  EXPECT_EQ(notation_of("6 : [0]"), Notation::morello);
  EXPECT_EQ(notation_of("(6,8):(1,6) + 7"), Notation::strides);
  EXPECT_EQ(notation_of("(0,8):(1,6)"), Notation::strides);
  EXPECT_EQ(notation_of("d0:1,16 d1:2,4,8"), Notation::linear);
  EXPECT_EQ(notation_of("(d0) -> (d0 * 2), domain: d0 in [0, 3]"), Notation::map);
}

TEST(AnyLayoutTest, APrefixDecides) {
  EXPECT_EQ(notation_of("np:(6,8):(1,6)"), Notation::strides);
  EXPECT_EQ(notation_of(" cute : (6,8):(1,6)"), Notation::cute);
  EXPECT_EQ(notation_prefix("mor:6x8:[1, 0]"), Notation::morello);
  EXPECT_EQ(notation_prefix("6x8:[1, 0]"), std::nullopt);
  for (const char* text : {"np:(6,8):(1,6)", "numpy:(6,8):(1,6)", "strides : (6,8):(1,6)"})
    EXPECT_EQ(printed(text), "np:(6,8):(1,6)");
  EXPECT_EQ(printed("morello:6x8:[1, 0]"), printed("mor:6x8:[1, 0]"));
  EXPECT_EQ(printed("linear:d0:1,16 d1:2,4,8"), printed("ll:d0:1,16 d1:2,4,8"));
  EXPECT_EQ(printed("onednn:2x32x7x7:aBcd16b"), printed("dnn:2x32x7x7:aBcd16b"));
  EXPECT_EQ(parse_notation("numpy"), Notation::strides);
  EXPECT_EQ(parse_notation("np"), Notation::strides);
  EXPECT_EQ(parse_notation("sharding"), std::nullopt);
  EXPECT_EQ(error_of("foo:3").code, Code::unknown_name);
}

TEST(AnyLayoutTest, CanonicalTextsReadBack) {
  for (const char* text : {"f32[3,5]{1,0:T(2,2)}", "f32[]", "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)",
                           "Sw<2,0,3> o _3 o (5,7):(8,1) crop (4,7)", "6x8:[1, 0, 1 p(4)]", "2x3x4x5:NHWC",
                           "np:(6,8):(1,6) + 7", "np:(6):(-1) - 7", "np:():()", "d0:1,16 d1:2,4,8",
                           "d0: d1:1", "(d0) -> (d0 * 2 + 1), domain: d0 in [0, 3]"}) {
    EXPECT_EQ(printed(text), text);
    EXPECT_EQ(parse_layout(to_prefixed_string(*parse_layout(text))).value(), parse_layout(text).value())
        << text;
  }
}

TEST(AnyLayoutTest, ACropThatCutsNothingOffIsNone) {
  EXPECT_EQ(printed("(4,8):(8,1) crop (4,8)"), "(4,8):(8,1)");
}

TEST(AnyLayoutTest, ErrorsPointIntoTheWholeText) {
  EXPECT_EQ(error_of("np:(3,4):(1,x)").span, (Span{12, 13}));
  EXPECT_EQ(error_of("(4,8):(8,1) crop (3").span, (Span{19, 19}));
  EXPECT_EQ(error_of("(4,8):(8,1) crop (3,9)").code, Code::bad_extent);
  EXPECT_EQ(error_of("cute: (4,8):(8)").code, Code::not_congruent);
  EXPECT_EQ(error_of("(3,4):(1@0,1@1)").code, Code::unsupported_codomain);
  EXPECT_EQ(error_of("").code, Code::syntax);
  EXPECT_EQ(error_of("(f32[2], f32[3])").code, Code::layout_on_nonarray);
}

TEST(AnyLayoutTest, ALayoutWithoutItsShapeIsToldToBringIt) {
  EXPECT_EQ(error_of("[1, 0]").code, Code::missing_layout);
  EXPECT_EQ(error_of("[1, 0]").help, "write the shape before it: 6x8:[1, 0]");
  EXPECT_EQ(error_of("{1,0:T(2,2)}").code, Code::missing_layout);
}

TEST(AnyLayoutTest, WhatIsNoFunctionIntoMemoryIsRefused) {
  EXPECT_EQ(error_of("Sw<3,0,3>").reason, "not_a_layout");
  EXPECT_EQ(error_of("Sw<1,0,2> o _0 o 4:-1").code, Code::unsupported_codomain);
  EXPECT_EQ(error_of("(d0) -> (8 / d0), domain: d0 in [0, 3]").reason, "not_a_layout");
  EXPECT_EQ(error_of("(d0) -> (d0, d0), domain: d0 in [0, 3]").reason, "not_a_layout");
  EXPECT_EQ(error_of("np:(4):(9223372036854775807)").code, Code::overflow);
}

TEST(AnyLayout, TheMapOfAnEmptyBoxKeepsItsExtents) {
  const Layout empty = parse_layout("(d0, d1) -> (d0 + 7), domain: d0 in [3, 2], d1 in [0, 2]").value();
  EXPECT_EQ(std::vector(empty.shape().begin(), empty.shape().end()), (std::vector<Index>{0, 3}));
  EXPECT_EQ(to_string(empty), "(d0, d1) -> (0), domain: d0 in [0, -1], d1 in [0, 2]");
  EXPECT_EQ(parse_layout(to_string(empty)).value(), empty);
  EXPECT_EQ(error_of("map:KNOWN EMPTY").code, Code::missing_layout);
  EXPECT_EQ(error_of("(d0, d1) -> (0), domain: d0 in [0, -1], d1 in [1, 2]").reason, "not_a_layout");
}

}  // namespace
}  // namespace tessera
