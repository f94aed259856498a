// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "expr/form/convert.h"
#include "expr/form/sum.h"
#include "expr/form/workspace.h"
#include "laws/random_chains.h"
#include "laws/simplify_laws.h"
#include "map/random_map_test.h"

namespace tessera {
namespace {

// Changes the hashes in this thread's tables during its lifetime.
class HashSeed {
 public:
  explicit HashSeed(std::uint64_t seed) { detail::BorrowedWorkspace()->hash_seed = seed; }
  ~HashSeed() { detail::BorrowedWorkspace()->hash_seed = 0; }
  HashSeed(const HashSeed&) = delete;
  HashSeed& operator=(const HashSeed&) = delete;
};

// Regression: terms were ordered by their hashes, so another hash function gave other texts, some of which
// were longer.
std::string check_hash_independent(const IndexMap& map) {
  const std::string text = laws::text_of(simplify(map));
  for (const std::uint64_t seed : {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu}) {
    const HashSeed other(seed);
    std::string again = laws::text_of(simplify(map));
    if (again != text) return again + "\n with another hash instead of " + text;
  }
  return "";
}

TEST(SimplifyOrderTest, TextsDoNotDependOnHashes) {
  std::mt19937_64 random(20240607);
  std::mt19937 small(20240607);
  for (int i = 0; i < 1500 && !testing::Test::HasFailure(); ++i) {
    const auto length = static_cast<int>(testing_chains::pick(random, 1, 6));
    const IndexMap chain = testing_chains::compose_all(testing_chains::random_chain(random, length));
    EXPECT_EQ(check_hash_independent(chain), "") << "for " << laws::text_of(chain);
    const int depth = 2 + i % 4;
    const IndexMap tree = testing_maps::random_map(small, 2, static_cast<std::size_t>(i % 2), 1, depth);
    EXPECT_EQ(check_hash_independent(tree), "") << "for " << laws::text_of(tree);
  }
}

TEST(SimplifyOrderTest, NorDoThoseOfTheSharedMaps) {
  std::ifstream file(TESSERA_SOURCE_DIR "/tests/vectors/indexing-random/maps.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const auto fact = nlohmann::json::parse(line);
    if (!fact.contains("in")) continue;
    const auto map = parse_index_map(fact["in"].get<std::string>());
    ASSERT_TRUE(map) << line;
    EXPECT_EQ(check_hash_independent(*map), "") << "for " << line;
    ++count;
  }
  EXPECT_EQ(count, 300);
}

// A seed that changes no hash would prove nothing.
TEST(SimplifyOrderTest, SeedsChangeHashes) {
  const auto hash_of_sum = [] {
    const detail::BorrowedWorkspace ws;
    ws->start(2, 1000);
    const Expr sum = Expr::variable(0) + Expr::variable(1) * 3;
    return detail::convert(*ws, sum)->hash;
  };
  const std::uint64_t usual = hash_of_sum();
  const HashSeed other(7);
  EXPECT_NE(hash_of_sum(), usual);
}

// Variables are ordered by number, then quotients by divisor and by dividend, whatever the order of their
// creation.
TEST(SimplifyOrderTest, TermsAreOrderedByStructure) {
  detail::Workspace ws;
  std::mt19937 random(20240607);
  for (int round = 0; round < 20; ++round) {
    ws.start(3, 100000);
    for (auto& v : ws.variables) v.bounds = {0, 1000};
    const auto x = [](Index number) { return Expr::variable(number); };
    const std::vector<Expr> in_order = {x(0),
                                        x(1),
                                        x(2),
                                        floor_div(x(0), 3),
                                        floor_div(x(1), 3),
                                        floor_div(x(0), 5),
                                        floor_div(x(0) + x(2), 5),
                                        floor_div(x(1), 5),
                                        floor_div(x(1) * 2, 5),
                                        floor_div(x(1) * 2 + 2, 5),
                                        max(x(0) - 7, Expr::constant(0)),
                                        x(1) * x(2)};
    std::vector<Expr> terms = in_order;
    std::ranges::shuffle(terms, random);
    detail::Sum sum(ws);
    for (const Expr e : terms) sum.add(1, detail::convert(ws, e));
    ASSERT_EQ(sum.size(), in_order.size());
    for (std::size_t i = 0; i < in_order.size(); ++i) {
      const detail::Form* const expected = detail::convert(ws, in_order[i]);
      ASSERT_TRUE(expected->is_atom()) << in_order[i];
      EXPECT_EQ(sum.terms()[i].atom, expected->terms()[0].atom) << in_order[i];
    }
  }
}

// Divisors that do not fit in the packed key are compared in full.
TEST(SimplifyOrderTest, LargeDivisorsAreOrderedToo) {
  detail::Workspace ws;
  ws.start(2, 100000);
  const detail::Form* const y = ws.form_of(ws.variable(1));
  const detail::Form* const x = ws.form_of(ws.variable(0));
  constexpr Index kLarge = Index{1} << 50;
  EXPECT_TRUE(before(ws.quotient(y, kLarge), ws.quotient(x, kLarge + 1)));
  EXPECT_FALSE(before(ws.quotient(x, kLarge + 1), ws.quotient(y, kLarge)));
  EXPECT_TRUE(before(ws.quotient(x, kLarge), ws.quotient(y, kLarge)));
}

// Regression: the order of constraints decided which of several equally short forms was kept.
TEST(SimplifyOrderTest, TextsDoNotDependOnTheOrderOfOperandsAndConstraints) {
  constexpr const char* kMaps[] = {
      "(d0) -> (d0 mod 4 - 2 + d0 * 4 + min(d0 / -3, d0 / -2)), domain: d0 in [-1, 1]",
      "(d0) -> (max((d0 + 2) mod 6 + max(d0 * -4, d0), d0) + min(d0 / -3, (d0 + d0) / -4) / 4), "
      "domain: d0 in [-2, 1], (d0 + min(d0, -4)) / -3 in [1, 1], "
      "(max(d0 + 3, d0 + d0) + (d0 - 4) / -4) / -2 in [-3, -2]"};
  std::mt19937_64 random(20240607);
  for (const char* text : kMaps) {
    const IndexMap map = *parse_index_map(text);
    const IndexMap simple = simplify(map);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(laws::check_order_independent(map, simple, random), "") << text;
  }
}

}  // namespace
}  // namespace tessera
