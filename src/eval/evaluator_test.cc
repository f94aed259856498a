// SPDX-License-Identifier: Apache-2.0
#include "tessera/eval/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "laws/algebra_laws.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

/// The last answer of a text, or the code of its error.
std::string value(std::string_view text) {
  Evaluator evaluator;
  const Evaluation out = evaluator.evaluate(text);
  if (out.error) return std::string(to_string(out.error->code));
  return to_string(out.answers.back().value);
}

TEST(Evaluator, ReadsTheLiteralsOfTheNotation) {
  for (const char* text :
       {"7", "-3", "_4", "(4,8)", "(2)", "(2,_)", "_", "(4,8):(8,1)", "(_2,4):(_1,_2)", "4:-1", "(2):(1)",
        "(4,(2,3)):(1@0,(1@0@1,1@1@1))", "Sw<3,4,3>", "Sw<3,4,3> o _0 o (8,64):(64,1)", "<3:4,8:2>",
        "<3,<_,8:2>>", "(2,2):(2,1) o _3 o Sw<1,1,3>"}) {
    EXPECT_EQ(value(text), text);
  }
  EXPECT_EQ(value("S<3,4,3>"), "Sw<3,4,3>");
  EXPECT_EQ(value(" ( 4 , 8 ) : ( 8 , 1 ) "), "(4,8):(8,1)");
}

// Every printed layout parses back to itself.
TEST(Evaluator, ReadsBackRandomLayouts) {
  laws::for_random_cases([](laws::Random& r) {
    const std::string text = to_string(r.layout(1000));
    return value(text) == text ? laws::held() : laws::broken(text, value(text));
  });
}

// A swizzle after bases swizzles the offset of every coordinate.
TEST(Evaluator, ASwizzleComposesWithBases) {
  std::mt19937_64 random(20270);
  for (int n = 0; n < 300; ++n) {
    const auto bits = static_cast<int>(random() % 5) + 1;
    std::vector<std::uint64_t> bases;
    for (int k = 0; k < bits; ++k) bases.push_back(random() % 256);
    const std::uint64_t size = random() % 4;
    const std::uint64_t low = random() % 3;
    const std::uint64_t shift = size + random() % 3;
    const auto swizzled = [&](std::uint64_t x) {
      const std::uint64_t mask = (1U << size) - 1;
      return x ^ (((x >> (low + shift)) & mask) << low);
    };
    std::string list;
    for (const std::uint64_t basis : bases) list += (list.empty() ? "" : ",") + std::to_string(basis);
    const std::string call = "B = [[" + list + "]]; C = composition(Sw<" + std::to_string(size) + "," +
                             std::to_string(low) + "," + std::to_string(shift) + ">, B); C(";
    for (std::uint64_t c = 0; c < (1U << bits); ++c) {
      std::uint64_t offset = 0;
      for (int k = 0; k < bits; ++k) offset ^= (c >> k & 1) * bases[static_cast<std::size_t>(k)];
      ASSERT_EQ(value(call + std::to_string(c) + ")"), std::to_string(swizzled(offset))) << call << c;
    }
  }
}

TEST(Evaluator, OffsetsInChainsAreIntegersThatAnotherOFollows) {
  EXPECT_EQ(value("Sw<3,4,3> o 5 o (8,64)"), "Sw<3,4,3> o _5 o (8,64):(1,8)");
  EXPECT_EQ(value("x = 5; Sw<3,4,3> o x o (8,64)"), "Sw<3,4,3> o _5 o (8,64):(1,8)");
  EXPECT_EQ(value("Sw<3,4,3> o 8"), "Sw<3,4,3> o _0 o 8:1");
  EXPECT_EQ(value("4:2 o 8 o 9 o 3:1"), "4:2 o _8 o 9:1 o _0 o 3:1");
}

TEST(Evaluator, ParenthesesAroundOneThingThatIsNoTupleHoldItTogether) {
  EXPECT_EQ(value("((Sw<3,0,3> o (8,8):(8,1)))(1)"), "9");
  EXPECT_EQ(value("(4)"), "(4)");
  EXPECT_EQ(value("L = 4:2; (L)"), "4:2");
  EXPECT_EQ(value("n = 4; (n)"), "(4)");
}

TEST(Evaluator, TuplesTakeVariablesAndCalls) {
  EXPECT_EQ(value("M = 4; N = 8; (M,N):(N,1)"), "(4,8):(8,1)");
  EXPECT_EQ(value("d = (1,4); (4,8):d"), "(4,8):(1,4)");
  EXPECT_EQ(value("(size((2,3)),shape((4,5):(1,4)))"), "(6,(4,5))");
}

TEST(Evaluator, AFailedTextKeepsTheVariablesBeforeTheError) {
  Evaluator evaluator;
  const Evaluation failed = evaluator.evaluate("L = (4,8):(8,1); M = foo(L)");
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.answers.size(), 1U);
  EXPECT_EQ(failed.error->span, (Span{21, 24}));
  EXPECT_EQ(to_string(evaluator.evaluate("L(1,1)").answers[0].value), "9");
  EXPECT_TRUE(evaluator.evaluate("M").error);
}

TEST(Evaluator, VariablesHideNoFunctionAndNoWord) {
  for (const char* name : {"size", "o", "left", "right", "cute.coalesce"}) {
    const std::string code = value(std::string(name) + " = 3");
    EXPECT_TRUE(code == "reserved_name" || code == "syntax") << name << ": " << code;
  }
}

TEST(Evaluator, AWordOfTheLanguageInsideALongerNameIsAName) {
  EXPECT_EQ(value("offset = 3; o2 = offset; o2"), "3");
  EXPECT_EQ(value("S = Sw<3,0,3>; S(19)"), "17");
}

// Regression: A(2)(3) was 3, because the integer A(2) = 16 was taken for the layout 16:1.
TEST(Evaluator, NumbersAndTuplesTakeNoCoordinate) {
  Evaluator evaluator;
  const Evaluation out = evaluator.evaluate("A=(4,8):(8,1); A(2)(3)");
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->code, Code::argument_type);
  EXPECT_EQ(out.error->message, "the integer 16 takes no coordinate");
  EXPECT_EQ(out.error->span, (Span{19, 22}));
  for (const char* text : {"3(4)", "n = 4; n(2)", "S = (4,8); S(1)", "(4,8)(1,2)", "A=(4,8):(8,1); (A(2))(3)",
                           "3(_)", "3(4:1)", "equal(4,4)(1)", "values(4)(1)", "<4>(1)", "left(1)"}) {
    const std::string code = value(text);
    EXPECT_TRUE(code == "argument_type" || code == "unknown_function") << text << ": " << code;
  }
}

TEST(Evaluator, ASliceIsAppliedLikeTheLayoutThatItIsCutFrom) {
  EXPECT_EQ(value("A = (4,8):(8,1); A(_,3)(2)"), "19");
  EXPECT_EQ(value("A = (4,8):(8,1); A(_,3)(_)"), "(4):(8) at 3");
  EXPECT_EQ(value("A = (2,4,8):(64,8,1); A(_,_,3)(1,_)"), "(4):(8) at 67");
  EXPECT_EQ(value("A = (2,4,8):(64,8,1); A(_,_,3)(1,_)(2)"), "83");
}

TEST(Evaluator, ComputesWithIntegers) {
  EXPECT_EQ(value("A = (4,8); size(A) / 4"), "8");
  EXPECT_EQ(value("2 + 3 * 4 - 6 / 4"), "13");
  EXPECT_EQ(value("(2 + 3) * 4"), "20");
  EXPECT_EQ(value("-7 / 2"), "-4");
  EXPECT_EQ(value("-7 mod 2"), "1");
  EXPECT_EQ(value("7 % -2"), "-1");
  EXPECT_EQ(value("7 // 2"), "3");
  EXPECT_EQ(value("n = 4; -n + 1"), "-3");
  EXPECT_EQ(value("4 -1"), "3");
  EXPECT_EQ(value("4-1"), "3");
  EXPECT_EQ(value("(4,-1)"), "(4,-1)");
  EXPECT_EQ(value("_4 * _2"), "_8");
  EXPECT_EQ(value("_4 * 2"), "8");
  EXPECT_EQ(value("M = 4; N = 8; (M*2,N):(N,1)"), "(8,8):(8,1)");
  // Brackets are tuples where both sides of a layout have them, as with names for sizes: (2*N):(N+1).
  EXPECT_EQ(value("M = 4; (M*2):(M+1)"), "(8):(5)");
  EXPECT_EQ(value("M = 4; (M*2):M"), "8:4");
  EXPECT_EQ(value("7 / 0"), "undefined_value");
  EXPECT_EQ(value("9223372036854775807 + 1"), "overflow");
  EXPECT_EQ(value("-9223372036854775808 / -1"), "overflow");
  EXPECT_EQ(value("-9223372036854775808 mod -1"), "0");
  EXPECT_EQ(value("(4,8) * 2"), "argument_type");
  EXPECT_EQ(value("M = 4; M*2:1"), "argument_type");
}

TEST(Evaluator, DivisionRoundsDown) {
  laws::for_random_cases([](laws::Random& r) {
    const Index a = r.in(-50, 50);
    const Index b = r.in(1, 9) * (r.one_in(2) ? 1 : -1);
    const std::string text = "(" + std::to_string(a) + " / " + std::to_string(b) + ")";
    const Index q = std::stoll(value(text));
    const Index rest = std::stoll(value(std::to_string(a) + " mod " + std::to_string(b)));
    return q * b + rest == a && (rest == 0 || (rest < 0) == (b < 0)) && std::abs(rest) < std::abs(b)
               ? laws::held()
               : laws::broken(text, q, rest);
  });
}

TEST(Evaluator, ComparesAndDecides) {
  EXPECT_EQ(value("3 < 4 and not 4 <= 3"), "true");
  EXPECT_EQ(value("3 > 4 or 3 != 4"), "true");
  EXPECT_EQ(value("(4,8):(8,1) == (_4,_8):(_8,_1)"), "true");
  EXPECT_EQ(value("(4,8) == (4,8):(8,1)"), "argument_type");
  EXPECT_EQ(value("8:1 == (4,2):(1,4)"),
            "false, written differently, but the same function of the 1-D coordinate");
  EXPECT_EQ(value("<2,4> == <2,4>"), "true");
  EXPECT_EQ(value("false and 3"), "false");  // the right side is not evaluated
  EXPECT_EQ(value("true and 3"), "argument_type");
  EXPECT_EQ(value("1 < 2 < 3"), "syntax");
}

TEST(Evaluator, UnderscoreIsTheLastAnswerOutsideOfCoordinates) {
  EXPECT_EQ(value("(4,8):(8,1); size(_)"), "32");
  EXPECT_EQ(value("(4,8):(8,1); _(2,3)"), "19");
  EXPECT_EQ(value("(4,8):(8,1); size(_); _ / 4"), "8");
  EXPECT_EQ(value("(4,8):(8,1); ans"), "(4,8):(8,1)");
  EXPECT_EQ(value("L = (4,8):(8,1); L(2,_)"), "(8):(1) at 16");
  EXPECT_EQ(value("L = (4,8):(8,1); slice(_, L)"), "(4,8):(8,1)");
  EXPECT_EQ(value("L = (4,8):(8,1); composition(L, _)"), "(4,8):(8,1)");
  EXPECT_EQ(value("4; (2,_)"), "(2,_)");
  EXPECT_EQ(value("_"), "_");
  EXPECT_EQ(value("_ + 1"), "unknown_name");
}

TEST(Evaluator, ReadsCplusplusAndPython) {
  EXPECT_EQ(value("auto L = cute::make_layout(cute::make_shape(Int<4>{}, 8)); size<1>(L)"), "8");
  EXPECT_EQ(value("L = cute.make_layout((4,8), right); cute.size(L, mode=[0])"), "4");
  EXPECT_EQ(value("cute.make_layout((4,_8), stride=(8,_1))"), "(4,_8):(8,_1)");
  EXPECT_EQ(value("cute.make_layout((4,8), stride=(8,(1,1)))"), "not_congruent");
  EXPECT_EQ(value("M = 4; make_layout(make_shape(M, Int<8>{}), make_stride(M * 2, _1{}))"), "(4,8):(8,1)");
  EXPECT_EQ(value("get<0,1>((4,(2,3)):(6,(3,1)))"), "index_out_of_range");
  EXPECT_EQ(value("get<1,0>((4,(2,3)):(6,(3,1)))"), "2:3");
  EXPECT_EQ(value("append<3>(8:1)"), "(8,1,1):(1,0,0)");
  EXPECT_EQ(value("composition(Swizzle<3,3,3>{}, Int<0>{}, (8,64):(64,1))"),
            "Sw<3,3,3> o _0 o (8,64):(64,1)");
  EXPECT_EQ(value("size(Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1))"), "512");
  EXPECT_EQ(value("(ptr[32b](0x10) o (8,4):(4,1))(1,2)"), "6");
  EXPECT_EQ(value("zipped_divide((8,8):(8,1), Tile<_2,_4>{})"), "((2,4),(4,2)):((8,1),(16,4))");
  EXPECT_EQ(value("tile_to_shape((8,8):(8,1), make_shape(16,32), Step<_2,_1>{})"),
            "((8,2),(8,4)):((8,256),(1,64))");
  EXPECT_EQ(value("size((4,?))"), "syntax");
}

TEST(Evaluator, AnOpenBracketIsIncompleteAndAClosedOneIsNot) {
  Evaluator evaluator;
  for (const char* text : {"size((4,8", "L = (", "<2,", "f(1,", "(4,8):(", "Layout<Shape<_4"})
    EXPECT_TRUE(evaluator.evaluate(text).incomplete) << text;
  for (const char* text : {"size(4))", "1 +", "(1 2)", "4:", "size((4,8))", "(4,?", ""})
    EXPECT_FALSE(evaluator.evaluate(text).incomplete) << text;
  EXPECT_EQ(value("size((4,\n 8))"), "32");
}

// Regression: a name of 10 MB gave a message of 20 MB.
TEST(Evaluator, QuotesABoundedPartOfItsInput) {
  const std::string name(10'000'000, 'x');
  for (const std::string& text : {name, name + "(1)", "size(" + name + ")", "4 " + name, name + " = size =",
                                  "(4,8):(" + name, "size<" + name + ">(4)", std::string(10'000'000, '1'),
                                  "L = 4; L." + name, "Layout<" + name, "left = 3; " + name}) {
    Evaluator evaluator;
    const Evaluation out = evaluator.evaluate(text);
    ASSERT_TRUE(out.error) << text.substr(0, 20);
    EXPECT_LT(out.error->message.size() + out.error->help.size(), 400U) << text.substr(0, 20);
  }
}

TEST(Functions, HaveExamplesThatHaveAnswers) {
  for (const FunctionInfo& f : eval_functions()) {
    EXPECT_FALSE(f.example.empty()) << f.name;
    EXPECT_NE(f.example.find(f.name), std::string_view::npos) << f.name;
    Evaluator evaluator;
    const Evaluation out = evaluator.evaluate(f.example);
    EXPECT_FALSE(out.error) << f.example << ": " << to_string(*out.error);
  }
}

TEST(Functions, HaveNamesOfTheirOwnAndSaySo) {
  std::set<std::pair<bool, std::string_view>> names;
  for (const FunctionInfo& f : eval_functions()) {
    EXPECT_TRUE(names.emplace(f.group == "Axe layouts", f.name).second) << f.name;
    EXPECT_TRUE(f.signature.starts_with(std::string(f.name) + "(")) << f.signature;
    EXPECT_FALSE(f.summary.empty() || f.group.empty()) << f.name;
    EXPECT_EQ(value(std::string(f.name) + "()"), "argument_count") << f.name;
  }
}

TEST(AxeLayouts, AreValues) {
  Evaluator evaluator;
  const auto text = [&](std::string_view input) {
    const Evaluation out = evaluator.evaluate(input);
    return out.error ? std::string(to_string(out.error->code)) : to_string(out.answers.back().value);
  };
  EXPECT_EQ(text("a = axe:16:S[(2,2,4):(100,10,1)]; slice(a, (6,10))"), "axe:4:S[(2,2):(88,1)] + 12");
  EXPECT_EQ(text("a(7)"), "{m 13}");
  EXPECT_EQ(text("places(ans, 1)"), "argument_type");
  EXPECT_EQ(text("b = 8x2:S[(8,2):(1@laneid,1)] + R[2:1@warpid] + 3@laneid"),
            "axe:S[(8,2):(1@laneid,1)] + R[2:1@warpid] + 3@laneid");
  EXPECT_EQ(text("b == fuse(b)"), "false");
  EXPECT_EQ(text("equal(b, fuse(b))"), "true");
  EXPECT_EQ(text("equal(a, 16:S[16:1])"), "false, index (4) is at {m 10} and at {m 4}");
  EXPECT_EQ(text("slice((1,_), (4,8):(8,1))"), "(8):(1) at 8");
  EXPECT_EQ(text("tile = (4,8):(8,1); tile(1,1)"), "9");
  EXPECT_EQ(text("size(a)"), "argument_type");
  EXPECT_EQ(text("axe:S[4:1"), "syntax");
  EXPECT_EQ(text("direct_sum(axe:S[2:1], axe:S[2:2]); canonical(ans)"), "axe:S[(2,2):(1,2)]");
}

// Every function, called with every kind of value, gives a result or an error with a span inside the text.
TEST(Functions, RefuseWhatTheyDoNotTake) {
  const std::vector<std::string> kinds = {"3",
                                          "-1",
                                          "(2,_)",
                                          "(4,8)",
                                          "(4,8):(8,1)",
                                          "Sw<2,0,3>",
                                          "<2,4>",
                                          "left",
                                          "_",
                                          "(Sw<2,0,2> o (4,4):(4,1))",
                                          "(4,5):(1@0,1@1)",
                                          "to_linear((4,8))",
                                          "slice((1,_),(4,8):(8,1))",
                                          "values(4)",
                                          "axe:S[(4,2):(1@laneid,1)]",
                                          "equal(4,4)"};
  int answered = 0;
  for (const FunctionInfo& f : eval_functions()) {
    for (const std::string& a : kinds) {
      for (const std::string& b : kinds) {
        for (const std::string& text :
             {std::string(f.name) + "(" + a + ")", std::string(f.name) + "(" + a + "," + b + ")",
              std::string(f.name) + "(" + a + "," + b + ",1)"}) {
          Evaluator evaluator;
          const Evaluation out = evaluator.evaluate(text);
          if (!out.error) {
            ++answered;
            EXPECT_FALSE(to_string(out.answers[0].value).empty()) << text;
            continue;
          }
          EXPECT_FALSE(out.error->message.empty()) << text;
          EXPECT_LT(out.error->span.begin, out.error->span.end) << text;
          EXPECT_LE(out.error->span.end, text.size()) << text;
        }
      }
    }
  }
  EXPECT_GT(answered, 1000);
}

}  // namespace
}  // namespace tessera
