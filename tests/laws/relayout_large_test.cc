// SPDX-License-Identifier: Apache-2.0
// Plans of arrays too large to move must print, parse back, and be proved. The last test moves a smaller
// array.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <numeric>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"
#include "tessera/relayout/relayout.h"

namespace tessera::testing_relayout {
namespace {

// A box of 2^23 to 2^50 elements. With padding and wide elements, up to 2^62 bytes.
std::vector<Index> draw_large_box(Choices& choices) {
  constexpr std::array<Index, 14> kExtents = {2,  3,  5,   6,    7,    12,     16,
                                              30, 64, 100, 1000, 4096, 100000, 2000000};
  constexpr Index kLeast = Index{1} << 23;
  constexpr Index kMost = Index{1} << 50;
  std::vector<Index> box;
  Index size = 1;
  while (size < kLeast || choices.one_in(2)) {
    const Index extent = kExtents[static_cast<std::size_t>(choices.pick(0, std::ssize(kExtents) - 1))];
    if (size > kMost / extent) break;
    size *= extent;
    box.push_back(extent);
  }
  return box;
}

std::string draw_order(Choices& choices, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = rank; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(choices.pick(0, static_cast<Index>(i) - 1))]);
  return fmt::format("{}", fmt::join(order, ","));
}

// A layout with digits. Without digits, the proof would enumerate values.
Layout draw_large(Choices& choices, const std::vector<Index>& box) {
  constexpr std::array<const char*, 6> kTiles = {"", "", ":T(8,128)", ":T(8,128)(2,1)", ":T(3,5)", ":T(16)"};
  const std::string order = draw_order(choices, box.size());
  const Index tiles = choices.pick(0, std::ssize(kTiles) - 1);
  return parse_layout(fmt::format("u8[{}]{{{}{}}}", fmt::join(box, ","), order,
                                  box.size() < 2 ? "" : kTiles[static_cast<std::size_t>(tiles)]))
      .value();
}

// Regression: plans with steps above 2^28 bytes or numbers above 2^48 could be printed but not parsed.
TEST(Relayout, LargePlansAreReadBackAndProved) {
  const char* given = std::getenv("TESSERA_SEED");
  const auto seed = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
  Index plans = 0;
  Index proved = 0;
  Index wide = 0;  // plans with numbers beyond 2^48
  for (Index n = 0; n < 3000; ++n) {
    RandomChoices choices(seed * 5000011 + static_cast<std::uint64_t>(n));
    const auto box = draw_large_box(choices);
    const Layout src = draw_large(choices, box);
    const Layout dst = draw_large(choices, box);
    PlanOptions options;
    options.padding = static_cast<Padding>(choices.pick(0, 3));
    options.threads = static_cast<int>(choices.pick(1, 64));
    const Index e = Index{1} << choices.pick(0, 4);
    const auto plan = make_plan(src, dst, e, options);
    const auto where = [&] {
      return fmt::format("seed {}, case {}: {} to {}, {} bytes", seed, n, to_prefixed_string(src),
                         to_prefixed_string(dst), e);
    };
    if (!plan) {
      EXPECT_EQ(plan.error().code, Code::overflow) << where() << to_string(plan.error());
      continue;
    }
    ++plans;
    const std::string text = plan->describe();
    wide += plan->dst_range().end > Index{1} << 48 ? 1 : 0;
    const auto again = parse_plan(text);
    ASSERT_TRUE(again.has_value()) << where() << "\n" << to_string(again.error()) << "\n" << text;
    EXPECT_EQ(again->describe(), text) << where();
    // Writes to padding would be checked element by element.
    if (options.padding == Padding::zero || options.padding == Padding::value) continue;
    const auto proof = verify(*again, src, dst);
    EXPECT_TRUE(proof || proof.error().code == Code::undecided) << where() << "\n"
                                                                << to_string(proof.error());
    proved += proof ? 1 : 0;
  }
  EXPECT_GT(plans, 2000);
  EXPECT_GT(proved, plans / 3);
  EXPECT_GT(wide, plans / 10);
}

TEST(Relayout, ALargeBoxIsRightAtItsCornersAndAtRandomIndices) {
  const Layout src = parse_layout("u16[300,70,500]{0,2,1}").value();
  const Layout dst = parse_layout("u16[300,70,500]{2,0,1:T(8,128)(2,1)}").value();
  const auto plan = make_plan(src, dst, 2);
  ASSERT_TRUE(plan.has_value());
  std::vector<std::uint16_t> from(static_cast<std::size_t>(*src.buffer_size()));
  std::vector<std::uint16_t> to(static_cast<std::size_t>(*dst.buffer_size()));
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<std::uint16_t>((i * 0x9e3779b97f4a7c15ULL) >> 48);
  run(*plan, from.data(), to.data());
  const auto right = [&](const std::vector<Index>& x) {
    return to[static_cast<std::size_t>(dst.offset(x))] == from[static_cast<std::size_t>(src.offset(x))];
  };
  for (const Index i : {0, 299}) {
    for (const Index j : {0, 69}) {
      for (const Index k : {0, 499}) EXPECT_TRUE(right({i, j, k})) << i << " " << j << " " << k;
    }
  }
  RandomChoices choices(1);
  for (int n = 0; n < 100000; ++n) {
    std::vector<Index> x;
    for (const Index extent : src.shape()) x.push_back(choices.pick(0, extent - 1));
    ASSERT_TRUE(right(x)) << fmt::format("{}", fmt::join(x, " "));
  }
}

// Copies `src` to `dst` at every width and with every instruction set, at unaligned addresses.
void expect_right_anywhere(const char* src, const char* dst) {
  const Layout from = parse_layout(src).value();
  const Layout to = parse_layout(dst).value();
  GuardedMemory source(static_cast<std::size_t>(*from.buffer_size()) * 16 + 64);
  GuardedMemory target(static_cast<std::size_t>(*to.buffer_size()) * 16 + 64);
  for (const Isa isa : available_isas()) {
    for (const Index width : {1, 2, 3, 4, 8, 16}) {
      for (const std::size_t gap : {0U, 1U, 3U, 17U, 63U}) {
        Setting setting{
            .element_bytes = width, .src_gap = gap, .dst_gap = (gap * 7 + 5) % 64, .at_end = false};
        setting.options.isa = isa;
        setting.options.l2_bytes = gap % 2 == 1 ? 1 : 0;
        EXPECT_EQ(check_relayout(from, to, setting, source, target), "")
            << src << " to " << dst << ", " << width << " bytes, " << to_string(isa) << ", " << gap;
      }
    }
  }
}

TEST(Relayout, BasesNeedNoAlignment) {
  expect_right_anywhere("np:(67,70):(70,1)", "np:(67,70):(1,67)");
  expect_right_anywhere("np:(67,70):(70,1)", "u8[67,70]{1,0:T(8,128)(2,1)}");
}

TEST(Relayout, TheIdentityCopiesThroughStrides) {
  expect_right_anywhere("np:(19,23,4):(400,10,2)", "np:(19,23,4):(400,10,2)");
  expect_right_anywhere("np:(19,23,4):(-400,10,2) + 7200", "np:(19,23,4):(-400,10,2) + 7200");
}

}  // namespace
}  // namespace tessera::testing_relayout
