// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/bitcast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "hlo/analysis/zero_count.h"
#include "map/values/enumerate.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

BitcastAnswer answer_of(std::string_view operand, std::string_view root) {
  const ParsedModules parsed =
      parse_hlo(fmt::format("ENTRY e {{\n p = {} parameter(0)\n ROOT r = {}\n}}\n", operand, root));
  EXPECT_TRUE(parsed.ok()) << root;
  return bitcast_answer(*parsed.modules[0].entry->root).value_or(BitcastAnswer{.reason = "no answer"});
}

TEST(Bitcast, IsProvedForLayoutsThatFollowTheElements) {
  for (const auto& [operand, root] : std::initializer_list<std::pair<const char*, const char*>>{
           {"f32[6,4]{1,0}", "f32[4,6]{0,1} transpose(p), dimensions={1,0}"},
           {"f32[6,4]{1,0}", "f32[8,3]{1,0} reshape(p)"},
           {"f32[6,1,4]{2,1,0}", "f32[6,1,4]{2,0,1} copy(p)"},
           {"f32[16,256]{1,0:T(8,128)}", "f32[2,8,256]{2,1,0:T(8,128)} reshape(p)"},
           {"f32[6,4]{1,0}", "u8[6,4,4]{2,1,0} bitcast-convert(p)"},
           {"u8[6,4,4]{2,1,0}", "f32[6,4]{1,0} bitcast-convert(p)"},
           {"f32[0,4]{1,0}", "f32[0,4]{0,1} copy(p)"},
           {"f32[]", "f32[1,1]{1,0} reshape(p)"}}) {
    const BitcastAnswer answer = answer_of(operand, root);
    EXPECT_EQ(answer.verdict, Verdict::yes) << root << ": " << answer.reason;
    EXPECT_EQ(answer.moved_bytes, 0) << root;
  }
}

TEST(Bitcast, OfATransposeNamesTheFirstElementThatMoves) {
  const BitcastAnswer answer = answer_of("f32[6,4]{1,0}", "f32[4,6]{1,0} transpose(p), dimensions={1,0}");
  EXPECT_EQ(answer.verdict, Verdict::no);
  EXPECT_EQ(answer.element, (std::vector<Index>{0, 1}));
  EXPECT_EQ(answer.from_bit, 16 * 8);
  EXPECT_EQ(answer.to_bit, 4 * 8);
  EXPECT_EQ(answer.bytes, 96);
  EXPECT_EQ(answer.moved_bytes, 88);
}

TEST(Bitcast, CountsHugeTransposesInClosedForm) {
  // i * n + j == j * m + i has gcd(m - 1, n - 1) + 1 solutions.
  const BitcastAnswer answer =
      answer_of("f32[100000,60000]{1,0}", "f32[60000,100000]{1,0} transpose(p), dimensions={1,0}");
  EXPECT_EQ(answer.verdict, Verdict::no);
  EXPECT_EQ(answer.moved_bytes, 4 * (Index{100000} * 60000 - (std::gcd(99999, 59999) + 1)));
  const BitcastAnswer tall =
      answer_of("s8[50000000,2]{1,0}", "s8[2,50000000]{1,0} transpose(p), dimensions={1,0}");
  EXPECT_EQ(tall.moved_bytes, 100000000 - 2);
}

TEST(Bitcast, IsNoneBetweenBuffersOfDifferentSizesOrMemorySpaces) {
  EXPECT_EQ(answer_of("f32[5,4]{1,0}", "f32[5,4]{1,0:S(1)} copy(p)").moved_bytes, 80);
  const BitcastAnswer padded = answer_of("f32[3]{0}", "f32[3]{0:T(4)} copy(p)");
  EXPECT_EQ(padded.verdict, Verdict::no);
  EXPECT_EQ(padded.reason, "the operand takes 12 bytes in memory, but the result takes 16");
  EXPECT_EQ(padded.moved_bytes, 0);
}

TEST(Bitcast, IsUndecidedWithoutALayoutOrAnExtent) {
  EXPECT_EQ(answer_of("f32[6,4]", "f32[6,4]{1,0} copy(p)").reason, "the operand has no layout");
  EXPECT_EQ(answer_of("f32[6,4]{1,0}", "f32[6,4] copy(p)").reason, "the result has no layout");
  EXPECT_EQ(answer_of("f32[?,4]{1,0}", "f32[?,4]{1,0} copy(p)").verdict, Verdict::undecided);
}

// The definition, element by element.
TEST(Bitcast, AgreesWithEnumeration) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto layout_text = [&](std::size_t rank) {
    std::vector<Index> order(rank);
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::shuffle(order, random);
    return fmt::format("{{{}{}}}", fmt::join(order, ","),
                       below(3) == 0 ? (below(2) == 0 ? ":T(2,2)" : ":T(4)") : "");
  };
  int moved = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Index> dims;
    const int rank = 2 + below(2);
    for (int i = 0; i < rank; ++i) dims.push_back(1 + below(5));
    const std::string operand = fmt::format("f32[{}]{}", fmt::join(dims, ","), layout_text(dims.size()));
    std::string root;
    if (below(2) == 0) {
      std::vector<Index> order(dims.size());
      std::iota(order.begin(), order.end(), Index{0});
      std::ranges::shuffle(order, random);
      std::vector<Index> to;
      for (const Index d : order) to.push_back(dims[static_cast<std::size_t>(d)]);
      root = fmt::format("f32[{}]{} transpose(p), dimensions={{{}}}", fmt::join(to, ","),
                         layout_text(to.size()), fmt::join(order, ","));
    } else {
      const Index count = std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
      Index first = 1 + below(static_cast<int>(count));
      while (count % first != 0) --first;
      root = fmt::format("f32[{},{}]{} reshape(p)", first, count / first, layout_text(2));
    }
    SCOPED_TRACE(operand + " " + root);
    const ParsedModules parsed =
        parse_hlo(fmt::format("ENTRY e {{\n p = {} parameter(0)\n ROOT r = {}\n}}\n", operand, root));
    ASSERT_TRUE(parsed.ok());
    const Instruction& op = *parsed.modules[0].entry->root;
    const auto answer = bitcast_answer(op);
    ASSERT_TRUE(answer.has_value());
    const auto from = *Layout::make(op.operand_type(0).array());
    const auto to = *Layout::make(op.type.array());
    const auto maps = output_to_input(op, {});
    Index different = 0;
    std::vector<Index> first;
    for (BoxRows rows(box_of(maps->front().map.domain())); rows.next();) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<Index> at = rows.point(i);
        if (from.offset(*maps->front().map.evaluate(at)) == to.offset(at)) continue;
        if (different++ == 0) first = at;
      }
    }
    const bool same_size = *from.buffer_size() == *to.buffer_size();
    EXPECT_EQ(answer->verdict, different == 0 && same_size ? Verdict::yes : Verdict::no);
    EXPECT_EQ(answer->moved_bytes, different * 4);
    EXPECT_EQ(answer->element, first);
    moved += different > 0 ? 1 : 0;
  }
  EXPECT_GT(moved, 50);
}

// Counting added every sum of strides to a table: --copies of a network with 1,500 broadcasts took 6 seconds.
TEST(ZeroCount, CountsWhatEnumerationCounts) {
  std::mt19937 random(20261129);
  const auto below = [&](Index n) { return static_cast<Index>(random()) % n; };
  for (int n = 0; n < 400; ++n) {
    std::vector<Interval> box;
    Expr sum = Expr::constant(below(60) - 30);
    for (Index v = 0; v < 4; ++v) {
      const Index lower = below(5) - 2;
      box.push_back({lower, lower + below(6)});
      const Expr x = Expr::variable(v);
      sum = sum + x * (below(25) - 12);
      if (below(3) == 0) sum = sum + floor_div(x + Expr::variable(below(4)), 1 + below(3)) * (below(9) - 4);
    }
    RowEvaluator evaluator(std::span(&sum, 1), box.size());
    Index zeros = 0;
    for (BoxRows rows(box); rows.next();) {
      evaluator.run(rows.base(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) zeros += evaluator.value(0, i) == 0 ? 1 : 0;
    }
    EXPECT_EQ(detail::count_zeros(sum, box), zeros) << n;
  }
  // A broadcast of 2^40 elements to a row-major array: only the first stays where it is.
  const std::vector<Interval> wide(4, Interval{0, 1023});
  Expr address;
  for (Index v = 0; v < 4; ++v) address = address + Expr::variable(v) * (Index{1} << (30 - 10 * v));
  EXPECT_EQ(detail::count_zeros(address * -4, wide), 1);
}

TEST(ZeroCount, CountsGroupsThatShareNoVariable) {
  const std::vector<Interval> box(3, Interval{0, 9});
  const Expr x = Expr::variable(0), y = Expr::variable(1), z = Expr::variable(2);
  EXPECT_EQ(detail::count_zeros(Expr(), box), 1000);
  EXPECT_EQ(detail::count_zeros(Expr::constant(3), box), 0);
  EXPECT_EQ(detail::count_zeros(x - y, box), 100);
  EXPECT_EQ(detail::count_zeros(x + y * 2 + z * 3 - 4, box), 4);
  EXPECT_EQ(detail::count_zeros(floor_div(x, 3) - floor_div(y, 3), box), 10 * (9 + 9 + 9 + 1));
  EXPECT_EQ(detail::first_nonzero(z * 0 + y * 5, box).point, (std::vector<Index>{0, 1, 0}));
  EXPECT_TRUE(detail::first_nonzero(Expr(), box).complete);
}

}  // namespace
}  // namespace tessera
