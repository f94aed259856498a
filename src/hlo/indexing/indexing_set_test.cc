// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <string_view>

#include "base/index_walk.h"
#include "hlo/indexing/fingerprint.h"
#include "map/random_map_test.h"
#include "tessera/hlo/indexing.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

/// Pairs (start index, element), each as one list.
using Relation = std::set<std::vector<Index>>;

/// The relation of a map; empty if a value is undefined.
std::optional<Relation> relation(const IndexMap& map) {
  Relation out;
  if (map.known_empty()) return out;
  const auto variables = map.variables();
  std::vector<Index> point;
  for (const Variable& v : variables) point.push_back(v.bounds.lower);
  do {
    if (map.domain().constraints_satisfied(point)) {
      const auto element = map.evaluate(point);
      if (!element) return std::nullopt;
      std::vector<Index> pair(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(map.dim_count()));
      pair.insert(pair.end(), element->begin(), element->end());
      out.insert(std::move(pair));
    }
  } while (detail::advance_last(point.size(), [&](std::size_t v) {
    return detail::next_value(point[v], variables[v].bounds.lower, variables[v].bounds.upper + 1);
  }));
  return out;
}

Indexing indexing(std::string_view text) { return {.map = *parse_index_map(text)}; }

/// (x, z) is in the composition if some y joins (x, y) and (y, z).
void check_compose_joins_relations(const IndexMap& first, const IndexMap& second) {
  const auto a = relation(first);
  const auto b = relation(second);
  if (!a || !b) return;
  Relation joined;
  const auto dims = static_cast<std::ptrdiff_t>(first.dim_count());
  const auto middle = static_cast<std::ptrdiff_t>(first.results().size());
  for (const auto& x : *a) {
    for (const auto& y : *b) {
      if (!std::equal(x.begin() + dims, x.end(), y.begin(), y.begin() + middle)) continue;
      std::vector<Index> pair(x.begin(), x.begin() + dims);
      pair.insert(pair.end(), y.begin() + middle, y.end());
      joined.insert(std::move(pair));
    }
  }
  const Indexing composed = compose(Indexing{.map = first}, Indexing{.map = second});
  EXPECT_EQ(relation(composed.map), joined) << to_string(first) << "\n" << to_string(second);
}

TEST(IndexingSetTest, CompositionJoinsTheRelationsOfRandomMaps) {
  constexpr std::uint32_t kSeed = 7;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const IndexMap first =
        testing_maps::random_map(random, 1 + random() % 2, random() % 2, 1 + random() % 2, 2);
    const IndexMap second =
        testing_maps::random_map(random, first.results().size(), random() % 2, 1 + random() % 2, 2);
    check_compose_joins_relations(first, second);
  }
}

TEST(IndexingSetTest, EqualAndContainedAreNeverSaidOfMapsThatAreNot) {
  constexpr std::uint32_t kSeed = 11;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  int same = 0;
  int inside = 0;
  for (int i = 0; i < 4000 && !HasFailure(); ++i) {
    const Indexing a = normalize({.map = testing_maps::random_map(random, 1, random() % 2, 1, 1)});
    const Indexing b = normalize({.map = testing_maps::random_map(random, 1, random() % 3, 1, 1)});
    const auto of_a = relation(a.map);
    const auto of_b = relation(b.map);
    if (!of_a || !of_b || a.map.dim_count() != b.map.dim_count()) continue;
    const std::string what = to_string(a.map) + "\n" + to_string(b.map);
    if (same_relation(a, b)) {
      ++same;
      EXPECT_EQ(*of_a, *of_b) << what;
    } else if (detail::few_points(a.map) && detail::few_points(b.map)) {
      EXPECT_NE(*of_a, *of_b) << what;
    }
    if (contained(a, b)) {
      ++inside;
      EXPECT_TRUE(std::includes(of_b->begin(), of_b->end(), of_a->begin(), of_a->end())) << what;
    }
  }
  EXPECT_GT(same, 20);
  EXPECT_GT(inside, 20);
}

// Relations of a scalar to a scalar have one pair without numbers, or none.
TEST(IndexingSetTest, RelationsOfScalarsAreAllOrNothing) {
  const auto all = indexing("()[s0] -> (), domain: s0 in [0, 3]");
  const auto some = indexing("()[s0] -> (), domain: s0 in [0, 3], s0 mod 2 in [1, 1]");
  const auto none = indexing("()[s0, s1] -> (), domain: s0 in [0, 3], s1 in [0, 3], s0 * s1 in [5, 5]");
  EXPECT_TRUE(same_relation(all, some));
  EXPECT_FALSE(same_relation(all, none));
  EXPECT_FALSE(same_relation(none, some));
}

// Regression: the greatest and the least value were taken for infinity, and equal relations were not proved
// equal.
TEST(IndexingSetTest, RelationsAtTheEndsOf64BitsAreCompared) {
  for (const Index base : {kIndexMin, kIndexMax - 1}) {
    const Expr s = Expr::variable(0);
    const Indexing a{.map = IndexMap::make_unchecked(Domain({}, {{{0, 1}}}, {}), {s + base})};
    const Indexing b{.map = IndexMap::make_unchecked(Domain({}, {{{1, 2}}}, {}), {(s + -1) + base})};
    EXPECT_TRUE(same_relation(a, b)) << base;
  }
}

TEST(IndexingSetTest, RangeVariablesMayStandInAnotherOrder) {
  const auto a =
      indexing("(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 99], s0 in [0, 49], s1 in [0, 999]");
  const auto b =
      indexing("(d0)[s0, s1] -> (s1, d0, s0), domain: d0 in [0, 99], s0 in [0, 999], s1 in [0, 49]");
  const auto c =
      indexing("(d0)[s0, s1] -> (s1, d0, s0), domain: d0 in [0, 99], s0 in [0, 49], s1 in [0, 999]");
  EXPECT_TRUE(same_relation(a, b));
  EXPECT_FALSE(same_relation(a, c));
}

// Regression: constraints were compared as trees, which takes 2^40 steps if they share their parts.
TEST(IndexingSetTest, RelationsWithConstraintsThatShareTheirPartsAreComparedSoon) {
  const auto with_shared = [](Index first, Index second) {
    Expr shared = Expr::variable(first) + Expr::variable(second) * 3;
    for (int i = 0; i < 40; ++i) shared = mod(shared, 1000) + floor_div(shared, 3);
    Domain domain({{{0, 3}}}, {{{0, 7}}, {{0, 7}}}, {});
    domain.constrain(shared, {0, 20});
    return Indexing{
        .map = IndexMap::make_unchecked(std::move(domain), {Expr::variable(first), Expr::variable(second)})};
  };
  EXPECT_TRUE(same_relation(with_shared(1, 2), with_shared(2, 1)));
}

TEST(IndexingSetTest, InsertKeepsOneOfEachAndTheStrongerWord) {
  IndexingSet set;
  Indexing superset = indexing("(d0) -> (d0), domain: d0 in [0, 9]");
  superset.exactness = Exactness::superset;
  superset.reason = "perhaps";
  EXPECT_TRUE(insert(set, superset));
  EXPECT_FALSE(insert(set, superset));
  EXPECT_TRUE(insert(set, indexing("(d0) -> (d0), domain: d0 in [0, 9]")));
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set[0].exactness, Exactness::exact);
  EXPECT_EQ(set[0].reason, "");
  EXPECT_FALSE(insert(set, superset));
  EXPECT_TRUE(insert(set, Indexing::unknown("why")));
  EXPECT_FALSE(insert(set, Indexing::unknown("why")));
  EXPECT_TRUE(insert(set, Indexing::unknown("another")));
  EXPECT_EQ(set.size(), 3U);
  EXPECT_EQ(exactness(set), Exactness::unknown);
}

TEST(IndexingSetTest, KnownEmptyStaysOnlyAlone) {
  const Indexing none{.map = IndexMap::empty(Domain::box(std::vector<Index>{10}), 1)};
  IndexingSet set;
  EXPECT_TRUE(insert(set, none));
  EXPECT_FALSE(insert(set, none));
  EXPECT_TRUE(insert(set, indexing("(d0) -> (d0), domain: d0 in [0, 9]")));
  EXPECT_FALSE(insert(set, none));
  ASSERT_EQ(set.size(), 1U);
  EXPECT_FALSE(set[0].map.known_empty());
}

TEST(IndexingSetTest, TheFootprintDropsWhatLiesInAnother) {
  IndexingSet set{indexing("(d0, d1) -> (d0, d1), domain: d0 in [0, 99], d1 in [0, 99]"),
                  indexing("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 99], d1 in [0, 99], s0 in [0, 99]"),
                  indexing("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 99], d1 in [0, 99], s0 in [5, 99]")};
  keep_footprint(set);
  ASSERT_EQ(set.size(), 2U);
  EXPECT_EQ(to_string(set[0].map),
            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 99], d1 in [0, 99], s0 in [0, 99]");
}

// Regression: a superset whose elements an exact map contains was listed too, and made the whole set a
// superset.
TEST(IndexingSetTest, TheFootprintDropsASupersetInAnExactMapButNotTheReverse) {
  const Indexing row = indexing("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 9]");
  const Indexing element = indexing("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9]");
  Indexing perhaps_row = row;
  Indexing perhaps_element = element;
  perhaps_row.exactness = perhaps_element.exactness = Exactness::superset;
  IndexingSet in_exact{perhaps_element, row};
  keep_footprint(in_exact);
  EXPECT_EQ(in_exact, IndexingSet{row});
  IndexingSet in_superset{element, perhaps_row};
  keep_footprint(in_superset);
  EXPECT_EQ(in_superset.size(), 2U);
}

// Regression: the last iteration of a loop was listed separately, although all others have the same map.
TEST(IndexingSetTest, TheFootprintJoinsMembersThatDifferInOneInterval) {
  const auto rows = [](Index first, Index last) {
    return indexing(fmt::format("(d0)[s0] -> (s0), domain: d0 in [{}, {}], s0 in [0, 9]", first, last));
  };
  IndexingSet set{rows(3, 5), rows(0, 1), rows(7, 8), rows(2, 2), rows(6, 6)};
  keep_footprint(set);
  EXPECT_EQ(set, IndexingSet{rows(0, 8)});
  Indexing perhaps = rows(4, 9);
  perhaps.exactness = Exactness::superset;
  IndexingSet apart{rows(0, 3), rows(5, 7), perhaps,
                    indexing("(d0)[s0] -> (s0), domain: d0 in [4, 4], s0 in [0, 8]")};
  keep_footprint(apart);
  EXPECT_EQ(apart.size(), 4U);
}

TEST(IndexingSetTest, MapsWithTheSameRuntimeValueMayContainEachOther) {
  Instruction source;
  const auto with_value = [&](std::string_view text, const Instruction* from) {
    Indexing x = indexing(text);
    x.runtime.push_back(
        {.source = from, .map = *parse_index_map("(d0) -> (), domain: d0 in [0, 9]"), .clamp = {0, 5}});
    return x;
  };
  constexpr std::string_view kRow = "(d0){rt0} -> (d0, rt0), domain: d0 in [0, 9], rt0 in [0, 5]";
  constexpr std::string_view kAll =
      "(d0)[s0]{rt0} -> (s0, rt0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 5]";
  constexpr std::string_view kFewer =
      "(d0)[s0]{rt0} -> (s0, rt0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 4]";
  EXPECT_TRUE(contained(with_value(kRow, &source), with_value(kAll, &source)));
  EXPECT_FALSE(contained(with_value(kAll, &source), with_value(kRow, &source)));
  EXPECT_FALSE(contained(with_value(kRow, &source), with_value(kFewer, &source)));
  Instruction other;
  EXPECT_FALSE(contained(with_value(kRow, &source), with_value(kAll, &other)));
}

TEST(IndexingSetTest, RuntimeValuesFollowTheVariablesOfTheComposedMap) {
  Indexing first = indexing("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 4], rt0 in [0, 5]");
  first.runtime.push_back({.text = "outer", .map = *parse_index_map("(d0) -> (d0), domain: d0 in [0, 4]")});
  Indexing second =
      indexing("(d0)[s0]{rt0} -> (d0 + s0 + rt0), domain: d0 in [0, 9], s0 in [0, 2], rt0 in [0, 3]");
  second.runtime.push_back(
      {.text = "inner", .map = *parse_index_map("(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 2]")});
  const Indexing x = compose(first, second);
  EXPECT_EQ(to_string(x.map),
            "(d0)[s0]{rt0, rt1} -> (d0 + s0 + rt0 + rt1), domain: d0 in [0, 4], s0 in [0, 2], rt0 in [0, 3], "
            "rt1 in [0, 5]");
  ASSERT_EQ(x.runtime.size(), 2U);
  EXPECT_EQ(x.runtime[0].text, "inner");
  // The inner value is read at a position that depends on the outer one, so all variables stay.
  ASSERT_EQ(x.runtime[0].map.variables().size(), x.map.variables().size());
  EXPECT_EQ(*x.runtime[0].map.evaluate(std::vector<Index>{1, 2, 0, 5}), (std::vector<Index>{6, 2}));
  EXPECT_EQ(x.runtime[1].text, "outer");
  EXPECT_EQ(to_string(x.runtime[1].map), "(d0) -> (d0), domain: d0 in [0, 4]");
}

TEST(IndexingSetTest, VariablesThatNothingNeedsGoWithTheirRuntimeValues) {
  Indexing x = indexing(
      "(d0)[s0, s1]{rt0, rt1} -> (d0 + rt1), domain: d0 in [0, 4], s0 in [0, 2], s1 in [0, 3], "
      "rt0 in [0, 5], rt1 in [0, 6]");
  x.runtime.push_back(
      {.text = "idle", .map = *parse_index_map("(d0) -> (), domain: d0 in [0, 4]"), .clamp = {0, 5}});
  x.runtime.push_back(
      {.text = "used",
       .map = *parse_index_map("(d0)[s0, s1] -> (s1), domain: d0 in [0, 4], s0 in [0, 2], s1 in [0, 3]")});
  x = normalize(std::move(x));
  // s1 stays: the position at which the other variable is read depends on it.
  EXPECT_EQ(to_string(x.map),
            "(d0)[s0]{rt0} -> (d0 + rt0), domain: d0 in [0, 4], s0 in [0, 3], rt0 in [0, 6]");
  ASSERT_EQ(x.runtime.size(), 1U);
  EXPECT_EQ(x.runtime[0].text, "used");
  EXPECT_EQ(to_string(x.runtime[0].map), "(d0)[s0] -> (s0), domain: d0 in [0, 4], s0 in [0, 3]");
}

TEST(IndexingSetTest, AStartIndexThatDecidesWhetherAnythingIsReadStays) {
  // A slice of one element of a concatenation: only start 3 reads the second operand. Regression: the
  // variable was dropped because the result is always 0, so the read became unconditional.
  Indexing slice = indexing("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 0], rt0 in [0, 3]");
  slice.runtime.push_back(
      {.text = "start", .map = *parse_index_map("(d0) -> (), domain: d0 in [0, 0]"), .clamp = {0, 3}});
  const Indexing x = compose(slice, indexing("(d0) -> (d0 - 3), domain: d0 in [3, 3]"));
  EXPECT_EQ(to_string(x.map), "(d0){rt0} -> (0), domain: d0 in [0, 0], rt0 in [3, 3]");
  ASSERT_EQ(x.runtime.size(), 1U);
}

TEST(IndexingSetTest, ReasonsAreJoinedAndUnknownWins) {
  Indexing a = indexing("(d0) -> (d0), domain: d0 in [0, 9]");
  Indexing b = a;
  a.exactness = b.exactness = Exactness::superset;
  a.reason = "first";
  b.reason = "second";
  EXPECT_EQ(compose(a, b).reason, "first; second");
  EXPECT_EQ(compose(a, a).reason, "first");
  EXPECT_EQ(compose(a, Indexing::unknown("no idea")).exactness, Exactness::unknown);
  EXPECT_EQ(compose(Indexing::unknown("no idea"), Indexing::unknown("nor here")).reason, "no idea");
  const auto wrong = compose(a, indexing("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9]"));
  EXPECT_EQ(wrong.exactness, Exactness::unknown);
  EXPECT_NE(wrong.reason, "");
}

TEST(IndexingSetTest, AnEmptySupersetIsExact) {
  Indexing a = indexing("(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 3]");
  a.exactness = Exactness::superset;
  a.reason = "perhaps";
  const auto x = compose(a, indexing("(d0) -> (d0), domain: d0 in [20, 29]"));
  EXPECT_TRUE(x.map.known_empty());
  EXPECT_EQ(x.exactness, Exactness::exact);
  EXPECT_EQ(x.map.range_count(), 0U);
}

TEST(IndexingSetTest, AWholeValueIsEveryElementForEveryStart) {
  const std::vector<Index> extents{3, 1, 4};
  const auto x = whole_value(Domain::box(std::vector<Index>{2}), extents, "why");
  EXPECT_EQ(relation(x.map)->size(), 2U * 3U * 4U);
  EXPECT_EQ(x.exactness, Exactness::superset);
  EXPECT_EQ(x.reason, "why");
}

}  // namespace
}  // namespace tessera
