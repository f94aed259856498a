// SPDX-License-Identifier: Apache-2.0
#include "tessera/eval/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "laws/algebra_laws.h"
#include "tessera/eval/function.h"
#include "tessera/text/cute.h"

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

// A layout that is printed reads back as itself, whatever it is.
TEST(Evaluator, ReadsBackRandomLayouts) {
  laws::for_random_cases([](laws::Random& r) {
    const std::string text = to_string(r.layout(1000));
    return value(text) == text ? laws::held() : laws::broken(text, value(text));
  });
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

TEST(Functions, HaveNamesOfTheirOwnAndSaySo) {
  std::set<std::string_view> names;
  for (const FunctionInfo& f : eval_functions()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_TRUE(f.signature.starts_with(std::string(f.name) + "(")) << f.signature;
    EXPECT_FALSE(f.summary.empty() || f.group.empty()) << f.name;
    EXPECT_EQ(value(std::string(f.name) + "()"), "argument_count") << f.name;
  }
}

// Every function, called with every kind of value, answers or refuses with a place inside the text.
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
