// SPDX-License-Identifier: Apache-2.0
// A distribution and its placement hold the same: the holders of every element are its places.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

#include "base/index_walk.h"
#include "laws/random_distributions.h"
#include "laws/random_seed.h"
#include "reshard/place_mesh.h"
#include "tessera/reshard/placement_views.h"

namespace tessera::laws::placements {
namespace {

using Held = std::set<std::pair<Index, Index>>;  // place and offset

TEST(Placements, OfDistributionsHoldWhatTheirHoldersDo) {
  std::mt19937_64 random(seed(20261129));
  const std::uint64_t count = cases(400);
  int by_digits = 0;
  int by_maps = 0;
  int by_axe = 0;
  int by_text = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    std::vector<Index> shape(random() % 3 + 1);
    for (Index& extent : shape) extent = static_cast<Index>(random() % 12 + 1);
    const std::string text = random_distribution(random, shape, 12);
    SCOPED_TRACE(fmt::format("{} of [{}]", text, fmt::join(shape, ",")));
    const auto read = parse_distribution(text);
    ASSERT_TRUE(read);
    const auto bound = bind_distribution(*read, shape, 12);
    ASSERT_TRUE(bound);
    const auto placed = placement(*bound);
    if (!placed) {
      // Only tiled local arrays that are padded to the largest have no map here.
      ASSERT_EQ(placed.error().reason, "padding") << placed.error().message;
      continue;
    }
    (placed->digits() != nullptr ? by_digits : by_maps) += 1;
    std::vector<Index> index(shape.size(), 0);
    do {
      Held expect;
      const auto all = holders(*bound, index);
      ASSERT_TRUE(all);
      for (const ShardHolder& holder : *all) expect.insert({holder.place, holder.offset});
      const auto found = places(*placed, index);
      ASSERT_TRUE(found);
      Held got;
      for (const Place& place : *found)
        got.insert({place_of(*bound, std::span(place).first(place.size() - 1)), place.back()});
      ASSERT_EQ(got, expect) << fmt::format("at {}", fmt::join(index, ","));
    } while (detail::next_index(index, shape));
    // Where Axe can say it, the layout is the same placement, with identifiers as names of axes.
    const auto axe = axe_of(*bound);
    if (!axe) continue;
    std::vector<MeshAxis> names;
    for (const PlacementAxis& axis : placed->axes()) names.push_back({axis.name, 1});
    names.pop_back();
    detail::name_axes(names);
    std::vector<PlacementAxis> axes;
    for (const MeshAxis& axis : names) axes.push_back({axis.name, AxisRole::place});
    axes.push_back(placed->axes().back());
    const auto renamed = Placement::make(shape, std::move(axes), placed->maps());
    ASSERT_TRUE(renamed);
    const auto of_axe = placement(*axe);
    ASSERT_TRUE(of_axe) << to_string(*axe);
    const PlacementEquality same = equal(*of_axe, *renamed);
    ASSERT_EQ(same.verdict, Verdict::yes) << to_string(*axe) << " " << same.reason;
    ++by_axe;
    const auto back = distribution_of(*axe);
    if (!back) continue;
    const auto again = bind_distribution(*back, shape);
    ASSERT_TRUE(again) << to_string(*back);
    // As a text it has the same devices, too, however the mesh numbers them.
    const auto text_form = convert(*bound, DistributionNotation::axe);
    if (!text_form) {
      ASSERT_EQ(text_form.error().reason, "places") << text_form.error().message;
      continue;
    }
    const auto reread = parse_distribution(to_string(*text_form));
    ASSERT_TRUE(reread) << to_string(*text_form);
    const auto rebound = bind_distribution(*reread, shape, 12);
    ASSERT_TRUE(rebound) << to_string(*text_form);
    const auto equality = equal(*bound, *rebound, DistributionNotion::map);
    ASSERT_TRUE(equality && equality->verdict == Verdict::yes) << to_string(*text_form);
    ++by_text;
  }
  EXPECT_GT(by_digits, 10);
  EXPECT_GT(by_maps, 10);
  EXPECT_GT(by_text, 10);
  EXPECT_GT(by_axe, 10);
}

}  // namespace
}  // namespace tessera::laws::placements
