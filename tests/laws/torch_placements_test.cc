// SPDX-License-Identifier: Apache-2.0
// Placements of a DeviceMesh: those of a distribution that has some are found, however its mesh is written.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tessera/reshard/distribution.h"

namespace tessera::laws {
namespace {

struct DeviceMesh {
  std::string text;
  Index ranks = 1;
};

// Ranks in a random order, and for each mesh dimension a placement.
DeviceMesh random_mesh(std::mt19937_64& random, const std::vector<Index>& shape) {
  DeviceMesh out;
  const std::size_t dims = 1 + random() % 3;
  std::vector<Index> sizes;
  for (std::size_t k = 0; k < dims; ++k) {
    sizes.push_back(static_cast<Index>(1 + random() % 3));
    out.ranks *= sizes.back();
  }
  std::vector<Index> ranks(static_cast<std::size_t>(out.ranks));
  std::iota(ranks.begin(), ranks.end(), Index{0});
  std::shuffle(ranks.begin(), ranks.end(), random);
  std::string nested;
  std::vector<Index> at(dims, 0);
  for (std::size_t n = 0; n < ranks.size(); ++n) {
    Index step = 1;
    for (std::size_t k = dims; k-- > 0; step *= sizes[k]) {
      if (static_cast<Index>(n) % (step * sizes[k]) == 0) nested += "[";
    }
    nested += std::to_string(ranks[n]);
    step = 1;
    for (std::size_t k = dims; k-- > 0;) {
      step *= sizes[k];
      if ((static_cast<Index>(n) + 1) % step != 0) break;
      nested += "]";
    }
    if (n + 1 < ranks.size()) nested += ", ";
  }
  std::vector<std::string> placements;
  for (std::size_t k = 0; k < dims; ++k) {
    const std::size_t dim = random() % shape.size();
    switch (random() % 4) {
      case 0:
        placements.emplace_back("Replicate()");
        break;
      case 1:
        placements.push_back(fmt::format("_StridedShard(dim={}, sf={})", dim, 2 + random() % 3));
        break;
      default:
        placements.push_back(fmt::format("Shard(dim={})", dim));
    }
  }
  out.text = fmt::format("DeviceMesh({}) [{}]", nested, fmt::join(placements, ", "));
  return out;
}

TEST(TorchPlacements, AreFoundWhereThereAreSome) {
  const auto parameter = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const std::uint64_t seed = parameter("TESSERA_SEED", 20402);
  const std::uint64_t cases = parameter("TESSERA_LAW_CASES", 600);
  std::mt19937_64 random(seed);
  for (std::uint64_t n = 0; n < cases; ++n) {
    std::vector<Index> shape;
    for (std::size_t d = 0; d < 1 + n % 2; ++d) shape.push_back(static_cast<Index>(1 + random() % 9));
    const DeviceMesh mesh = random_mesh(random, shape);
    SCOPED_TRACE(
        fmt::format("TESSERA_SEED={} case {}: {} of [{}]", seed, n, mesh.text, fmt::join(shape, ",")));
    const auto read = parse_distribution(mesh.text);
    ASSERT_TRUE(read) << to_string(read.error());
    const auto bound = bind_distribution(*read, shape, mesh.ranks);
    ASSERT_TRUE(bound) << to_string(bound.error());
    // The mesh notation forgets which placements there were.
    const auto plain = convert(*bound, DistributionNotation::mesh);
    ASSERT_TRUE(plain) << to_string(plain.error());
    const auto again = bind_distribution(*plain, shape, mesh.ranks);
    ASSERT_TRUE(again) << to_string(again.error());
    const auto torch = convert(*again, DistributionNotation::torch);
    ASSERT_TRUE(torch) << to_string(*plain) << ": " << to_string(torch.error()) << torch.error().witness;
    const auto found = bind_distribution(*torch, shape, mesh.ranks);
    ASSERT_TRUE(found) << to_string(*torch);
    const auto same = equal(*bound, *found, DistributionNotion::map);
    ASSERT_TRUE(same && same->verdict == Verdict::yes) << to_string(*torch);
  }
}

TEST(TorchPlacements, AreRefusedWithWhatNoneExpresses) {
  const auto refused = [](std::string_view text, std::vector<Index> shape) {
    const auto bound = bind_distribution(*parse_distribution(text), std::move(shape), {});
    const auto torch = convert(*bound, DistributionNotation::torch);
    return torch ? Diagnostic{} : torch.error();
  };
  const Diagnostic sizes = refused("mesh[p=3] [p(sizes 3,5,2)]", {10});
  EXPECT_EQ(sizes.code, Code::not_representable);
  EXPECT_EQ(sizes.reason, "placements");
  EXPECT_EQ(
      sizes.witness,
      "no sequence of Shard and _StridedShard over at most 3 ranks cuts the 10 indices of dimension 0 into "
      "these 3 parts");
}

}  // namespace
}  // namespace tessera::laws
