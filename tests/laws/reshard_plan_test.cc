// SPDX-License-Identifier: Apache-2.0
// Compares plans between random distributions with an evaluator that handles one element at a time.
#include "tessera/reshard/reshard_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/index_walk.h"
#include "laws/random_distributions.h"

namespace tessera::laws::reshard_plan_test {
namespace {

std::uint64_t plan_parameter(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::vector<Index> plan_shape(std::mt19937_64& random) {
  std::vector<Index> shape(random() % 5 + 1);
  const std::uint64_t most = shape.size() > 3 ? 4 : shape.size() > 1 ? 11 : 60;
  for (Index& extent : shape) extent = static_cast<Index>(random() % most + (random() % 20 == 0 ? 0 : 1));
  return shape;
}

Index count_of(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

// A shape of other dimensions with the same number of elements.
std::vector<Index> random_view(std::mt19937_64& random, const std::vector<Index>& shape) {
  std::vector<Index> view;
  Index rest = count_of(shape);
  while (rest > 1 && view.size() < 3) {
    Index extent = static_cast<Index>(random() % static_cast<std::uint64_t>(rest)) + 1;
    while (rest % extent != 0) --extent;
    view.push_back(extent);
    rest /= extent;
  }
  view.push_back(rest);
  return view;
}

// Calls visit(global index, local index at the sender, local index at the receiver).
template <class Visit>
void for_each_element_of(const MessageBox& box, Visit&& visit) {
  std::vector<Index> index(box.size());
  std::vector<Index> from(box.size());
  std::vector<Index> to(box.size());
  const auto loop = [&](auto&& self, std::size_t d) -> void {
    if (d == box.size()) return visit(index, from, to);
    for (Index k = 0; k < box[d].count; ++k) {
      for (Index i = 0; i < box[d].length; ++i) {
        index[d] = box[d].lower + k * box[d].step + i;
        from[d] = box[d].from_local + k * box[d].from_step + i;
        to[d] = box[d].to_local + k * box[d].to_step + i;
        self(self, d + 1);
      }
    }
  };
  loop(loop, 0);
}

struct Sides {
  Distribution from;
  Distribution to;
  std::vector<Index> shape;
  std::vector<Index> view;
};

std::vector<OneHolder> from_holders(const Sides& sides, Index flat, Index places) {
  return holders_by_element(sides.from, sides.shape, detail::index_with_number(sides.shape, flat), places);
}
std::vector<OneHolder> to_holders(const Sides& sides, Index flat, Index places) {
  return holders_by_element(sides.to, sides.view, detail::index_with_number(sides.view, flat), places);
}

bool holds(const std::vector<OneHolder>& holders, Index place) {
  return std::ranges::find(holders, place, &OneHolder::first) != holders.end();
}

// The bytes that each place lacks, and the minimum for the busiest sender: elements with the same holders are
// distributed among these holders.
void check_bytes(const ReshardPlan& plan, const Sides& sides) {
  std::vector<Index> receive(static_cast<std::size_t>(plan.places()), 0);
  std::map<std::vector<Index>, Index> demand;
  for (Index flat = 0; flat < count_of(sides.shape); ++flat) {
    const auto source = from_holders(sides, flat, plan.places());
    std::vector<Index> group;
    for (const OneHolder& holder : source) group.push_back(holder.first);
    for (const OneHolder& holder : to_holders(sides, flat, plan.places())) {
      if (holds(source, holder.first)) continue;
      ++receive[static_cast<std::size_t>(holder.first)];
      ++demand[group];
    }
  }
  Index most = 0;
  for (const auto& [group, elements] : demand) {
    most = std::max(most, ceil_div(elements, static_cast<Index>(group.size())));
  }
  for (Index& elements : receive) elements *= 4;
  ASSERT_EQ(std::vector<Index>(plan.receive().begin(), plan.receive().end()), receive);
  ASSERT_EQ(plan.max_send(), 4 * most);
}

// Every missing element arrives once: it is sent from its local index at the sender and written to its local
// index at the receiver.
void check_messages(const ReshardPlan& plan, const Sides& sides) {
  const auto all = messages(plan);
  ASSERT_TRUE(all) << to_string(all.error());
  std::set<std::pair<Index, Index>> arrived;  // place, element
  for (const ReshardMessage& message : *all) {
    Index elements = 0;
    for (const MessageBox& box : message.boxes) {
      for_each_element_of(box, [&](const auto& index, const auto& from, const auto& to) {
        ++elements;
        Index flat = 0;
        for (std::size_t d = 0; d < index.size(); ++d) flat = flat * sides.shape[d] + index[d];
        ASSERT_TRUE(arrived.emplace(message.to, flat).second);
        const auto source = from_holders(sides, flat, plan.places());
        const auto target = to_holders(sides, flat, plan.places());
        ASSERT_TRUE(std::ranges::find(source, OneHolder{message.from, from}) != source.end());
        ASSERT_TRUE(std::ranges::find(target, OneHolder{message.to, to}) != target.end());
        ASSERT_FALSE(holds(source, message.to));
      });
    }
    ASSERT_EQ(elements, message.elements);
  }
  ASSERT_EQ(static_cast<Index>(arrived.size()) * 4, plan.total());
}

void check_rounds(const ReshardPlan& plan) {
  const ReshardRounds in_rounds = rounds(plan);
  std::set<std::pair<Index, Index>> busy;
  std::map<Index, Index> degree;
  for (std::size_t k = 0; k < plan.pairs().size(); ++k) {
    const PairBytes& pair = plan.pairs()[k];
    ASSERT_TRUE(busy.emplace(in_rounds.of_pair[k], pair.from).second);
    ASSERT_TRUE(busy.emplace(in_rounds.of_pair[k], plan.places() + pair.to).second);
    ++degree[pair.from];
    ++degree[plan.places() + pair.to];
  }
  Index most = 0;
  for (const auto& [place, messages] : degree) most = std::max(most, messages);
  ASSERT_EQ(in_rounds.rounds, most);
}

TEST(ReshardPlan, AgreesWithOneElementAtATime) {
  const std::uint64_t seed = plan_parameter("TESSERA_SEED", 20264);
  const std::uint64_t count = plan_parameter("TESSERA_RESHARD_PAIRS", 3000);
  std::mt19937_64 random(seed);
  for (std::uint64_t n = 0; n < count; ++n) {
    Sides sides;
    sides.shape = plan_shape(random);
    sides.view = n % 8 == 7 ? random_view(random, sides.shape) : sides.shape;
    const Index places = static_cast<Index>(random() % 12) + 1;
    const std::string from_text = random_distribution(random, sides.shape, places);
    const std::string to_text = random_distribution(random, sides.view, places);
    SCOPED_TRACE(fmt::format("TESSERA_SEED={} case {}: [{}] as [{}], {} to {}, {} places", seed, n,
                             fmt::join(sides.shape, ","), fmt::join(sides.view, ","), from_text, to_text,
                             places));
    const auto from_read = parse_distribution(from_text);
    const auto to_read = parse_distribution(to_text);
    ASSERT_TRUE(from_read && to_read);
    sides.from = *from_read;
    sides.to = *to_read;
    const auto from = bind_distribution(sides.from, sides.shape, places);
    const auto to = bind_distribution(sides.to, sides.view, places);
    ASSERT_TRUE(from && to);
    const auto plan =
        make_reshard_plan({{"", 32, *from, *to}}, {.per_node = static_cast<Index>(random() % 4)});
    ASSERT_TRUE(plan) << to_string(plan.error());
    check_bytes(*plan, sides);
    if (sides.view == sides.shape) check_messages(*plan, sides);
    check_rounds(*plan);
    const auto proved = verify(*plan);
    ASSERT_TRUE(proved) << to_string(proved.error());
    if (n % 16 == 0) {
      const auto best = relabel_bytes(*plan);
      const auto relabeled = make_reshard_plan({{"", 32, *from, *to}},
                                               {.relabel = n % 32 == 0 ? Relabel::within : Relabel::any});
      ASSERT_TRUE(relabeled) << to_string(relabeled.error());
      ASSERT_EQ(relabeled->total(), n % 32 == 0 ? best->within : best->any);
      ASSERT_LE(best->within, plan->total());
      ASSERT_LE(best->any, best->within);
      ASSERT_TRUE(verify(*relabeled));
    }
    if (HasFatalFailure()) return;
  }
}

// Two arrays between the same places are planned together, so their messages share pairs.
TEST(ReshardPlan, AddsUpArrays) {
  const auto side = [](const char* text, std::vector<Index> shape) {
    return *bind_distribution(*parse_distribution(text), std::move(shape), 4);
  };
  const auto plan = make_reshard_plan(
      {{"a", 32, side("{devices=[4,1]<=[4]}", {8, 4}), side("{devices=[1,4]<=[4]}", {8, 4})},
       {"b", 16, side("{devices=[4]<=[4]}", {8}), side("{replicated}", {8})}});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->total(), 4 * 24 + 4 * 12);
  EXPECT_EQ(plan->pairs().size(), 12U);
  EXPECT_EQ(plan->pairs()[0], (PairBytes{0, 1, 8 + 4}));
  EXPECT_EQ(messages(*plan)->size(), 24U);
  EXPECT_EQ(messages(*plan, 0)->size(), 12U);
}

// Every place sends to every other one. There are as many rounds as other places, and in none of them a place
// sends two messages.
TEST(ReshardPlan, ExchangesOfAllPlacesFillTheRounds) {
  for (const Index places : {2, 7, 64, 100}) {
    const auto side = [&](const std::string& cuts) {
      return *bind_distribution(*parse_distribution(fmt::format("mesh[a={}] {}", places, cuts)), {100, 130});
    };
    const auto plan = make_reshard_plan({{"", 8, side("[a, -]"), side("[-, a]")}});
    ASSERT_TRUE(plan);
    const ReshardRounds in_rounds = rounds(*plan);
    EXPECT_EQ(in_rounds.rounds, round_count(*plan));
    std::set<std::pair<Index, Index>> sends;
    std::set<std::pair<Index, Index>> receives;
    for (std::size_t k = 0; k < plan->pairs().size(); ++k) {
      const Index round = in_rounds.of_pair[k];
      EXPECT_LT(round, in_rounds.rounds);
      EXPECT_TRUE(sends.emplace(plan->pairs()[k].from, round).second);
      EXPECT_TRUE(receives.emplace(plan->pairs()[k].to, round).second);
    }
  }
}

// Several arrays whose shards have different sets of holders. By Hall's theorem, for every set of places, the
// busiest place sends at least the amount that only places of the set can send, divided by their number. The
// plan reaches this bound.
TEST(ReshardPlan, SharesOutAllArraysTogether) {
  const std::uint64_t seed = plan_parameter("TESSERA_SEED", 20265);
  std::mt19937_64 random(seed);
  for (int n = 0; n < 150; ++n) {
    const Index places = static_cast<Index>(random() % 7) + 2;
    std::vector<ReshardArray> arrays;
    std::map<std::vector<Index>, Index> demand;
    std::string texts;
    for (std::uint64_t k = 0, count = random() % 4 + 2; k < count; ++k) {
      const std::vector<Index> shape = plan_shape(random);
      const std::string from = random_distribution(random, shape, places);
      const std::string to = random_distribution(random, shape, places);
      texts += fmt::format("[{}] {} to {}; ", fmt::join(shape, ","), from, to);
      const auto a = parse_distribution(from);
      const auto b = parse_distribution(to);
      arrays.push_back(
          {"", 32, *bind_distribution(*a, shape, places), *bind_distribution(*b, shape, places)});
      for (Index flat = 0; flat < count_of(shape); ++flat) {
        std::vector<Index> group;
        const auto source = holders_by_element(*a, shape, detail::index_with_number(shape, flat), places);
        for (const OneHolder& holder : source) group.push_back(holder.first);
        for (const OneHolder& holder :
             holders_by_element(*b, shape, detail::index_with_number(shape, flat), places)) {
          if (!holds(source, holder.first)) ++demand[group];
        }
      }
    }
    SCOPED_TRACE(fmt::format("TESSERA_SEED={} case {}: {} places, {}", seed, n, places, texts));
    Index most = 0;
    for (Index set = 1; set < Index{1} << places; ++set) {
      Index inside = 0;
      for (const auto& [group, elements] : demand) {
        if (std::ranges::all_of(group, [&](Index place) { return (set >> place & 1) != 0; }))
          inside += elements;
      }
      most = std::max(most,
                      ceil_div(inside, static_cast<Index>(std::popcount(static_cast<std::uint64_t>(set)))));
    }
    const auto plan = make_reshard_plan(std::move(arrays));
    ASSERT_TRUE(plan) << to_string(plan.error());
    ASSERT_EQ(plan->max_send(), 4 * most);
    ASSERT_TRUE(verify(*plan));
  }
}

// A tensor of 2^60 elements in blocks of one element: no step may iterate over the blocks.
TEST(ReshardPlan, TakesNoStepThatFollowsTheExtent) {
  const std::vector<Index> shape = {Index{1} << 56};
  const auto from = bind_distribution(*parse_distribution("mesh[p=8] [p(cyclic 1)]"), shape);
  const auto to = bind_distribution(*parse_distribution("mesh[p=8] [p(cyclic 3)]"), shape);
  ASSERT_TRUE(from && to);
  const auto plan = make_reshard_plan({{"", 8, *from, *to}});
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ(plan->pairs().size(), 20U);  // x mod 24 determines both places; for 4 of 24 values they are equal
  EXPECT_EQ(plan->kept() + plan->total(), shape[0]);
  EXPECT_TRUE(verify(*plan));
}

}  // namespace
}  // namespace tessera::laws::reshard_plan_test
