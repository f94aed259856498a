// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/sharding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/index_walk.h"

namespace tessera {
namespace {

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

std::string check_sharding(const Case& one) {
  const Sharding& sharding = one.sharding;
  if (sharding.devices() != one.devices) return "devices";
  if (parse_sharding(to_string(sharding)) != sharding) return "text";
  Index flat = 0;
  for (const Index device : one.devices) {
    if (sharding.place_of(device) != flat++) return "place_of";
  }
  if (sharding.place_of(flat) || sharding.place_of(-1)) return "a place of no device";
  return "";
}

TEST(ShardingMapTest, DevicesAreThoseOfTheDefinition) {
  const std::uint64_t seed = 20250120;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Case one = random_case(random);
    EXPECT_EQ(check_sharding(one), "")
        << "seed " << seed << ", case " << i << ": " << to_string(one.sharding);
  }
}

// Regression: a place was found by listing all devices, which never ends for this many.
TEST(ShardingMapTest, ManyDevicesAreNotListed) {
  const Sharding sharding =
      parse_sharding("{devices=[4,1000000000000]<=[1000000000000,4]T(1,0) last_tile_dim_replicate}").value();
  EXPECT_EQ(sharding.place_of(6), 2'000'000'000'001);
}

TEST(ShardingMapTest, ADeviceOccursOnce) {
  const auto twice = Sharding::tiled({2}, Indices{0, 0}, {});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "device 0 occurs twice");
  EXPECT_EQ(Sharding::tiled({1}, Indices{0}, {}).error().code, Code::device_count);
}

}  // namespace
}  // namespace tessera
