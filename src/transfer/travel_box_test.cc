// SPDX-License-Identifier: Apache-2.0
#include "transfer/travel_box.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace tessera::transfer {
namespace {

constexpr Index kTravelPlaces = 4;

ReshardPlan travel_plan(const char* from, const char* to, std::vector<Index> shape) {
  return *make_reshard_plan({{"w", 32, *bind_distribution(*parse_distribution(from), shape, kTravelPlaces),
                              *bind_distribution(*parse_distribution(to), shape, kTravelPlaces)}});
}

using Numbers = std::vector<std::uint32_t>;

const std::byte* bytes(const Numbers& numbers) { return reinterpret_cast<const std::byte*>(numbers.data()); }
std::byte* bytes(Numbers& numbers) { return reinterpret_cast<std::byte*>(numbers.data()); }

// Runs all messages and what is kept through dense buffers; `terms`: with sums of terms, else by the layouts.
std::vector<Numbers> carried_out(const ReshardPlan& plan, bool terms) {
  std::vector<Numbers> targets;
  for (Index place = 0; place < plan.places(); ++place) {
    PlaceMemory to(plan, 0, Side::to, place);
    if (terms) to.make_terms();
    EXPECT_EQ(terms && !to.strides(), !to.terms().empty());
    Numbers target(static_cast<std::size_t>(to.size()), 0);
    BoxMover mover;
    const auto source_of = [](const PlaceMemory& from, Index place_of) {
      Numbers source(static_cast<std::size_t>(from.size()));
      std::iota(source.begin(), source.end(), static_cast<std::uint32_t>(1'000'000 * (place_of + 1)));
      return source;
    };
    auto incoming = *messages(plan, place);
    std::erase_if(incoming, [&](const ReshardMessage& message) { return message.to != place; });
    for (const ReshardMessage& message : incoming) {
      PlaceMemory from(plan, 0, Side::from, message.from);
      if (terms) from.make_terms();
      const Numbers source = source_of(from, message.from);
      for (const MessageBox& box : message.boxes) {
        const TravelBox travel = travel_box(box, from, to);
        Numbers dense(static_cast<std::size_t>(travel.elements()));
        EXPECT_TRUE(mover.pack(travel, from, 4, bytes(source), bytes(dense)));
        EXPECT_TRUE(mover.unpack(travel, to, 4, bytes(dense), bytes(target)));
      }
    }
    const auto kept = *kept_boxes(plan, place);
    for (const ReshardMessage& message : kept) {
      PlaceMemory from(plan, 0, Side::from, place);
      if (terms) from.make_terms();
      const Numbers source = source_of(from, place);
      for (const MessageBox& box : message.boxes)
        EXPECT_TRUE(mover.move(travel_box(box, from, to), from, to, 4, bytes(source), bytes(target)));
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

TEST(TravelBox, SumsOfTermsMoveWhatTheLayoutsSay) {
  const std::vector<const char*> sides = {
      "{devices=[4,1]<=[4]} local {1,0:T(2,4)}",
      "{devices=[1,4]<=[4]} local {0,1:T(4,2)(2,1)}",
      "mesh[p=2,q=2] [p(cyclic 3), q(cyclic 2)] local {1,0:T(4,8)} padded",
      "DeviceMesh((2, 2)) [Shard(0), Replicate()]",
      "mesh[p=4] [p(strided 2), -] local column",
  };
  for (const char* from : sides) {
    for (const char* to : sides) {
      SCOPED_TRACE(std::string(from) + " to " + to);
      const ReshardPlan plan = travel_plan(from, to, {13, 22});
      const std::vector<Numbers> found = carried_out(plan, true);
      EXPECT_EQ(found, carried_out(plan, false));
      Index written = 0;
      Index expected = 0;
      for (Index place = 0; place < kTravelPlaces; ++place) {
        if (const auto shard = plan.arrays()[0].to.shard_of(place))
          expected += plan.arrays()[0].to.elements(*shard);
        for (const std::uint32_t number : found[static_cast<std::size_t>(place)])
          written += number != 0 ? 1 : 0;
      }
      EXPECT_EQ(written, expected);
    }
  }
}

// A tile that combines dimensions has no terms for single dimensions.
TEST(TravelBox, CombinedTilesAreEvaluated) {
  const ReshardPlan plan = travel_plan("{devices=[4,1]<=[4]} local {1,0:T(*,8)}", "{replicated}", {8, 6});
  PlaceMemory memory(plan, 0, Side::from, 0);
  memory.make_terms();
  EXPECT_TRUE(memory.terms().empty());
}

}  // namespace
}  // namespace tessera::transfer
