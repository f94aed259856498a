// SPDX-License-Identifier: Apache-2.0
// An answer must depend only on its question: not on earlier questions of the thread, and not on the threads
// that made its maps.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "laws/random_chains.h"
#include "laws/simplify_laws.h"
#include "map/random_map_test.h"
#include "map/simplify/environment.h"
#include "map/simplify/simplify.h"
#include "tessera/map/map_algebra.h"

namespace tessera::history_test {
namespace {

struct Question {
  enum Verb { kSimplify, kPreserve, kRange, kCompose, kInverse, kCount, kImage, kEqual, kVerbs } verb;
  std::string map;
  std::string other = {};  // for compose and equal
};

std::string ask(Question::Verb verb, const IndexMap& map, const IndexMap& other) {
  // The limits allow so few points that every verb also reaches its limit.
  const JudgeLimits limits{.points = 512, .isl_operations = 2000};
  switch (verb) {
    case Question::kSimplify:
      return laws::text_of(simplify(map));
    case Question::kPreserve:
      return laws::text_of(simplify(map, Points::preserve));
    case Question::kRange: {
      std::string out;
      for (const Expr e : map.results()) out += to_string(range(e, map.domain()));
      return out;
    }
    case Question::kCompose: {
      const auto both = compose(map, other);
      return both ? laws::text_of(simplify(*both)) : both.error().message;
    }
    case Question::kInverse: {
      const auto back = inverse(map, limits);
      return back ? laws::text_of(*back) : back.error().message + back.error().witness;
    }
    case Question::kCount:
      return to_string(count_image(map, limits)) + " of " + to_string(count_points(map, limits));
    case Question::kImage: {
      const Image reached = image(map, limits);
      return to_string(reached) + reached.reason;
    }
    default: {
      const Equality same = equal(map, other, limits);
      return std::to_string(static_cast<int>(same.verdict)) + same.reason;
    }
  }
}

std::string ask(const Question& q) {
  const auto map = parse_index_map(q.map);
  const auto other = q.other.empty() ? map : parse_index_map(q.other);
  return map && other ? ask(q.verb, *map, *other) : "unreadable: " + q.map;
}

// The answer of a new thread.
std::string alone(const Question& q) {
  std::string answer;
  std::thread([&] { answer = ask(q); }).join();
  return answer;
}

// A map that takes more work than its size allows, so that simplify() returns it unchanged: sums of many
// terms over constrained pairs of variables.
std::string hard_map(std::mt19937& random, int variables, int results) {
  const auto number = [](int i) { return "d" + std::to_string(i); };
  std::string dims;
  std::string domain;
  std::string sums;
  for (int i = 0; i < variables; ++i) {
    dims += (i == 0 ? "" : ", ") + number(i);
    domain += (i == 0 ? "" : ", ") + number(i) + " in [0, 70000]";
  }
  for (int i = 0; i + 1 < variables; i += 2)
    domain += ", " + number(i) + " + " + number(i + 1) + " in [-1, " + std::to_string(7 + random() % 4) + "]";
  for (int r = 0; r < results; ++r) {
    sums += r == 0 ? "((" : ", ((";
    for (int i = 0; i < variables; i += 2) {  // each pair is its constrained sum times a factor
      const std::string factor = " * " + std::to_string(1 + random() % 9);
      sums += (i == 0 ? "" : " + ") + number(i) + factor + " + " + number(i + 1) + factor;
    }
    sums += ") / 16)";
  }
  return "(" + dims + ") -> (" + sums + "), domain: " + domain;
}

std::vector<Question> random_questions(unsigned seed, int count, int hard) {
  std::mt19937 random(seed);
  std::mt19937_64 chains(seed);
  std::vector<Question> out;
  for (int i = 0; i < hard; ++i) {
    const auto verb = i % 2 == 0 ? Question::kSimplify : Question::kRange;
    out.push_back({verb, hard_map(random, 120, verb == Question::kRange ? 2 : 60)});
  }
  for (int i = 0; i < count; ++i) {
    const auto verb = static_cast<Question::Verb>(random() % Question::kVerbs);
    const auto results = 1 + random() % 2;
    const std::size_t dims = verb == Question::kCompose ? results : 2 + random() % 2;
    const auto tree = [&](std::size_t dim_count) {
      return to_string(testing_maps::random_map(random, dim_count, random() % 2, results,
                                                static_cast<int>(2 + random() % 3)));
    };
    if (random() % 2 == 0 && verb != Question::kCompose) {
      const auto chain = testing_chains::random_chain(chains, static_cast<int>(1 + random() % 4));
      const std::string text = to_string(testing_chains::compose_all(chain));
      out.push_back({verb, text, verb == Question::kEqual ? text : ""});
    } else {
      out.push_back(
          {verb, tree(dims), verb == Question::kCompose || verb == Question::kEqual ? tree(dims) : ""});
    }
  }
  return out;
}

TEST(HistoryLaws, QuestionsDoNotChangeTheAnswersOfOthers) {
  for (const unsigned seed : {20240607u, 7u}) {
    std::vector<Question> questions = random_questions(seed, 150, 3);
    std::vector<std::string> expected;
    for (const Question& q : questions) expected.push_back(alone(q));
    const auto check = [&](unsigned order_seed) {
      std::vector<std::size_t> order(questions.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::mt19937 random(order_seed);
      std::ranges::shuffle(order, random);
      for (const std::size_t i : order) {
        EXPECT_EQ(ask(questions[i]), expected[i])
            << "seed " << seed << ", order " << order_seed << ", question " << questions[i].verb << " of "
            << questions[i].map;
      }
    };
    check(1);  // in one thread
    std::vector<std::thread> threads;
    for (const unsigned order : {2u, 3u}) threads.emplace_back(check, order);
    for (std::thread& t : threads) t.join();
  }
}

// Cached expressions are found by structure. Regression: they were found by the node's address, so a map from
// another thread was simplified with a different budget.
TEST(HistoryLaws, MapsOfAnotherThreadGiveTheSameAnswers) {
  const std::vector<Question> questions = random_questions(11, 150, 0);
  for (const Question& q : questions) {
    const std::string expected = ask(q);
    std::string answer;
    std::thread([&] {
      std::optional<IndexMap> map;
      std::optional<IndexMap> other;
      std::thread([&] { map = *parse_index_map(q.map); }).join();
      other = q.other.empty() ? *map : *parse_index_map(q.other);
      answer = ask(q.verb, *map, *other);
    }).join();
    EXPECT_EQ(answer, expected) << "seed 11, question " << q.verb << " of " << q.map;
  }
}

TEST(HistoryLaws, AHardMapRunsOutOfFuel) {
  std::mt19937 random(20240607);
  const auto map = parse_index_map(hard_map(random, 300, 60));
  ASSERT_TRUE(map);
  detail::Workspace ws;
  EXPECT_TRUE(detail::simplified(ws, *map) == *map);
  EXPECT_TRUE(ws.exhausted);
}

// Regression: the nesting depth of facts was counted per thread. After the exception that ended a hard map,
// the count was not reset, so later maps ignored all facts.
TEST(HistoryLaws, FactsBoundAfterAHardMapAsBefore) {
  const auto map = parse_index_map(
      "(d0, d1, d2, d3, d4) -> ((d0 + d1 + d2 + d3 + d4 * 16) / 16), domain: d0 in [0, 70000], d1 in [0, "
      "70000], d2 in "
      "[0, 70000], d3 in [0, 70000], d4 in [0, 70000], d0 + d1 in [-1, 7], d2 + d3 in [-1, 8]");
  ASSERT_TRUE(map);
  ASSERT_EQ(simplify(*map).results()[0], Expr::variable(4));
  std::mt19937 random(20240607);
  const auto hard = parse_index_map(hard_map(random, 300, 60));
  const IndexMap first = simplify(*hard);
  EXPECT_TRUE(simplify(*hard) == first);
  EXPECT_EQ(simplify(*map).results()[0], Expr::variable(4));
}

}  // namespace
}  // namespace tessera::history_test
