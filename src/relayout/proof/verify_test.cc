// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "base/state_of.h"
#include "relayout/proof/prove.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera::verify_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Verify, FindsWhatAPlanDoesWrongly) {
  const Layout src = layout("f32[6,10]{1,0}");
  const Layout dst = layout("f32[6,10]{1,0:T(2,4)}");
  const std::string text = make_plan(src, dst, 4)->describe();
  ASSERT_TRUE(verify(*parse_plan(text), src, dst).has_value());
  // Changing any number of the parts a little must make verify fail.
  std::size_t tried = 0;
  for (std::size_t at = text.find('\n'); at < text.size(); ++at) {
    if (text[at] < '0' || text[at] > '8') continue;
    std::string changed = text;
    ++changed[at];
    const auto plan = parse_plan(changed);
    if (!plan || plan->describe() == text) continue;
    ++tried;
    const auto right = verify(*plan, src, dst);
    // The grain of a cut does not affect which bytes are moved.
    const bool harmless = changed.substr(0, at).rfind(" by ") > changed.substr(0, at).rfind('\n') &&
                          changed.substr(0, at).rfind(" by ") != std::string::npos;
    EXPECT_EQ(right.has_value(), harmless) << changed;
    if (!right) {
      EXPECT_EQ(right.error().code, Code::verify_failed);
    }
  }
  EXPECT_GT(tried, 5U);
}

TEST(Verify, NamesTheByte) {
  const Layout src = layout("np:(4):(1)");
  const Layout dst = layout("np:(4):(2)");
  const std::string text = make_plan(src, dst, 1)->describe();
  const auto wrong = verify(*parse_plan(replaced(text, "cols 4", "cols 3")), src, dst);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().witness, "destination byte 6 is not written");
  const auto elsewhere = verify(*make_plan(dst, src, 1), src, dst);
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_EQ(elsewhere.error().code, Code::verify_failed);
}

TEST(Verify, ProvesLargePlansWithoutLookingAtElements) {
  for (const auto& [src, dst] :
       {std::pair("f32[40000,40001]{1,0}", "f32[40000,40001]{1,0:T(8,128)}"),
        std::pair("bf16[40000,40001]{1,0:T(8,128)(2,1)}", "bf16[40000,40001]{1,0:T(16,128)}"),
        std::pair("f32[12,22,16,20,18,240]{5,4,3,2,1,0}", "f32[12,22,16,20,18,240]{0,1,2,3,4,5}"),
        std::pair("f32[30000,30000]{1,0}", "f32[30000,30000]{0,1}")}) {
    const auto plan = make_plan(layout(src), layout(dst), 4);
    ASSERT_TRUE(plan.has_value());
    EXPECT_TRUE(verify(*plan, layout(src), layout(dst)).has_value()) << src << " to " << dst;
  }
}

TEST(Verify, ProofsFailWhereThePlanDoes) {
  const Layout src = layout("f32[60,70]{1,0}");
  const Layout dst = layout("f32[60,70]{1,0:T(8,16)}");
  const Layout other = layout("f32[60,70]{1,0:T(8,32)}");
  const auto plan = make_plan(src, dst, 4);
  EXPECT_TRUE(moving::prove(detail::state_of(*plan), src, dst));
  EXPECT_FALSE(moving::prove(detail::state_of(*plan), src, other));
  EXPECT_FALSE(moving::prove(detail::state_of(*plan), other, dst));
}

TEST(Verify, LooksAtPaddingToo) {
  const Layout src = layout("f32[5]{0}");
  const Layout dst = layout("f32[5]{0:T(4)}");
  PlanOptions options;
  options.padding = Padding::zero;
  const std::string text = make_plan(src, dst, 4, options)->describe();
  ASSERT_TRUE(verify(*parse_plan(text), src, dst).has_value());
  EXPECT_FALSE(
      verify(*parse_plan(replaced(text, "fill 12 bytes: src 0, dst 20", "fill 12 bytes: src 0, dst 16")), src,
             dst)
          .has_value());
  EXPECT_FALSE(verify(*parse_plan(replaced(text, "padding zero", "padding keep")), src, dst).has_value());
}

bool verified(const std::string& plan, const Layout& src, const Layout& dst) {
  const auto read = parse_plan(plan);
  EXPECT_TRUE(read.has_value()) << plan;
  return read && verify(*read, src, dst).has_value();
}

// A fill of 2^62 equal rows once took years to check: their number was capped at the limit, not above it.
TEST(Verify, CountsFillsOfAnyNumberOfRows) {
  const Layout src = layout("bf16[2,2]{1,0}");
  const Layout dst = layout("bf16[2,2]{1,0:T(1,4)}");
  PlanOptions options;
  options.padding = Padding::zero;
  const std::string text = make_plan(src, dst, 2, options)->describe();
  ASSERT_TRUE(verified(text, src, dst)) << text;
  const std::size_t rows = text.find("rows 1:", text.find("\nfill"));
  ASSERT_NE(rows, std::string::npos);
  for (const char* count : {"rows 2:", "rows 40000000:", "rows 4611686018427387904:"})
    EXPECT_FALSE(verified(std::string(text).replace(rows, 7, count), src, dst)) << count;
}

// Fill steps of partial elements were once rounded down to whole ones, so fills that zero bytes of elements
// passed.
TEST(Verify, PaddingIsWholeElementsAtEveryStep) {
  const Layout src = layout("u16[5,7]{1,0}");
  const Layout dst = layout("u16[5,7]{1,0:T(2,4)}");
  PlanOptions options;
  options.padding = Padding::value;
  options.fill = {std::byte{1}, std::byte{2}};
  const std::string text = make_plan(src, dst, 2, options)->describe();
  ASSERT_TRUE(verified(text, src, dst)) << text;
  EXPECT_FALSE(verified(replaced(text, "pattern 1 2", "pattern 1 3"), src, dst));
  // Changing any number of a fill a little must make verify fail.
  std::size_t tried = 0;
  std::size_t line = text.find("\nfill");
  ASSERT_NE(line, std::string::npos);
  bool fill = true;
  for (std::size_t at = line + 1; at < text.size(); ++at) {
    if (text[at - 1] == '\n' && text[at] != ' ') fill = text.substr(at, 4) == "fill";
    const bool number = text[at] >= '0' && text[at] <= '8';
    const bool source = text.rfind("src", at) != std::string::npos &&
                        text.rfind("src", at) > text.rfind('\n', at) &&
                        text.rfind("dst", at) < text.rfind("src", at);
    if (!fill || !number || source) continue;
    std::string changed = text;
    ++changed[at];
    const auto plan = parse_plan(changed);
    if (!plan) continue;
    // A single row or column takes no step, so its step may be anything.
    const std::size_t begin = text.rfind('\n', at) + 1;
    const std::string row = text.substr(begin, at - begin);
    if (row.find(" 1: ") != std::string::npos || row.find(" by ") != std::string::npos ||
        row.find("pattern") != std::string::npos)
      continue;
    ++tried;
    EXPECT_FALSE(verify(*plan, src, dst).has_value()) << changed;
  }
  EXPECT_GT(tried, 8U);
}

// A plan with slack is right only if all slack is padding and the plan may write anything to padding.
TEST(Verify, FindsSlackThatIsNoPadding) {
  const PlanOptions any{.padding = Padding::any, .l2_bytes = 1};
  const Layout src = layout("f32[40,200]{1,0}");
  const Layout dst = layout("f32[40,200]{1,0:T(8,128)}");
  const std::string text = make_plan(src, dst, 4, any)->describe();
  EXPECT_TRUE(verified(text, src, dst)) << text;
  EXPECT_TRUE(verified(replaced(text, "slack 32", "slack 1"), src, dst));
  EXPECT_FALSE(verified(replaced(text, "padding any", "padding keep"), src, dst));
  EXPECT_FALSE(verified(replaced(text, "padding any", "padding zero"), src, dst));
  // In whole tiles there is no padding between rows.
  EXPECT_FALSE(
      verified(replaced(text, "order, cut cols by 1\n", "order, cut cols by 1, slack 4\n"), src, dst));
  // Rows are 64 bytes apart, except that the next row follows every seventh row directly.
  const Layout rows = layout("np:(9,7,38):(266,38,1)");
  const Layout close = layout("np:(9,7,38):(422,64,1)");
  const std::string kept = make_plan(rows, close, 4, any)->describe();
  EXPECT_TRUE(verified(kept, rows, close));
  EXPECT_FALSE(verified(replaced(replaced(kept, "source order", "source order, slack 4"), "writes 0 to 15192",
                                 "writes 0 to 15196"),
                        rows, close))
      << kept;
}

// In a plan of two chunks with this fill, the second chunk's fill once ran after the first chunk's elements.
TEST(Verify, PartsThatOverwriteEachOtherRunAsOnePiece) {
  const Layout src = layout("u8[8]{0}");
  const Layout dst = layout("np:(8):(2)");
  const std::string in_order =
      "relayout of 8 bytes in elements of 1: reads 0 to 8, writes 0 to 15, padding zero, cached, 1 chunk, in "
      "order\n"
      "fill 1 bytes: src 0, dst 0, cut rows by 1, pattern 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
      "  rows 15: src +0, dst +1\n"
      "  cols 1: src +0, dst +0\n"
      "copy 1 bytes: src 0, dst 0\n"
      "  rows 8: src +1, dst +2\n"
      "  cols 1: src +0, dst +0\n";
  EXPECT_TRUE(verified(in_order, src, dst));
  EXPECT_FALSE(verified(replaced(in_order, "1 chunk", "2 chunks"), src, dst));
  EXPECT_FALSE(verified(replaced(in_order, "1 chunk", "1 chunk of 2 slices"), src, dst));
  // A fill that omits some padding must not pass as complete.
  EXPECT_FALSE(verified(replaced(in_order, "rows 15", "rows 8"), src, dst));
}

// A loop over the destination that permutes the indices of each block is not a loop over the index. Such
// plans once fell back to checking every element.
TEST(Verify, ProvesLoopsThatPermuteIndices) {
  const Layout dst = layout("Sw<3,4,3> o 0 o (1000003,1024):(1024,1)");
  for (const char* strides : {"(1,0)", "(0,0)", "(0,1)"}) {
    const Layout src = layout(fmt::format("np:(1000003,1024):{}", strides));
    const std::string text = make_plan(src, dst, 2)->describe();
    EXPECT_TRUE(verified(text, src, dst)) << text;
    EXPECT_FALSE(verified(text, layout("np:(1000003,1024):(1,2)"), dst)) << text;
    EXPECT_FALSE(verified(text, src, layout("Sw<3,4,3> o 0 o (1000003,1024):(1025,1)"))) << text;
  }
  const Layout tiles = layout("f32[1000,5000,6]{2,1,0:T(3)(2,2)}");
  const Layout rows = layout("np:(1000,5000,6):(0,0,0)");
  EXPECT_TRUE(verified(make_plan(rows, tiles, 4)->describe(), rows, tiles));
}

// If a row repeats one value, it does not matter that a swizzle permutes each row differently. Proofs of such
// plans were once undecided beyond the enumeration limit.
TEST(Verify, ProvesRowsOfOneValueInSwizzlesAcrossRows) {
  for (const auto& [src, dst] :
       {std::pair("np:(3000,3000):(1,0)", "cute:Sw<2,0,3> o _0 o (3000,3000):(3000,1)"),
        std::pair("np:(3000,3000):(1,0)", "cute:Sw<3,0,4> o _0 o (3000,3000):(3000,1)"),
        std::pair("np:(3001,3003):(1,0)", "cute:Sw<2,1,3> o _0 o (3001,3003):(3003,1)"),
        std::pair("np:(5000,3000):(0,0)", "cute:Sw<2,0,3> o _0 o (5000,3000):(3000,1)"),
        std::pair("np:(4096,4096):(1,0)", "cute:Sw<3,0,12> o _0 o (4096,4096):(4096,1)"),
        std::pair("np:(4096,4096):(0,1)", "cute:Sw<3,0,-12> o _0 o (4096,4096):(4096,1)"),
        std::pair("np:(4096,4096):(1,0)",
                  "ll:d0:4097,8196,16385,32768,65536,131072,262144,524288,1048576,"
                  "2097152,4194304,8388608 d1:1,3,4,8,16,32,64,128,256,512,1024,2048")}) {
    const std::string text = make_plan(layout(src), layout(dst), 4)->describe();
    EXPECT_TRUE(verified(text, layout(src), layout(dst))) << src << " to " << dst;
    const Layout other = layout(fmt::format("np:({}):(2,1)", fmt::join(layout(src).shape(), ",")));
    EXPECT_FALSE(verified(text, other, layout(dst)));
    const auto rows = layout(src).shape()[0];
    const Layout turned = layout(fmt::format("np:({}):(1,{})", fmt::join(layout(src).shape(), ","), rows));
    // If all elements of a row have one value, every order is correct.
    EXPECT_FALSE(!std::string_view(src).ends_with("(0,0)") && verified(text, layout(src), turned));
  }
}

// These proofs were once undecided: two tables that share a dimension, and columns that are contiguous in
// memory.
TEST(Verify, ProvesTablesThatShareADimensionAndJoinedColumns) {
  for (const auto& [src, dst] : {std::pair("cute:Sw<2,3,2> o _0 o (16,127,4096):(1,65536,16)",
                                           "cute:Sw<4,5,6> o _0 o (16,127,4096):(520192,4096,1)"),
                                 std::pair("cute:Sw<3,2,6> o _0 o (320,6,512,65):(0,1,6,0)",
                                           "np:(320,6,512,65):(1,321,1926,986112)")}) {
    EXPECT_TRUE(verified(make_plan(layout(src), layout(dst), 4)->describe(), layout(src), layout(dst)))
        << src;
  }
}

// These proofs were once undecided: swizzled layouts copied to themselves, with loops that permute the index.
TEST(Verify, ProvesCopiesOfASwizzledLayoutToItself) {
  for (const char* text :
       {"cute:Sw<3,0,5> o _0 o (4096,3001):(3008,1)", "cute:Sw<3,2,5> o _13 o (320,160,129):(20640,129,1)",
        "cute:Sw<4,2,6> o _0 o (3000,31,129,7):(31992,1032,8,1)"}) {
    const Layout both = layout(text);
    const std::string plan = make_plan(both, both, 2)->describe();
    EXPECT_TRUE(verified(plan, both, both)) << plan.substr(0, 400);
  }
}

// The proof compares parts pairwise; 100,000 parts once took ten seconds.
TEST(Verify, ManyPartsAreNotHeldAgainstEachOther) {
  const Index n = 20000;
  std::string text = fmt::format(
      "relayout of {0} bytes in elements of 1: reads 0 to {0}, writes 0 to {0}, padding keep, cached, 1 "
      "chunk\n",
      n);
  for (Index i = 0; i < n; ++i)
    text += fmt::format(
        "copy 1 bytes: src {0}, dst {0}\n  rows 1: src +0, dst +0\n  cols 1: src +0, dst +0\n", i);
  const Layout line = layout(fmt::format("np:({}):(1)", n));
  const auto plan = parse_plan(text);
  ASSERT_TRUE(plan.has_value());
  EXPECT_FALSE(moving::prove(detail::state_of(*plan), line, line));
  EXPECT_TRUE(verify(*plan, line, line).has_value());
}

// For element-by-element plans, parts that move further elements were once not checked.
TEST(Verify, NothingElseMovesBesideEachElement) {
  const Layout src = layout("u8[8]{0}");
  const Layout dst = layout("np:(8):(2)");
  const std::string each =
      "relayout of 8 bytes in elements of 1: reads 0 to 8, writes 0 to 15, padding keep, cached, 1 chunk\n"
      "each element\n  from xla:u8[8]{0}\n  to np:(8):(2)\n";
  EXPECT_TRUE(verified(each, src, dst));
  EXPECT_FALSE(verified(replaced(each, "each element",
                                 "copy 1 bytes: src 7, dst 1\n  rows 1: src +0, dst +0\n"
                                 "  cols 1: src +0, dst +0\neach element"),
                        src, dst));
}

}  // namespace
}  // namespace tessera::verify_test
