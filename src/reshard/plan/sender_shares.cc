// SPDX-License-Identifier: Apache-2.0
// Computes how much each holder of a replicated shard sends.
#include "reshard/plan/sender_shares.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "reshard/limits.h"
#include "reshard/plan/planned_array.h"
#include "reshard/plan/share_flow.h"

namespace tessera::detail {
namespace {

// For each source shard, the number of elements that its holders send, counted once for each receiver.
std::vector<Index> demands_of(const ReshardArray& array, const PlannedArray& planned) {
  std::vector<Index> demands(array.from.shards(), 0);
  for_each_pair_of_shards(array, planned, [&](std::size_t source, std::size_t target, Index elements) {
    for (const Index receiver : array.to.holders(target)) {
      if (array.from.shard_of(receiver) != source) demands[source] += elements;
    }
  });
  return demands;
}

bool has_replicas(const ReshardArray& array) {
  for (std::size_t shard = 0; shard < array.from.shards(); ++shard) {
    if (array.from.holders(shard).size() > 1) return true;
  }
  return false;
}

SenderShares equal_shares(const ReshardArray& array, const std::vector<Index>& demands) {
  SenderShares shares(demands.size());
  for (std::size_t shard = 0; shard < demands.size(); ++shard) {
    const std::size_t holders = array.from.holders(shard).size();
    if (holders > 1) shares[shard].assign(holders, ceil_div(demands[shard], static_cast<Index>(holders)));
  }
  return shares;
}

// The sets of holders of replicated shards, over all arrays. Shards with the same holders share a set.
struct HolderSets {
  std::map<std::vector<Index>, std::size_t> number;
  std::vector<ShareGroup> groups;
  std::size_t edges = 0;

  std::size_t add(std::span<const Index> holders) {
    const auto [at, is_new] =
        number.try_emplace(std::vector<Index>(holders.begin(), holders.end()), groups.size());
    if (is_new) {
      groups.push_back({at->first, 0});
      edges += holders.size();
    }
    return at->second;
  }
};

}  // namespace

std::vector<SenderShares> sender_shares(std::span<const ReshardArray> arrays,
                                        std::span<const PlannedArray> planned) {
  std::vector<SenderShares> shares(arrays.size());
  if (std::ranges::none_of(arrays, has_replicas)) return shares;
  // The unit of shares, in bits: the size of every element is a multiple of it.
  Index unit = 0;
  for (const ReshardArray& array : arrays) unit = std::gcd(unit, array.element_bits);
  HolderSets sets;
  std::vector<std::vector<Index>> demands;
  std::vector<std::vector<std::size_t>> set_of(arrays.size());
  std::vector<Index> fixed(static_cast<std::size_t>(arrays[0].from.places()), 0);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const BoundDistribution& from = arrays[k].from;
    demands.push_back(demands_of(arrays[k], planned[k]));
    set_of[k].resize(from.shards());
    for (std::size_t shard = 0; shard < from.shards(); ++shard) {
      const auto holders = from.holders(shard);
      const Index units = demands[k][shard] * (arrays[k].element_bits / unit);
      if (holders.size() == 1) fixed[static_cast<std::size_t>(holders[0])] += units;
      if (holders.size() > 1) sets.groups[set_of[k][shard] = sets.add(holders)].demand += units;
    }
  }
  if (arrays.size() == 1 || sets.edges > kReshardLimits.share_edges) {
    for (std::size_t k = 0; k < arrays.size(); ++k) shares[k] = equal_shares(arrays[k], demands[k]);
    return shares;
  }
  // The remaining share of each holder of each set. Shards take from the first holder that has some left.
  std::vector<std::vector<Index>> left = least_shares(sets.groups, fixed);
  std::vector<std::size_t> first(left.size(), 0);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const Index width = arrays[k].element_bits / unit;
    shares[k].resize(demands[k].size());
    for (std::size_t shard = 0; shard < demands[k].size(); ++shard) {
      const std::size_t holders = arrays[k].from.holders(shard).size();
      if (holders < 2) continue;
      std::vector<Index>& share = shares[k][shard];
      share.assign(holders, 0);
      const std::size_t set = set_of[k][shard];
      for (Index rest = demands[k][shard]; rest > 0;) {
        std::size_t& s = first[set];
        while (left[set][s] <= 0 && s + 1 < holders) ++s;
        const Index taken = s + 1 == holders ? rest : std::min(rest, ceil_div(left[set][s], width));
        left[set][s] -= taken * width;
        share[s] += taken;
        rest -= taken;
      }
    }
  }
  return shares;
}

}  // namespace tessera::detail
