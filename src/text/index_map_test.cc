// SPDX-License-Identifier: Apache-2.0
#include "tessera/text/index_map.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera {
namespace {

std::string round_trip(std::string_view text) {
  const auto map = parse_map_or_undefined(text);
  if (!map) return to_string(map.error());
  return std::visit([](const auto& value) { return to_string(value); }, *map);
}

std::string expr_round_trip(std::string_view text) {
  const auto expr = parse_expr(text);
  return expr ? to_string(*expr) : to_string(expr.error());
}

TEST(IndexMapTextTest, CanonicalTextsReadAndPrintUnchanged) {
  for (const char* text : {
           "(d0, d1) -> (d0 mod 2 + d1), domain: d0 in [0, 3], d1 in [-4, 4]",
           "(d0)[s0]{r0} -> (s0 * r0, d0), domain: d0 in [0, 3], s0 in [0, 1], r0 in [0, 4], "
           "(r0 + 1) mod 5 in [1, 1], d0 + s0 in [0, 45], d0 mod 4 in [0, 0]",
           "(d0, d1) -> (d0 - (d1 - 3)), domain: d0 in [0, 9], d1 in [0, 9]",
           "(d0) -> (min(d0, max(d0 - 1, 3)), -d0 mod 2, d0 / 3 / 5, d0 / (d0 / 3)), domain: d0 in [0, 9]",
           "(d1, d0) -> (d0, d1), domain: d1 in [0, 3], d0 in [0, 5]",
           "(d0) -> (d0 - 9223372036854775807), domain: d0 in [-9223372036854775808, 9223372036854775807]",
           "() -> ()",
           "() -> (0)",
           "KNOWN EMPTY",
           "UNDEFINED",
       }) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(IndexMapTextTest, SpellingsAndBlanksAreNormalised) {
  EXPECT_EQ(round_trip("(d0,d1)[]->(d0 floorDiv 2,d1 ceilDiv 3)\n,domain:d0 in[0,7],d1 in[0,7],"),
            "(d0, d1) -> (d0 / 2, d1 ceildiv 3), domain: d0 in [0, 7], d1 in [0, 7]");
  EXPECT_EQ(round_trip("(x) -> (2 * x + 1), domain: x in [0, 9], 0 in [-1, 0]"),
            "(x) -> (x * 2 + 1), domain: x in [0, 9]");
}

TEST(IndexMapTextTest, DefaultNamesAreNotStored) {
  const auto map = parse_index_map(
      "(d0, x)[s0]{rt0} -> (x), domain: d0 in [0, 1], x in [0, 1], s0 in [0, 1], rt0 in [0, 1]");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->variables()[0].name, "");
  EXPECT_EQ(map->variables()[1].name, "x");
  EXPECT_EQ(map->variables()[2].name, "");
  EXPECT_EQ(map->variables()[3].name, "");
}

TEST(IndexMapTextTest, AnInfeasibleIntervalIsAnEmptyMapWithItsCounts) {
  const auto map = parse_index_map("(d0)[s0] -> (d0, s0), domain: d0 in [1, 0], s0 in [0, 3]");
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->known_empty());
  EXPECT_EQ(map->dim_count(), 1u);
  EXPECT_EQ(map->range_count(), 1u);
  EXPECT_EQ(map->results().size(), 2u);
}

TEST(IndexMapTextTest, AHeaderAloneIsAMapOverUnboundedVariables) {
  const auto map = parse_index_map("(d0)[s0] -> (d0 + s0)", DomainPart::optional);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->variables()[0].bounds, (Interval{kNegInf, kPosInf}));
  EXPECT_FALSE(parse_index_map("(d0)[s0] -> (d0 + s0)"));
}

TEST(IndexMapTextTest, UnaryMinusBindsTighterThanEveryOperator) {
  EXPECT_EQ(expr_round_trip("-v0 mod 2"), "-v0 mod 2");
  EXPECT_EQ(parse_expr("-v0 mod 2")->kind(), ExprKind::mod);
  EXPECT_EQ(expr_round_trip("-(v0 / 2)"), "-(v0 / 2)");
  EXPECT_EQ(expr_round_trip("-(v0 + v1) floordiv 2"), "(-v0 - v1) / 2");
  EXPECT_EQ(expr_round_trip("--v0"), "v0");
  EXPECT_EQ(expr_round_trip("-9223372036854775808"), "-9223372036854775808");
}

TEST(IndexMapTextTest, AMinusGoesToTheTermsOfASum) {
  EXPECT_EQ(expr_round_trip("v0 - (v1 * 3 + v0 * 2)"), "v0 - (v1 * 3 + v0 * 2)");
  EXPECT_EQ(expr_round_trip("v1 - (v0*8 + 3) mod 4"), "v1 - (v0 * 8 + 3) mod 4");
  EXPECT_EQ(expr_round_trip("v1 - v0 ceildiv 4"), "v1 - v0 ceildiv 4");
}

// Found by fuzzing: -(v0 mod 5 * v1) / 2 was printed without parentheses, which parses as another expression.
TEST(IndexMapTextTest, ASignIsShownOnlyWhereItReadsBack) {
  EXPECT_EQ(expr_round_trip("-(v0 * v1) + 1"), "-v0 * v1 + 1");
  EXPECT_EQ(expr_round_trip("8 - (-(v1 - 2) mod 5 * -v1 / 2)"), "-((((-v1 + 2) mod 5) * -v1) / 2) + 8");
  EXPECT_EQ(expr_round_trip("v0 mod -(v1 * v2)"), "v0 mod -(v1 * v2)");
  EXPECT_EQ(expr_round_trip("-((v0 + v1) * v2)"), "-((v0 + v1) * v2)");
  EXPECT_EQ(expr_round_trip("(v0 + v1) * -1"), "(v0 + v1) * -1");
  EXPECT_EQ(expr_round_trip("v0 + (v2 - v1) * -3"), "v0 - (v2 - v1) * 3");
  EXPECT_EQ(expr_round_trip("v0 + (-v1 * v2 + v2)"), "v0 + (-v1 * v2 + v2)");
  EXPECT_EQ(expr_round_trip("v0 * (v1 * 3) * 5"), "v0 * (v1 * 3) * 5");
  EXPECT_EQ(expr_round_trip("v0 + -9223372036854775808"), "v0 + -9223372036854775808");
}

// Found by fuzzing: after two minus signs, a single product of constants that overflows prevented the whole
// sum from being canonical, so its text parsed as a sum in another order.
TEST(IndexMapTextTest, ConstantsThatDoNotFoldStayApartOnTheirOwn) {
  EXPECT_EQ(expr_round_trip("-(-(v1-92237*720368547720368*v7)-20368*685477580775807)"),
            "v1 - 92237 * 720368547720368 * v7 + 20368 * 685477580775807");
  EXPECT_EQ(expr_round_trip("-(v1 + v0 - (4294967296 * 4294967296 - v0))"),
            "-v1 - v0 + 4294967296 * 4294967296 - v0");
  EXPECT_EQ(expr_round_trip("-(v0 + 9223372036854775807 + 5)"), "-v0 - 9223372036854775807 - 5");
}

// Regression: v0 + (v1 - v2) was printed without parentheses and read back as (v0 + v1) - v2, which overflows
// at other points.
TEST(IndexMapTextTest, PartsOfASumInASumAreAddedInTheOrderOfTheText) {
  for (const auto& [grouped, plain] :
       {std::pair("v0 + (v1 - v2)", "v0 + v1 - v2"), std::pair("v0 - (-v1 + v2)", "v0 + v1 - v2"),
        std::pair("v0 + 1 + (v1 + (v2 + 2))", "v0 + 1 + v1 + v2 + 2"),
        std::pair("v0 * (v1 * (v2 mod 4))", "v0 * v1 * (v2 mod 4)")}) {
    EXPECT_EQ(*parse_expr(grouped), *parse_expr(plain)) << grouped;
    EXPECT_EQ(expr_round_trip(grouped), plain);
  }
}

enum class Constants { small, large };

std::string random_expr_text(std::mt19937& random, int depth, Constants constants) {
  if (depth == 0 || random() % 8 == 0) {
    const bool constant = random() % 3 == 0;
    if (constant && constants == Constants::large && random() % 2 == 0) {
      const char* const ends[] = {"92237",      "685477580775807",     "720368547720368",
                                  "3037000500", "4611686018427387904", "9223372036854775807"};
      return ends[random() % std::size(ends)];
    }
    return (constant ? "" : "v") + std::to_string(random() % (constant ? 13 : 3));
  }
  const std::string a = random_expr_text(random, depth - 1, constants);
  const auto shape = random() % 10;
  if (shape == 0) return "-(" + a + ")";
  if (shape == 1) return "-" + a;
  const std::string b = random_expr_text(random, depth - 1, constants);
  if (shape == 2) return "min(" + a + ", " + b + ")";
  const char* const operators[] = {" + ", " - ", " * ", " / ", " mod ", " ceildiv ", " * -"};
  const char* const operation = operators[random() % std::size(operators)];
  return random() % 2 == 0 ? a + operation + "(" + b + ")" : a + operation + b;
}

void check_reads_back(std::mt19937& random, Constants constants) {
  for (int round = 0; round < 20000; ++round) {
    const int depth = 1 + static_cast<int>(random() % 6);
    const std::string text = random_expr_text(random, depth, constants);
    const auto expr = parse_expr(text);
    ASSERT_TRUE(expr) << text;
    const std::string printed = to_string(*expr);
    const auto again = parse_expr(printed);
    ASSERT_TRUE(again) << text << " printed as " << printed;
    ASSERT_EQ(to_string(*again), printed) << text;
    for (Index i = 0; i < 8; ++i) {
      const Index point[] = {i - 3, 4 - i * 2, i * 3 - 7};
      const auto value = evaluate(*expr, point);
      const auto value_again = evaluate(*again, point);
      // Only a sign that moves into a group changes which steps exceed 64 bits.
      if (text.find('-') != std::string::npos && (!value || !value_again)) continue;
      ASSERT_EQ(value, value_again) << text << " printed as " << printed;
    }
  }
}

TEST(IndexMapTextTest, WhatIsReadPrintsAsATextThatReadsBackAsTheSame) {
  std::mt19937 random(7);
  check_reads_back(random, Constants::small);
  check_reads_back(random, Constants::large);
}

struct Bad {
  const char* text;
  Code code;
  std::uint32_t begin;
  std::uint32_t end;
};

TEST(IndexMapTextTest, MalformedMapsAreRefusedAtTheRightPlace) {
  const Bad cases[] = {
      {"(d0) (d0), domain: d0 in [0, 1]", Code::syntax, 5, 6},
      {"(d0 -> (d0), domain: d0 in [0, 1]", Code::syntax, 4, 6},
      {"", Code::syntax, 0, 0},
      {"(d0) -> (d0)", Code::syntax, 12, 12},
      {"(d0) -> d0, domain: d0 in [0, 1]", Code::syntax, 8, 10},
      {"(d0) -> (d0), domain:", Code::syntax, 21, 21},
      {"(d0) -> (d0), domain: d1 in [0, 1]", Code::syntax, 22, 24},
      {"(d0) -> (d1), domain: d0 in [0, 1]", Code::unknown_name, 9, 11},
      {"(d0) -> (d0 +), domain: d0 in [0, 1]", Code::syntax, 13, 14},
      {"(d0) -> (d0), domain: d0 in [0.5, 1]", Code::syntax, 29, 32},
      {"(d0) -> (d0), domain: d0 in [0, 0x5]", Code::syntax, 32, 35},
      {"(d0) -> (d0), domain: d0 in [0, 1], d0 + 1", Code::syntax, 42, 42},
      {"(d0) -> (d0), domain: d0 in [0, 1] d0 in [0, 1]", Code::syntax, 35, 37},
      {"(d0, d0) -> (d0), domain: d0 in [0, 1], d0 in [0, 1]", Code::duplicate_name, 5, 7},
      {"(d0) -> (d0 d0), domain: d0 in [0, 1]", Code::syntax, 12, 14},
      {"(d0) -> (min(d0)), domain: d0 in [0, 1]", Code::syntax, 15, 16},
      {"(d0) -> (max(d0, d0, d0)), domain: d0 in [0, 1]", Code::syntax, 19, 20},
      {"(d0) -> (d0), domain: d0 in [0, 99999999999999999999]", Code::number_range, 32, 52},
      {"(d0) -> (d0), domain: d0 in [-9223372036854775809, 0]", Code::number_range, 29, 49},
      {"(0d) -> (0d), domain: 0d in [0, 1]", Code::syntax, 1, 3},
      {"(mod) -> (mod), domain: mod in [0, 1]", Code::reserved_name, 1, 4},
      {"(d0) -> (d0 mod 0), domain: d0 in [0, 1]", Code::undefined_value, 12, 17},
      {"(d0) -> (d0 / (1 - 1)), domain: d0 in [0, 1]", Code::undefined_value, 12, 21},
      {"(d0) -> (d0), domain: d0 in [0, 1], d0 mod 2 in [0, 0] x", Code::syntax, 55, 56},
      {"() -> (), domain: 1 in [0, 1]", Code::syntax, 8, 9},
      {"() -> (v0)", Code::unknown_name, 7, 9},
      {"KNOWN", Code::syntax, 5, 5},
      {"UNDEFINED 1", Code::syntax, 10, 11},
      {"(d0) -> (d0 \xff), domain: d0 in [0, 1]", Code::syntax, 12, 13},
  };
  for (const Bad& bad : cases) {
    const auto map = parse_map_or_undefined(bad.text);
    ASSERT_FALSE(map) << bad.text;
    EXPECT_EQ(map.error().code, bad.code) << bad.text << "\n" << to_string(map.error());
    EXPECT_EQ(map.error().span.begin, bad.begin) << bad.text << "\n" << to_string(map.error());
    EXPECT_EQ(map.error().span.end, bad.end) << bad.text << "\n" << to_string(map.error());
    EXPECT_FALSE(map.error().message.empty());
  }
}

TEST(IndexMapTextTest, AnUnknownNameGetsTheNearestOne) {
  const auto map = parse_index_map("(th_x) -> (th_y), domain: th_x in [0, 1]");
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().help, "did you mean 'th_x'?");
}

TEST(IndexMapTextTest, TheOlderFormReadsRuntimeVariablesWithTheirSources) {
  const char* text =
      "(d0, d1)[s0, s1] -> (d1 + s0 + s1 floordiv 2, d0)\n"
      "domain:\n"
      "d0 in [0, 1805]\n"
      "d1 in [0, 6]\n"
      "s0 in [0, 26]\n"
      "  hlo: indices = s32[1806,2]{1,0} parameter(1)\n"
      "  (d0, d1) -> (d0, 0)\n"
      "s1 in [0, 3]\n"
      "(d0 + s0) mod 2 in [0, 0]\n"
      "is_simplified: true\n";
  EXPECT_TRUE(is_legacy_form(text));
  const auto read = parse_legacy_map(text);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(to_string(read->map),
            "(d0, d1)[s0]{rt0} -> (d1 + rt0 + s0 / 2, d0), domain: d0 in [0, 1805], d1 in [0, 6], "
            "s0 in [0, 3], rt0 in [0, 26], (d0 + rt0) mod 2 in [0, 0]");
  ASSERT_EQ(read->runtime.size(), 1u);
  EXPECT_EQ(read->runtime[0].source, "indices = s32[1806,2]{1,0} parameter(1)");
  EXPECT_EQ(to_string(read->runtime[0].map), "(d0, d1) -> (d0, 0), domain: d0 in [0, 1805], d1 in [0, 6]");

  const std::string written = to_legacy_string(read->map, read->runtime);
  EXPECT_EQ(
      written,
      "(d0, d1)[s0, s1] -> (d1 + s1 + s0 floordiv 2, d0)\ndomain:\nd0 in [0, 1805]\nd1 in [0, 6]\n"
      "s0 in [0, 3]\ns1 in [0, 26]\n  hlo: indices = s32[1806,2]{1,0} parameter(1)\n  (d0, d1) -> (d0, 0)\n"
      "(d0 + s1) mod 2 in [0, 0]");
  EXPECT_EQ(*parse_legacy_map(written), *read);
}

TEST(IndexMapTextTest, TheOlderFormNeedsNoCommas) {
  EXPECT_EQ(to_string(parse_legacy_map("(d0) -> (),\ndomain:\nd0 in [0, 9]\n")->map),
            "(d0) -> (), domain: d0 in [0, 9]");
  EXPECT_FALSE(is_legacy_form("(d0) -> (d0), domain: d0 in [0, 9]"));
  EXPECT_FALSE(parse_legacy_map("(d0){rt0} -> (d0)\ndomain:\nd0 in [0, 9]\nrt0 in [0, 1]"));
}

TEST(IndexMapTextTest, HostileNestingEndsWithADiagnostic) {
  const std::size_t many = 200000;
  const auto wrapped = [&](std::string_view open, std::string_view inside, std::string_view close) {
    std::string text;
    for (std::size_t i = 0; i < many; ++i) text += open;
    text += inside;
    for (std::size_t i = 0; i < many; ++i) text += close;
    return text;
  };
  for (const std::string& text :
       {wrapped("(", "v0", ")"), wrapped("-", "v0", ""), wrapped("min(v0, ", "v0", ")"),
        wrapped("v0 - (v1 mod ", "v0", ")"), wrapped("", "v0", " / 3")}) {
    const auto expr = parse_expr(text);
    ASSERT_FALSE(expr);
    EXPECT_EQ(expr.error().code, Code::limit);
  }
}

TEST(IndexMapTextTest, DeepTextsWithinTheLimitRead) {
  const auto nested = [](std::string_view open, std::string_view close, int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "v0";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  for (const std::string& text :
       {nested("v1 - (v2 + ", ")", 480), nested("v1 - ", " / 3", 1), nested("(v1 - ", ") / 3", 320),
        nested("v3 - (v1 * ", ") mod 7", 220), nested("(", ")", 990), nested("-(v1 + ", ")", 320)}) {
    const auto expr = parse_expr(text);
    ASSERT_TRUE(expr) << to_string(expr.error());
    EXPECT_FALSE(to_string(*expr).empty());
  }
}

// A balanced tree of sums is shallow in the text but becomes deep when flattened.
TEST(IndexMapTextTest, FlatteningNeverMakesExpressionsTooDeepToWalk) {
  std::string text = "v0";
  for (int level = 0; level < 15; ++level) text = "(" + text + "*v1 + " + text + " mod 5)";
  const auto expr = parse_expr("v2 - " + text + " mod 3");
  ASSERT_TRUE(expr);
  EXPECT_LE(expr->depth(), 2 * kMaxExprDepth);
}

TEST(IndexMapTextTest, RandomBytesEndWithAMapOrADiagnostic) {
  std::mt19937 random(20250101);
  const char* const words[] = {
      "(", ")",  "[", "]", "{", "}", ",", "->", "d0",  "s0",  "rt0", " ",    "domain",
      ":", "in", "0", "7", "-", "+", "*", "/",  "mod", "min", "max", "\xff", "99999999999999999999",
      "\n"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const auto length = random() % 30;
    for (std::size_t i = 0; i < length; ++i) text += words[random() % std::size(words)];
    const auto map = parse_map_or_undefined(text);
    EXPECT_TRUE(map || map.error().span.end <= text.size()) << text;
    const auto older = parse_legacy_map(text);
    EXPECT_TRUE(older || older.error().span.end <= text.size()) << text;
  }
}

}  // namespace
}  // namespace tessera
