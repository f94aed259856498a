// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/sharding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "base/index_walk.h"
#include "notation/sharding/shard_owner.h"

namespace tessera {
namespace {

using detail::owner;
using detail::shard_box;
using detail::shard_shape;
using detail::ShardBox;
using detail::ShardOwner;
using Indices = std::vector<Index>;

struct Case {
  Indices assignment;
  std::size_t rank = 0;
  Indices devices;
  Sharding sharding;
};

// A random permutation of 0, 1, ...
Indices random_order(std::size_t count, std::mt19937_64& random) {
  Indices order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<Index>(i));
  for (std::size_t i = count; i-- > 1;) std::swap(order[i], order[random() % (i + 1)]);
  return order;
}

// The device order, found by walking the transposed array, as in the definition of the notation.
Indices walked(const Indices& reshape, const Indices& order) {
  Indices transposed;
  for (const Index p : order) transposed.push_back(reshape[static_cast<std::size_t>(p)]);
  Indices devices;
  Indices index(order.size(), 0);
  do {
    Indices source(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) source[static_cast<std::size_t>(order[k])] = index[k];
    Index device = 0;
    for (std::size_t i = 0; i < reshape.size(); ++i) device = device * reshape[i] + source[i];
    devices.push_back(device);
  } while (detail::next_index(index, transposed));
  return devices;
}

Case random_case(std::mt19937_64& random) {
  Case one;
  one.rank = random() % 3 + 1;
  const std::size_t subgroups = random() % 3;
  Index count = 1;
  for (std::size_t i = 0; i < one.rank + subgroups; ++i) {
    one.assignment.push_back(static_cast<Index>(random() % 4 + 1));
    count *= one.assignment.back();
  }
  std::vector<SubgroupKind> kinds;
  for (std::size_t i = 0; i < subgroups; ++i) kinds.push_back(static_cast<SubgroupKind>(random() % 4));
  if (count > 1 && random() % 3 == 0) {
    one.devices = random_order(static_cast<std::size_t>(count), random);
    one.sharding = Sharding::tiled(one.assignment, one.devices, kinds).value();
  } else {
    const Indices reshape = one.assignment;
    const Indices order = random_order(reshape.size(), random);
    one.devices = walked(reshape, order);
    one.sharding = Sharding::tiled(one.assignment, IotaDevices{reshape, order}, kinds).value();
  }
  return one;
}

// Checks the owner of every element and the box of every device against the definition.
std::string check_sharding(const Case& one, const Indices& shape) {
  const Sharding& sharding = one.sharding;
  if (sharding.devices() != one.devices) return "devices";
  if (parse_sharding(to_string(sharding)) != sharding) return "text";
  Indices local_shape;
  for (std::size_t d = 0; d < shape.size(); ++d) local_shape.push_back(ceil_div(shape[d], one.assignment[d]));
  if (shard_shape(sharding, shape) != local_shape) return "shard_shape";
  Indices place(one.assignment.size(), 0);
  Index flat = 0;
  do {
    const Index device = one.devices[static_cast<std::size_t>(flat)];
    if (sharding.place_of(device) != flat++) return "place_of";
    const ShardBox box = shard_box(sharding, shape, device).value();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (box.lower[d] != std::min(place[d] * local_shape[d], shape[d]) ||
          box.upper[d] != std::min((place[d] + 1) * local_shape[d], shape[d]))
        return "shard_box";
    }
  } while (detail::next_index(place, one.assignment));
  if (shard_box(sharding, shape, flat) || shard_box(sharding, shape, -1)) return "a box of no device";
  if (std::ranges::find(shape, 0) != shape.end()) return "";
  Indices x(shape.size(), 0);
  do {
    Index first = 0;
    Indices local;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      first = first * one.assignment[d] + x[d] / local_shape[d];
      local.push_back(x[d] % local_shape[d]);
    }
    const Index group =
        flat / std::accumulate(one.assignment.begin(),
                               one.assignment.begin() + static_cast<std::ptrdiff_t>(shape.size()), Index{1},
                               std::multiplies<>());
    const auto begin = one.devices.begin() + first * group;
    const ShardOwner held = owner(sharding, shape, x).value();
    if (held.devices != Indices(begin, begin + group) || held.local != local) return "owner";
  } while (detail::next_index(x, shape));
  return "";
}

TEST(ShardingMapTest, HoldersAndBoxesAreThoseOfTheDefinition) {
  const std::uint64_t seed = 20250120;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Case one = random_case(random);
    Indices shape;
    for (std::size_t d = 0; d < one.rank; ++d) shape.push_back(static_cast<Index>(random() % 8));
    EXPECT_EQ(check_sharding(one, shape), "")
        << "seed " << seed << ", case " << i << ": " << to_string(one.sharding);
  }
}

// Regression: the owner was found by listing all devices, which never ends for this many.
TEST(ShardingMapTest, ManyDevicesAreNotListed) {
  const Sharding sharding =
      parse_sharding("{devices=[4,1000000000000]<=[1000000000000,4]T(1,0) last_tile_dim_replicate}").value();
  const Indices shape = {10};
  EXPECT_EQ(shard_box(sharding, shape, 6)->lower, Indices{6});
  const auto held = owner(sharding, shape, Indices{0});
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, Code::capacity);
}

TEST(ShardingMapTest, ADeviceOccursOnce) {
  const auto twice = Sharding::tiled({2}, Indices{0, 0}, {});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "device 0 occurs twice");
  EXPECT_EQ(Sharding::tiled({1}, Indices{0}, {}).error().code, Code::device_count);
}

}  // namespace
}  // namespace tessera
