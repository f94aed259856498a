// SPDX-License-Identifier: Apache-2.0
// The cheapest chains of collectives, compared with a search over all ways to hold an array in equal boxes.
// TESSERA_LAW_CASES is the number of cases, TESSERA_SEED the seed.
#include "reshard/collectives/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tessera::laws::collectives_test {
namespace {

std::uint64_t chain_parameter(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Index product_of(const std::vector<Index>& values) {
  return std::accumulate(values.begin(), values.end(), Index{1}, std::multiplies<>());
}

// One way to write the number of places as digits of prime size, the major one first, and a cut of the
// dimensions by some of the digits.
struct PrimeCut {
  std::vector<Index> sizes;
  std::vector<std::vector<std::size_t>> dims;
};

// The part of every dimension that every place holds: what a way to cut does, however it is written.
using Holding = std::vector<std::vector<Index>>;  // of place, of dimension

Holding holding_of(const PrimeCut& cut) {
  const Index places = product_of(cut.sizes);
  Holding out;
  for (Index place = 0; place < places; ++place) {
    std::vector<Index> digits(cut.sizes.size());
    Index rest = place;
    for (std::size_t k = digits.size(); k-- > 0; rest /= cut.sizes[k]) digits[k] = rest % cut.sizes[k];
    std::vector<Index> parts;
    for (const auto& dim : cut.dims) {
      Index part = 0;
      for (const std::size_t digit : dim) part = part * cut.sizes[digit] + digits[digit];
      parts.push_back(part);
    }
    out.push_back(std::move(parts));
  }
  return out;
}

class BruteForce {
 public:
  BruteForce(std::vector<Index> shape, Index bits, Index places)
      : shape_(std::move(shape)), bits_(bits), places_(places) {
    std::vector<Index> primes;
    for (Index rest = places, p = 2; rest > 1;) {
      if (rest % p != 0) {
        ++p;
        continue;
      }
      primes.push_back(p);
      rest /= p;
    }
    do {
      PrimeCut cut{primes, std::vector<std::vector<std::size_t>>(shape_.size())};
      add_cuts(cut, std::vector<bool>(primes.size(), false));
    } while (std::ranges::next_permutation(primes).found);
  }

  // The fewest bytes that a chain from one way to hold the array to another one moves.
  Index cheapest(const Holding& from, const Holding& to) {
    std::map<Holding, Index> best = {{from, 0}};
    std::priority_queue<std::pair<Index, Holding>, std::vector<std::pair<Index, Holding>>, std::greater<>>
        queue;
    queue.emplace(0, from);
    while (!queue.empty()) {
      const auto [cost, at] = queue.top();
      queue.pop();
      if (cost > best.at(at)) continue;
      if (at == to) return cost;
      const auto reach = [&](const Holding& next, Index bytes) {
        const auto found = best.find(next);
        if (found != best.end() && found->second <= cost + bytes) return;
        best[next] = cost + bytes;
        queue.emplace(cost + bytes, next);
      };
      steps_from(at, reach);
    }
    return -1;
  }

  bool knows(const Holding& holding) const { return cuts_.contains(holding); }

 private:
  static Index parts(const PrimeCut& cut, std::size_t dim) {
    Index out = 1;
    for (const std::size_t digit : cut.dims[dim]) out *= cut.sizes[digit];
    return out;
  }
  Index local_bits(const PrimeCut& cut) const {
    Index bits = bits_ * product_of(shape_);
    for (std::size_t d = 0; d < shape_.size(); ++d) bits /= parts(cut, d);
    return bits;
  }

  void add_cuts(const PrimeCut& cut, std::vector<bool> used) {
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (shape_[d] % parts(cut, d) != 0) return;
    }
    std::vector<PrimeCut>& same = cuts_[holding_of(cut)];
    const auto equal = [&](const PrimeCut& other) {
      return other.sizes == cut.sizes && other.dims == cut.dims;
    };
    if (std::ranges::any_of(same, equal)) return;
    same.push_back(cut);
    for (std::size_t digit = 0; digit < used.size(); ++digit) {
      if (used[digit]) continue;
      used[digit] = true;
      for (std::size_t d = 0; d < shape_.size(); ++d) {
        PrimeCut next = cut;
        next.dims[d].push_back(digit);
        add_cuts(next, used);
      }
      used[digit] = false;
    }
  }

  void steps_from(const Holding& at, const std::function<void(const Holding&, Index)>& reach) {
    const auto bytes = [&](Index bits) { return places_ * ((bits + 7) / 8); };
    for (const PrimeCut& cut : cuts_.at(at)) {
      const Index local = local_bits(cut);
      for (std::size_t d = 0; d < shape_.size(); ++d) {
        Index moved = 1;
        PrimeCut rest = cut;
        std::vector<std::size_t> suffix;
        while (!rest.dims[d].empty()) {
          suffix.insert(suffix.begin(), rest.dims[d].back());
          moved *= cut.sizes[rest.dims[d].back()];
          rest.dims[d].pop_back();
          reach(holding_of(rest), bytes((moved - 1) * local));
          for (std::size_t other = 0; other < shape_.size(); ++other) {
            PrimeCut next = rest;
            next.dims[other].insert(next.dims[other].end(), suffix.begin(), suffix.end());
            if (other != d && shape_[other] % parts(next, other) == 0)
              reach(holding_of(next), bytes(local - local / moved));
          }
        }
        std::set<std::size_t> used;
        for (const auto& dim : cut.dims) used.insert(dim.begin(), dim.end());
        for (std::size_t digit = 0; digit < cut.sizes.size(); ++digit) {
          PrimeCut next = cut;
          next.dims[d].push_back(digit);
          if (!used.contains(digit) && shape_[d] % parts(next, d) == 0) reach(holding_of(next), 0);
        }
      }
    }
    // Places exchange whole shards.
    const PrimeCut& any = cuts_.at(at)[0];
    for (const auto& [other, cuts] : cuts_) {
      bool same = true;
      for (std::size_t d = 0; d < shape_.size(); ++d) same = same && parts(cuts[0], d) == parts(any, d);
      if (!same) continue;
      Index changed = 0;
      for (std::size_t p = 0; p < at.size(); ++p) changed += at[p] == other[p] ? 0 : 1;
      reach(other, changed * ((local_bits(any) + 7) / 8));
    }
  }

  std::vector<Index> shape_;
  Index bits_;
  Index places_;
  std::map<Holding, std::vector<PrimeCut>> cuts_;
};

// A mesh of this many places whose axes are the digits of some way to write them, and cuts over some axes.
std::string random_side(std::mt19937_64& random, const std::vector<Index>& shape, Index places) {
  std::vector<Index> sizes;
  for (Index rest = places; rest > 1; rest /= sizes.back()) {
    Index size = static_cast<Index>(random() % static_cast<std::uint64_t>(rest)) + 1;
    while (rest % size != 0) --size;
    sizes.push_back(size);
  }
  if (sizes.empty()) sizes = {1};
  // The axes in another order than the digits.
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (random() % 2 == 0) std::ranges::shuffle(order, random);
  std::vector<Index> strides(sizes.size(), 1);
  for (std::size_t k = sizes.size(); k-- > 1;) strides[k - 1] = strides[k] * sizes[k];
  std::vector<Index> ids = {0};
  std::vector<std::string> axes;
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::vector<Index> next;
    for (const Index id : ids) {
      for (Index i = 0; i < sizes[order[k]]; ++i) next.push_back(id + i * strides[order[k]]);
    }
    ids = std::move(next);
    axes.push_back(fmt::format("a{}={}", k, sizes[order[k]]));
  }
  std::vector<std::string> dims(shape.size());
  std::vector<Index> parts(shape.size(), 1);
  std::vector<std::size_t> unused(order.size());
  std::iota(unused.begin(), unused.end(), std::size_t{0});
  std::ranges::shuffle(unused, random);
  for (const std::size_t k : unused) {
    const std::size_t d = random() % (shape.size() + 1);
    if (d == shape.size() || shape[d] % (parts[d] * sizes[order[k]]) != 0) continue;
    parts[d] *= sizes[order[k]];
    dims[d] += fmt::format("{}a{}", dims[d].empty() ? "" : "*", k);
  }
  for (std::string& dim : dims) {
    if (dim.empty()) dim = "-";
  }
  return fmt::format("mesh[{}] device_ids=({}) [{}]", fmt::join(axes, ","), fmt::join(ids, ","),
                     fmt::join(dims, ", "));
}

Holding holding_of(const BoundDistribution& bound) {
  Holding out;
  for (Index place = 0; place < bound.places(); ++place) {
    const std::size_t shard = *bound.shard_of(place);
    std::vector<Index> parts;
    for (std::size_t d = 0; d < bound.shape().size(); ++d) {
      const DimPart& part = bound.parts(d)[bound.part({.shard = shard, .dim = d})];
      parts.push_back(part.runs[0].lower / part.extent);
    }
    out.push_back(std::move(parts));
  }
  return out;
}

TEST(CollectivesLaw, AreTheCheapestOfAllOverFactorsOfTheMesh) {
  const std::uint64_t seed = chain_parameter("TESSERA_SEED", 20383);
  const std::uint64_t cases = chain_parameter("TESSERA_LAW_CASES", 300);
  std::mt19937_64 random(seed);
  std::map<std::pair<std::vector<Index>, std::pair<Index, Index>>, BruteForce> searches;
  for (std::uint64_t n = 0; n < cases; ++n) {
    const Index all_places[] = {2, 3, 4, 6, 8, 8, 9, 12};
    const Index places = all_places[random() % std::size(all_places)];
    std::vector<Index> shape(random() % 2 + 1);
    for (Index& extent : shape)
      extent = places * static_cast<Index>(random() % 2 + 1) / (random() % 5 == 0 ? 2 : 1);
    const Index bits = random() % 6 == 0 ? 4 : 8;
    const std::string from_text = random_side(random, shape, places);
    const std::string to_text = random_side(random, shape, places);
    SCOPED_TRACE(fmt::format("TESSERA_SEED={} case {}: {} bits, [{}], {} to {}", seed, n, bits,
                             fmt::join(shape, ","), from_text, to_text));
    const auto from = bind_distribution(*parse_distribution(from_text), shape, places);
    const auto to = bind_distribution(*parse_distribution(to_text), shape, places);
    ASSERT_TRUE(from && to);
    const auto plan = make_reshard_plan({{"", bits, *from, *to}});
    ASSERT_TRUE(plan);
    const CollectiveAnswer answer = cheapest_collectives(*plan);
    ASSERT_TRUE(answer.chain) << answer.not_searched;
    auto search = searches.find({shape, {bits, places}});
    if (search == searches.end())
      search =
          searches.emplace(std::pair(shape, std::pair(bits, places)), BruteForce(shape, bits, places)).first;
    const Holding start = holding_of(*from);
    const Holding end = holding_of(*to);
    // Digits of two meshes need not be digits of one order of primes, but each of the two has one.
    ASSERT_TRUE(search->second.knows(start) && search->second.knows(end));
    ASSERT_TRUE(answer.chain->cheapest);
    ASSERT_EQ(answer.chain->total, search->second.cheapest(start, end));
    ASSERT_GE(answer.chain->total, plan->total());
    Index sum = 0;
    for (const CollectiveStep& step : answer.chain->steps) sum += step.bytes * step.places;
    ASSERT_EQ(sum, answer.chain->total);
  }
}

}  // namespace
}  // namespace tessera::laws::collectives_test
