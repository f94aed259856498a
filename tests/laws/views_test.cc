// SPDX-License-Identifier: Apache-2.0
// What each place holds, and the distributions of views, compared with the owners of every element.
// TESSERA_LAW_CASES is the number of cases of each law, TESSERA_SEED the seed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/index_walk.h"
#include "laws/random_distributions.h"
#include "report/distribution_answer.h"
#include "tessera/reshard/distribution.h"

namespace tessera::laws::views_test {
namespace {

constexpr Index kPlaces = 12;

std::uint64_t law_parameter(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::vector<Index> law_shape(std::mt19937_64& random) {
  std::vector<Index> shape(random() % 4 + 1);
  const std::uint64_t most = shape.size() > 2 ? 5 : shape.size() > 1 ? 12 : 40;
  for (Index& extent : shape) extent = static_cast<Index>(random() % most + (random() % 25 == 0 ? 0 : 1));
  return shape;
}

Index elements_in(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

// The local indices of each place, with the number of the element that is there.
using Held = std::map<Index, std::map<std::vector<Index>, Index>>;

Held held_by_place(const Distribution& distribution, const std::vector<Index>& shape) {
  Held held;
  for (Index flat = 0; flat < elements_in(shape); ++flat) {
    for (const OneHolder& holder :
         holders_by_element(distribution, shape, detail::index_with_number(shape, flat), kPlaces))
      held[holder.first][holder.second] = flat;
  }
  return held;
}

std::set<Index> expand(const nlohmann::json& runs) {
  std::set<Index> indices;
  for (const auto& run : runs) {
    const Index count = run.size() > 2 ? run[2].get<Index>() : 1;
    const Index step = run.size() > 2 ? run[3].get<Index>() : 0;
    for (Index k = 0; k < count; ++k) {
      for (Index i = run[0].get<Index>(); i < run[1].get<Index>(); ++i) indices.insert(i + k * step);
    }
  }
  return indices;
}

void check_place(const BoundDistribution& bound, const nlohmann::json& shard,
                 const std::map<std::vector<Index>, Index>& held) {
  const Index place = shard["place"].get<Index>();
  SCOPED_TRACE(fmt::format("place {}: {}", place, shard.dump()));
  const std::vector<Index> shape(bound.shape().begin(), bound.shape().end());
  ASSERT_EQ(shard["empty"].get<bool>(), held.empty());
  const std::string text = place_text(bound, place, {});
  ASSERT_EQ(text.find(": empty") != std::string::npos, held.empty()) << text;
  if (!shard["in_mesh"].get<bool>()) return;
  Index product = 1;
  std::vector<std::set<Index>> sets;
  for (const auto& runs : shard["indices"]) {
    sets.push_back(expand(runs));
    product *= std::ssize(sets.back());
  }
  ASSERT_EQ(product, std::ssize(held));
  ASSERT_EQ(shard["elements"].get<Index>(), std::ssize(held));
  const auto local_shape = shard["local_shape"].get<std::vector<Index>>();
  for (const auto& [local, flat] : held) {
    const std::vector<Index> index = detail::index_with_number(shape, flat);
    Index offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      ASSERT_TRUE(sets[d].contains(index[d]));
      ASSERT_LT(local[d], local_shape[d]);
      offset += local[d] * shard["strides"][d].get<Index>();
    }
    ASSERT_LT(offset, shard["memory_elements"].get<Index>());
    const auto here = *holders(bound, index);
    const auto found = std::ranges::find(here, place, &ShardHolder::place);
    ASSERT_TRUE(found != here.end());
    ASSERT_EQ(found->offset, offset);
    const auto back = element_at(bound, place, local);
    ASSERT_TRUE(back) << to_string(back.error());
    ASSERT_EQ(*back, index);
  }
  std::vector<Index> outside = local_shape;
  ASSERT_EQ(element_at(bound, place, outside).has_value(), outside.empty());
}

TEST(Places, HoldWhatTheOwnersOfEveryElementSay) {
  const std::uint64_t seed = law_parameter("TESSERA_SEED", 20381);
  const std::uint64_t cases = law_parameter("TESSERA_LAW_CASES", 1000);
  std::mt19937_64 random(seed);
  const std::string locals[] = {"", " local column", " local row padded", " local column padded"};
  for (std::uint64_t n = 0; n < cases; ++n) {
    const std::vector<Index> shape = law_shape(random);
    const std::string text = random_distribution(random, shape, kPlaces) + locals[random() % 4];
    SCOPED_TRACE(fmt::format("TESSERA_SEED={} case {}: {} of [{}]", seed, n, text, fmt::join(shape, ",")));
    const auto read = parse_distribution(text);
    ASSERT_TRUE(read);
    const auto bound = bind_distribution(*read, shape, kPlaces);
    ASSERT_TRUE(bound);
    const Held held = held_by_place(*read, shape);
    std::vector<Index> all(kPlaces);
    for (Index place = 0; place < kPlaces; ++place) all[static_cast<std::size_t>(place)] = place;
    const auto json = nlohmann::json::parse(places_json(*bound, all, {}));
    for (Index place = 0; place < kPlaces; ++place) {
      const auto found = held.find(place);
      check_place(*bound, json["shards"][static_cast<std::size_t>(place)],
                  found == held.end() ? std::map<std::vector<Index>, Index>{} : found->second);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// A shape with the same number of elements: factors are moved between neighbors, split off, or joined.
std::vector<Index> law_view(std::mt19937_64& random, const std::vector<Index>& shape) {
  std::vector<Index> view;
  for (const Index extent : shape) {
    Index rest = extent;
    while (rest > 1 && random() % 2 == 0) {
      Index part = static_cast<Index>(random() % static_cast<std::uint64_t>(rest)) + 1;
      while (rest % part != 0) --part;
      view.push_back(part);
      rest /= part;
    }
    view.push_back(rest);
    if (random() % 6 == 0) view.push_back(1);
  }
  for (std::size_t d = 0; d + 1 < view.size();) {
    if (random() % 3 != 0) {
      ++d;
      continue;
    }
    view[d] *= view[d + 1];
    view.erase(view.begin() + static_cast<std::ptrdiff_t>(d) + 1);
  }
  if (view.size() > 1 && random() % 4 == 0) {
    const Index whole = view[0] * view[1];
    for (Index a = 1; whole > 0 && a < 64; ++a) {
      const Index extent = static_cast<Index>(random() % static_cast<std::uint64_t>(whole)) + 1;
      if (whole % extent != 0) continue;
      view[0] = extent;
      view[1] = whole / extent;
      break;
    }
  }
  return view;
}

// Whether some distribution that cuts each dimension on its own gives every place these elements: each set is
// a product, and two sets of indices of a dimension are equal or disjoint.
bool may_be_separable(const std::vector<Index>& view, const std::vector<std::set<Index>>& held) {
  std::vector<std::vector<std::set<Index>>> sets;
  for (const std::set<Index>& elements : held) {
    if (elements.empty()) continue;
    std::vector<std::set<Index>> projections(view.size());
    for (const Index flat : elements) {
      const std::vector<Index> index = detail::index_with_number(view, flat);
      for (std::size_t d = 0; d < view.size(); ++d) projections[d].insert(index[d]);
    }
    Index product = 1;
    for (const auto& projection : projections) product *= std::ssize(projection);
    if (product != std::ssize(elements)) return false;
    sets.push_back(std::move(projections));
  }
  for (const auto& a : sets) {
    for (const auto& b : sets) {
      for (std::size_t d = 0; d < view.size(); ++d) {
        std::vector<Index> common;
        std::ranges::set_intersection(a[d], b[d], std::back_inserter(common));
        if (!common.empty() && a[d] != b[d]) return false;
      }
    }
  }
  return true;
}

TEST(Views, HaveTheDistributionOfTheirElementsOrNone) {
  const std::uint64_t seed = law_parameter("TESSERA_SEED", 20382);
  const std::uint64_t cases = law_parameter("TESSERA_LAW_CASES", 2000);
  std::mt19937_64 random(seed);
  std::map<std::string, int> answers;
  for (std::uint64_t n = 0; n < cases; ++n) {
    const std::vector<Index> shape = law_shape(random);
    const std::vector<Index> view = law_view(random, shape);
    const std::string text = random_distribution(random, shape, kPlaces);
    SCOPED_TRACE(fmt::format("TESSERA_SEED={} case {}: {} of [{}] as [{}]", seed, n, text,
                             fmt::join(shape, ","), fmt::join(view, ",")));
    const auto read = parse_distribution(text);
    ASSERT_TRUE(read);
    auto plain = *read;
    plain.local = {};  // ScaLAPACK's is column-major
    if (random() % 3 == 0) plain.local.storage = LocalLayout::Storage::column;
    if (random() % 4 == 0) plain.local.pitch = 4096 + static_cast<Index>(random() % 3);
    const bool compact = plain.local.storage == LocalLayout::Storage::row && !plain.local.pitch;
    const auto bound = bind_distribution(plain, shape, kPlaces);
    ASSERT_TRUE(bound);
    const auto made = view_distribution(*bound, view);
    std::vector<std::set<Index>> held(kPlaces);
    for (const auto& [place, locals] : held_by_place(*read, shape)) {
      for (const auto& [local, flat] : locals) held[static_cast<std::size_t>(place)].insert(flat);
    }
    if (!made) {
      const bool undecided = made.error().code == Code::undecided;
      ++answers[!undecided                       ? made.error().reason
                : made.error().reason == "local" ? "local shapes differ"
                                                 : "undecided"];
      ASSERT_TRUE(made.error().reason != "local" || !compact);
      if (undecided) continue;
      ASSERT_EQ(made.error().code, Code::not_representable);
      ASSERT_FALSE(made.error().witness.empty());
      ASSERT_FALSE(may_be_separable(view, held)) << to_string(made.error());
      continue;
    }
    ++answers[compact ? "found" : "found with local layouts"];
    const auto again = parse_distribution(to_string(*made));
    ASSERT_TRUE(again) << to_string(*made);
    const auto rebound = bind_distribution(*again, view, kPlaces);
    ASSERT_TRUE(rebound) << to_string(*made) << ": " << to_string(rebound.error());
    for (Index flat = 0; flat < elements_in(shape); ++flat) {
      const auto before = *holders(*bound, detail::index_with_number(shape, flat));
      const auto after = *holders(*rebound, detail::index_with_number(view, flat));
      ASSERT_EQ(before.size(), after.size()) << to_string(*made) << " at " << flat;
      for (std::size_t k = 0; k < before.size(); ++k) {
        ASSERT_EQ(before[k].place, after[k].place) << to_string(*made) << " at " << flat;
        ASSERT_EQ(before[k].offset, after[k].offset) << to_string(*made) << " at " << flat;
      }
    }
  }
  for (const auto& [answer, count] : answers) fmt::print("{}: {}\n", answer, count);
  EXPECT_GT(answers["found"], static_cast<int>(cases / 8));
  EXPECT_GT(answers["found with local layouts"], static_cast<int>(cases / 16));
}

}  // namespace
}  // namespace tessera::laws::views_test
