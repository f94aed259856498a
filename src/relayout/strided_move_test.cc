// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tessera/relayout/relayout.h"

namespace tessera {
namespace {

// Source offset by target offset, by enumeration: each element's place by its own sum.
using Pairs = std::multimap<Index, Index>;

void add_pairs(const StridedMove& move, std::size_t loop, Index from, Index to, Pairs& out) {
  if (loop == move.loops.size()) {
    out.emplace(to, from);
    return;
  }
  for (Index i = 0; i < move.loops[loop].extent; ++i)
    add_pairs(move, loop + 1, from + i * move.loops[loop].from, to + i * move.loops[loop].to, out);
}

Pairs pairs_of(const StridedMove& move) {
  Pairs out;
  add_pairs(move, 0, move.from, move.to, out);
  return out;
}

Pairs pairs_of(const std::vector<StridedMove>& moves) {
  Pairs out;
  for (const StridedMove& move : moves) add_pairs(move, 0, move.from, move.to, out);
  return out;
}

// The same pairs in any order.
void expect_same(const Pairs& a, const Pairs& b) {
  std::map<std::pair<Index, Index>, int> counts;
  for (const auto& pair : a) ++counts[pair];
  for (const auto& pair : b) --counts[pair];
  for (const auto& [pair, count] : counts) EXPECT_EQ(count, 0) << pair.second << " -> " << pair.first;
}

// Target steps nest: each exceeds the reach of those inside it. Source steps are arbitrary.
StridedMove random_move(std::mt19937_64& random) {
  const auto below = [&](Index limit) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(limit));
  };
  StridedMove move{.from = 200 + below(50), .to = below(20)};
  Index step = 1 + below(3);
  const Index loops = below(5);
  for (Index k = 0; k < loops; ++k) {
    const StridedLoop loop{1 + below(4), below(3) == 0 ? step : below(15) - 5, step};
    move.loops.insert(move.loops.begin(), loop);
    step = step * loop.extent + below(3);
  }
  return move;
}

TEST(StridedMove, LawsHoldForRandomMoves) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int n = 0; n < 3000; ++n) {
    const StridedMove move = random_move(random);
    SCOPED_TRACE(to_string(move));
    const Pairs pairs = pairs_of(move);
    ASSERT_EQ(static_cast<Index>(pairs.size()), move.elements());
    Interval from = Interval::point(pairs.begin()->second);
    for (const auto& pair : pairs) from = hull(from, Interval::point(pair.second));
    EXPECT_EQ(from, move.from_bounds());
    EXPECT_EQ((Interval{pairs.begin()->first, pairs.rbegin()->first}), move.to_bounds());

    StridedMove normal = move;
    if (n % 2 == 0 && !normal.loops.empty()) {  // backwards, and in another order
      StridedLoop& loop = normal.loops[random() % normal.loops.size()];
      normal.from += (loop.extent - 1) * loop.from;
      normal.to += (loop.extent - 1) * loop.to;
      loop = {loop.extent, -loop.from, -loop.to};
      std::ranges::reverse(normal.loops);
    }
    order_by_target(normal);
    expect_same(pairs_of(normal), pairs);
    StridedMove again = normal;
    order_by_target(again);
    EXPECT_EQ(again, normal);

    const Index begin = static_cast<Index>(random() % 60);
    const Index end = begin + static_cast<Index>(random() % 60);
    std::vector<StridedMove> parts;
    restrict_target(normal, begin, end, parts);
    EXPECT_LE(parts.size(), std::max<std::size_t>(1, 2 * move.loops.size() + 1));
    Pairs inside;
    for (const auto& pair : pairs) {
      if (pair.first >= begin && pair.first < end) inside.insert(pair);
    }
    expect_same(pairs_of(parts), inside);

    parts.clear();
    const Index most = 1 + static_cast<Index>(random() % 30);
    cut_elements(move, most, parts);
    expect_same(pairs_of(parts), pairs);
    for (const StridedMove& part : parts) EXPECT_LE(part.elements(), most);

    parts.clear();
    const auto reach = [](const StridedMove& part) {
      const Interval bounds = part.from_bounds();
      return bounds.upper - bounds.lower;
    };
    for_each_fitting(move, reach, most, [&](const StridedMove& part) { parts.push_back(part); });
    expect_same(pairs_of(parts), pairs);
    for (const StridedMove& part : parts) EXPECT_TRUE(reach(part) <= most || part.elements() == 1);
  }
}

TEST(StridedMove, PlansMoveEachElement) {
  std::mt19937_64 random(7);
  PlanCache plans;
  int listed = 0;
  for (int n = 0; n < 300; ++n) {
    const StridedMove move = random_move(random);
    SCOPED_TRACE(to_string(move));
    const Interval from = move.from_bounds();
    const Interval to = move.to_bounds();
    std::vector<std::uint16_t> src(static_cast<std::size_t>(from.upper) + 1);
    for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<std::uint16_t>(i + 1);
    std::vector<std::uint16_t> dst(static_cast<std::size_t>(to.upper) + 1, 0);
    std::vector<std::uint16_t> expected = dst;
    for (const auto& pair : pairs_of(move))
      expected[static_cast<std::size_t>(pair.first)] = src[static_cast<std::size_t>(pair.second)];
    ASSERT_TRUE(run(move, 2, src.data() + move.from, dst.data() + move.to, plans));
    EXPECT_EQ(dst, expected);
    // The nests of the plan say the same, in bytes.
    const auto plan = make_plan(move, 2);
    ASSERT_TRUE(plan);
    const auto nests = plan->moves();
    if (!nests) continue;  // a kernel with tables
    ++listed;
    Pairs bytes;
    for (const auto& pair : pairs_of(move)) {
      bytes.emplace(2 * (pair.first - move.to), 2 * (pair.second - move.from));
      bytes.emplace(2 * (pair.first - move.to) + 1, 2 * (pair.second - move.from) + 1);
    }
    expect_same(pairs_of(*nests), bytes);
  }
  EXPECT_GT(listed, 200);
}

TEST(StridedMove, PlansWithTablesHaveNoNests) {
  const auto swizzle = parse_layout("cute:Sw<3,0,3> o _0 o (64,63):(64,1)");
  ASSERT_TRUE(swizzle) << swizzle.error().message;
  const auto plain = parse_layout("np:(64,63):(63,1)");
  const auto plan = make_plan(*plain, *swizzle, 4);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_NE(plan->describe().find('['), std::string::npos);
  EXPECT_FALSE(plan->moves());
}

TEST(StridedMove, IsWrittenWithItsSteps) {
  EXPECT_EQ(to_string(StridedMove{5, 7, {{3, 100, 40}, {2, -1, 16}}}),
            "5 -> 7, 3 by 100 -> 40, 2 by -1 -> 16");
  EXPECT_TRUE((StridedMove{5, 7, {{3, 4, 4}, {4, 1, 1}}}).is_run());
  EXPECT_FALSE((StridedMove{5, 7, {{3, 4, 8}, {4, 1, 1}}}).is_run());
}

}  // namespace
}  // namespace tessera
