// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/algebra_laws.h"
#include "notation/cute/algebra_diagnostic.h"
#include "tessera/notation/cute.h"

namespace user {

// Errors reach users as diagnostics: the operations that refuse with an AlgebraError are not found by their
// arguments.
template <class L>
concept composes = requires(const L& a) { composition(a, a); };
template <class L>
concept inverts = requires(const L& a) { right_inverse(a); };
static_assert(!composes<tessera::StridedLayout> && !composes<tessera::ComposedLayout>);
static_assert(!inverts<tessera::StridedLayout>);

}  // namespace user

namespace tessera {
namespace {

std::string read(std::string_view text) {
  const Result<CuteValue> v = parse_cute(text);
  if (v) return to_string(*v);
  return std::string(to_string(v.error().code)) + " at " + std::to_string(v.error().span.begin);
}

TEST(CuteText, TheNormalFormReadsBack) {
  for (const char* text :
       {"(2,(1,6)):(1,(6,2))", "_4:_-1", "(4,(2,3)):(1@0,(1@0@1,2@1@1))", "Sw<2,0,-3>", "<3:4,8:2>",
        "<3,<8:2,_>>", "(1,_)", "_", "Sw<3,0,3> o 5 o (_8,_8):(_8,_1)", "(8,4):(4,1) o _0 o Sw<1,1,2>",
        "<(_2,4):(1,_2),_>", "Sw<1,0,1> o _2 o Sw<1,1,2> o -3 o 4:1", "(2,3):(0@1,1@1)"}) {
    EXPECT_EQ(read(text), text);
  }
}

TEST(CuteText, WhiteSpaceAndOtherSpellingsAreRead) {
  EXPECT_EQ(read(" ( 2 , ( 1 , 6 ) ) : ( 1 , ( 6 , 2 ) ) "), "(2,(1,6)):(1,(6,2))");
  EXPECT_EQ(read("S<3,4,3>\no 0 o (4, 8) : (1, 4)"), "Sw<3,4,3> o 0 o (4,8):(1,4)");
  EXPECT_EQ(read("Sw<3,4,3> o 8"), "Sw<3,4,3> o _0 o 8:1");
  EXPECT_EQ(read("Sw<3,4,3> o 8 o 8"), "Sw<3,4,3> o 8 o 8:1");
  EXPECT_EQ(read("(_2,4)"), "(_2,4):(_1,_2)");
  EXPECT_EQ(read("(4,8,1,2)"), "(4,8,1,2):(1,4,0,32)");
  EXPECT_EQ(read("(_4,8,1,2)"), "(_4,8,1,2):(_1,_4,32,32)");
  EXPECT_EQ(to_string(*parse_cute_tiler("(3,8)")), "<3,8>");
}

TEST(CuteText, EveryErrorHasItsPlace) {
  EXPECT_EQ(read(""), "syntax at 0");
  EXPECT_EQ(read("("), "syntax at 1");
  EXPECT_EQ(read("(2,3"), "syntax at 4");
  EXPECT_EQ(read("(2,3):1"), "not_congruent at 6");
  EXPECT_EQ(read("(2,0):(1,2)"), "bad_extent at 3");
  EXPECT_EQ(read("(2,-3):(1,2)"), "bad_extent at 3");
  EXPECT_EQ(read("(2,,3):(1,2)"), "syntax at 3");
  EXPECT_EQ(read("(2 3):(1,2)"), "syntax at 3");
  EXPECT_EQ(read("2:1x"), "syntax at 3");
  EXPECT_EQ(read("99999999999999999999:1"), "number_range at 0");
  EXPECT_EQ(read("2:-9223372036854775808"), "overflow at 2");
  EXPECT_EQ(read("2:-9223372036854775809"), "number_range at 2");
  EXPECT_EQ(read("(2,3):(1@0,2)"), "codomain_mismatch at 6");
  EXPECT_EQ(read("(2,3):(1@0,1@0@0)"), "codomain_mismatch at 6");
  EXPECT_EQ(read("(2,3):(1@,2)"), "syntax at 9");
  EXPECT_EQ(read("2:1@_1"), "syntax at 4");
  EXPECT_EQ(read("Sw<3,4,2>"), "bad_swizzle at 0");
  EXPECT_EQ(read("Sw<1,2>"), "syntax at 6");
  EXPECT_EQ(read("Sw<3,4,3> o"), "syntax at 11");
  EXPECT_EQ(read("(2,3)):(1,2)"), "syntax at 5");
  EXPECT_EQ(read("():()"), "syntax at 1");
  EXPECT_EQ(read("<>"), "syntax at 1");
  EXPECT_EQ(read("(?,4):(1,2)"), "syntax at 1");
  EXPECT_EQ(read(std::string_view("4:1\0", 4)), "syntax at 3");
  EXPECT_EQ(read("(4294967296,4294967296)"), "overflow at 23");
}

TEST(CuteText, TooMuchIsRefusedAndNotRead) {
  EXPECT_EQ(read(std::string(100000, '(')).substr(0, 8), "capacity");
  std::string many = "(1";
  for (int i = 1; i < 65; ++i) many += ",1";
  EXPECT_EQ(read(many + ")").substr(0, 8), "capacity");
  EXPECT_EQ(read("1:1@0@0@0@0@0@0@0@0@0").substr(0, 8), "capacity");
  EXPECT_EQ(read("1:1@255").substr(0, 8), "capacity");
  EXPECT_EQ(read("8 o 8 o 8 o 8 o 8 o 8 o 8 o 8 o 8 o 8:1").substr(0, 8), "capacity");
}

TEST(CuteText, ExpectationsAreNamed) {
  EXPECT_EQ(parse_cute_layout("(2,3):(1,2").error().message, "expected ',' or ')' in stride, found the end");
  EXPECT_EQ(parse_cute_layout("(2,?)").error().message, "'?' is a dynamic extent or stride: write its value");
}

// Texts from CuTe C++, its Python DSL and the comments of CUTLASS can be pasted.
TEST(CuteText, WhatOthersPrintIsRead) {
  const std::pair<const char*, const char*> cases[] = {
      {"smem_ptr[16b](unset) o ((_8,_8),_2):((_64,_512),_1)", "((_8,_8),_2):((_64,_512),_1)"},
      {"gmem_ptr[32b](0x7f8800000400) o (8,4):(4,1)", "(8,4):(4,1)"},
      {"ptr[16b](0x7feee1fffbe0) o ((_2,_2,_8),_2,_2):((_1,_2,_4),_32,_64)",
       "((_2,_2,_8),_2,_2):((_1,_2,_4),_32,_64)"},
      {"tmem_[32b](0x0000.0040) o (_128,_64):(_65536,_1)", "(_128,_64):(_65536,_1)"},
      {"raw_ptr(0x00007fbeac604c00: f32, gmem, align<4>) o (16,2):(1,16)", "(16,2):(1,16)"},
      {"tensor<ptr<f32, gmem, align<8>> o ((2,2,16),2):((1,32768,8),524288)>",
       "((2,2,16),2):((1,32768,8),524288)"},
      {"ArithTuple(_0,0) o (128,64):(1@0,1@1)", "(128,64):(1@0,1@1)"},
      {"Layout<Shape<_4,_8>,Stride<_1,_4>>", "(_4,_8):(_1,_4)"},
      {"Layout<Shape<_4,Shape<_2,_3>>>{}", "(_4,(_2,_3)):(_1,(_4,_8))"},
      {"cute::Layout<cute::tuple<cute::C<4>,cute::C<8>>,cute::tuple<cute::C<8>,cute::C<1>>>",
       "(_4,_8):(_8,_1)"},
      {"make_layout(make_shape(_4{},8),make_stride(Int<8>{},_1{}))", "(_4,8):(_8,_1)"},
      {"make_layout(make_shape(4,8), LayoutRight{})", "(4,8):(8,1)"},
      {"make_layout((4,8), stride=(8,1))", "(4,8):(8,1)"},
      {"make_layout(make_layout(4), 8:4)", "(4,8):(1,4)"},
      {"Shape<_4,_8>", "(_4,_8):(_1,_4)"},
      {"Swizzle<3,4,3>{}", "Sw<3,4,3>"},
      {"Tile<_4,Layout<_8,_2>>", "<_4,_8:_2>"},
      {"Coord<_2,_3>{}", "(_2,_3):(_1,_2)"},
      {"make_coord(2, _)", "(2,_)"},
      {"S<3,4,3> o 0 o ((128,16),1,4):((64,1),0,16)", "Sw<3,4,3> o 0 o ((128,16),1,4):((64,1),0,16)"},
      {"make_composed_layout(Swizzle<3,3,3>{}, 0, (8,64):(64,1))", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
  };
  for (const auto& [text, printed] : cases) EXPECT_EQ(read(text), printed) << text;
  // If a layout is required, a pointer may precede it, but not a swizzle.
  EXPECT_EQ(to_string(*parse_cute_layout("smem_ptr[16b](unset) o (4,8):(8,1)")), "(4,8):(8,1)");
  EXPECT_EQ(to_string(*parse_cute_layout("tensor<ptr<f32, gmem> o (4,8):(8,1)>")), "(4,8):(8,1)");
  EXPECT_EQ(parse_cute_layout("ptr<f16, smem, S<3,4,3>> o 512:1").error().message,
            "expected a layout without a swizzle, found 'p'");
}

// A swizzle next to a pointer acts on bytes: Sw<3,4,3> swaps 16-byte chunks, 8 elements of 16 bits each. As a
// swizzle of element offsets it would be a different layout.
TEST(CuteText, ASwizzleOfAPointerBecomesOneOfElements) {
  const std::pair<const char*, const char*> cases[] = {
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"},
      {"Sw<3,4,3> o smem_ptr[8b](unset) o (_8,_128):(_128,_1)", "Sw<3,4,3> o _0 o (_8,_128):(_128,_1)"},
      {"Sw<2,4,3> o smem_ptr[4b](unset) o (_8,_128):(_128,_1)", "Sw<2,5,3> o _0 o (_8,_128):(_128,_1)"},
      {"Sw<3,4,3> o smem_ptr[1b](unset) o (_8,_1024):(_1024,_1)", "Sw<3,7,3> o _0 o (_8,_1024):(_1024,_1)"},
      {"Sw<3,4,3>_smem_ptr[16b](0x7f8800000400) o\n    ((_64,_8),_2):((_1,_64),_512)",
       "Sw<3,3,3> o _0 o ((_64,_8),_2):((_1,_64),_512)"},
      {"ptr<bf16, smem, align<1024>, S<3,4,3>> o ((8,8),(64,2)):((64,512),(1,4096))",
       "Sw<3,3,3> o _0 o ((8,8),(64,2)):((64,512),(1,4096))"},
      {"ComposedLayout<Swizzle<3,4,3>,smem_ptr_flag_bits<16>,Layout<Shape<_8,_64>,Stride<_64,_1>>>",
       "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"},
  };
  for (const auto& [text, printed] : cases) EXPECT_EQ(read(text), printed) << text;
  // These have no swizzle of elements: the address is inside a swizzled block, or elements are wider than the
  // blocks that the swizzle moves.
  EXPECT_EQ(read("Sw<3,4,3>_smem_ptr[16b](0x7f8800000410) o 64:1"), "nonzero_offset at 10");
  EXPECT_EQ(read("Sw<3,0,3> o smem_ptr[16b](unset) o 64:1"), "recast_divisibility at 12");
  EXPECT_EQ(read("ArithTuple(0,8) o 4:1@0").substr(0, 14), "nonzero_offset");
}

TEST(CuteText, SpelledValuesHaveErrorsInTheirPlace) {
  EXPECT_EQ(read("Layout<Shape<_4,_8>,Stride<_1>>"), "not_congruent at 20");
  EXPECT_EQ(read("Layout<Shape<_4,_0>>"), "bad_extent at 16");
  EXPECT_EQ(read("make_layout(make_shape(4,?))"), "syntax at 25");
  EXPECT_EQ(read("smem_ptr[16b](unset) (8,4)"), "syntax at 21");
  EXPECT_EQ(read("smem_ptr[16b](unset"), "syntax at 13");
  EXPECT_EQ(read("Layout<Shape<_4"), "syntax at 15");
}

TEST(CuteText, RandomBytesEndWithAValueOrADiagnostic) {
  laws::for_random_cases([](laws::Random& r) {
    static constexpr std::string_view kAlphabet = "0123456789(),:<>_-@ oSw?x\n";
    static const std::vector<std::string> kWords = {"Layout<",      "Shape<", "smem_ptr[16b]", "(unset)",
                                                    "make_layout(", "Int<4>", "Swizzle<3",     "ptr<f16",
                                                    "{}",           "cute::"};
    std::string text;
    for (Index n = r.in(0, 24); n > 0; --n) {
      if (r.one_in(12)) {
        text += r.pick(kWords);
      } else {
        text += kAlphabet[static_cast<std::size_t>(r.in(0, kAlphabet.size() - 1))];
      }
    }
    const Result<CuteValue> v = parse_cute(text);
    if (!v) return v.error().span.begin <= text.size() ? laws::held() : laws::broken(text);
    const Result<CuteValue> again = parse_cute(to_string(*v));
    return again && to_string(*again) == to_string(*v) ? laws::held() : laws::broken(text, to_string(*v));
  });
}

TEST(CuteText, RefusalsBecomeDiagnosticsWithAWitness) {
  const StridedLayout a = laws::L("(4,6,8):(2,3,5)");
  const StridedLayout b = laws::L("6:3");
  const Result<StridedLayout> r = algebra::composition(a, b);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Code::not_representable);
  EXPECT_EQ(r.error().reason, "stride");
  EXPECT_EQ(r.error().message,
            "composition((4,6,8):(2,3,5), 6:3) is not a layout (stride) at 6:3 of the right operand");
  EXPECT_EQ(r.error().witness,
            "coordinate 3 of that leaf has the value 8, but every layout with the values before it gives 13");
}

TEST(CuteText, ConstantExpressionsNameCodesLikeDiagnostics){
#define TESSERA_CODE(w, ...) EXPECT_EQ(to_string(Code::w), detail::word(Code::w));
    TESSERA_CODES(TESSERA_CODE)
#undef TESSERA_CODE
}

TEST(CuteText, EveryErrorOfTheAlgebraHasAMessage) {
  using enum Code;
  for (const Code code : {syntax,
                          number_range,
                          overflow,
                          capacity,
                          not_congruent,
                          bad_extent,
                          rank_mismatch,
                          index_out_of_range,
                          empty_range,
                          codomain_mismatch,
                          unsupported_codomain,
                          basis_out_of_range,
                          undecided,
                          non_injective,
                          negative_stride,
                          left_inverse_chain,
                          shape_divisibility,
                          recast_divisibility,
                          downcast_no_unit_stride,
                          tile_to_shape_divisibility,
                          bad_swizzle,
                          swizzle_masks,
                          swizzle_shift_mismatch,
                          nonzero_offset,
                          stride_divisibility,
                          dynamic_stride,
                          div_by_zero}) {
    EXPECT_FALSE(message_of(detail::refuse(code)).empty()) << to_string(code);
    EXPECT_EQ(detail::algebra_diagnostic(detail::refuse(code), "op", {"x"}).code, code);
  }
  EXPECT_FALSE(detail::algebra_diagnostic(detail::refuse(not_representable), "op", {"x"}).message.empty());
}

TEST(LayoutTable, IsTheTableOfCute) {
  EXPECT_EQ(*print_layout(laws::L("(2,(2,2)):(4,(2,1))")),
            "(2,(2,2)):(4,(2,1))\n"
            "      0   1   2   3 \n"
            "    +---+---+---+---+\n"
            " 0  | 0 | 2 | 1 | 3 |\n"
            "    +---+---+---+---+\n"
            " 1  | 4 | 6 | 5 | 7 |\n"
            "    +---+---+---+---+\n");
  EXPECT_EQ(print_layout(laws::L("8:1")).error().code, Code::rank_mismatch);
  EXPECT_EQ(print_layout(laws::L("(2048,2048):(1,2048)")).error().code, Code::limit);
}

TEST(LayoutTable, WidensForValuesBeyondTheCosize) {
  // The swizzle maps offset 7 to 127, which has more digits than the cosize of the layout.
  const Result<std::string> grid = print_layout(laws::X("Sw<3,0,-4> o _0 o (2,4):(4,1)"));
  ASSERT_TRUE(grid);
  EXPECT_NE(grid->find("| 119 |"), std::string::npos) << *grid;
}

TEST(LayoutTable, ShowsCoordinates) {
  const Result<std::string> grid = print_layout(laws::L("(2,2):(1@0,1@1)"));
  ASSERT_TRUE(grid);
  EXPECT_NE(grid->find("| (1,0) | (1,1) |"), std::string::npos) << *grid;
}

}  // namespace
}  // namespace tessera
