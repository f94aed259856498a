// SPDX-License-Identifier: Apache-2.0
// Generated code must give the same offsets, indices and results as the library.
#include "tessera/code/code.h"

#include <gtest/gtest.h>

#include <random>

#include "code/terms.h"
#include "laws/c_evaluator.h"
#include "laws/layout_laws.h"
#include "map/random_map_test.h"
#include "tessera/notation/layout.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

using CodeValues = std::optional<std::vector<Index>>;

constexpr int kCodePoints = 48;

// All points of a box, or random points if the box has many.
std::vector<std::vector<Index>> some_code_points(std::span<const Interval> box, std::mt19937_64& random) {
  double count = 1;
  for (const Interval range : box) count *= static_cast<double>(range.upper - range.lower) + 1;
  std::vector<std::vector<Index>> points;
  const auto total = static_cast<std::uint64_t>(std::min(count, 1e18));
  for (int i = 0; i < kCodePoints && static_cast<double>(i) < count; ++i) {
    std::uint64_t number = count <= kCodePoints ? static_cast<std::uint64_t>(i)
                           : i == 0             ? total - 1
                                                : random() % total;
    std::vector<Index> point;
    for (const Interval range : box) {
      const auto extent = static_cast<std::uint64_t>(range.upper - range.lower) + 1;
      point.push_back(range.lower + static_cast<Index>(number % extent));
      number /= extent;
    }
    points.push_back(std::move(point));
  }
  return points;
}

// The printed function must agree at the points. `what` names its origin in failure messages.
template <class Expected>
void expect_code(const Result<SourceCode>& code, std::span<const Interval> box, std::mt19937_64& random,
                 const std::string& what, Expected&& expected) {
  ASSERT_TRUE(code) << what << "\n" << to_string(code.error());
  const laws::CFunction function(code->text);
  for (const std::vector<Index>& point : some_code_points(box, random)) {
    const auto got = function(point);
    ASSERT_EQ(got.error, "") << what << " at " << testing::PrintToString(point) << "\n" << code->text;
    ASSERT_EQ(got.values, expected(point)) << what << " at " << testing::PrintToString(point) << "\n"
                                           << code->text;
  }
}

CodeOptions c_options(bool multiply_high) {
  return {.language = CodeLanguage::c, .multiply_high = multiply_high};
}

void check_layout_code(const Layout& layout, std::mt19937_64& random, bool multiply_high) {
  std::vector<Interval> box;
  for (const Index extent : layout.shape()) box.push_back(Interval::of_extent(extent));
  const std::string text = to_string(layout);
  expect_code(
      offset_code(layout, c_options(multiply_high)), box, random, text,
      [&](const std::vector<Index>& index) { return CodeValues(std::vector<Index>{layout.offset(index)}); });
  const auto shared = collision(layout);
  const auto code = inverse_code(layout, c_options(multiply_high));
  if (shared && shared->has_value()) {
    ASSERT_FALSE(code) << text << " is not injective\n" << code->text;
    return;
  }
  if (!code && (!shared || code.error().code == Code::undecided)) return;
  const Interval range = *offset_range(layout);
  // Also test offsets beyond both ends.
  const Interval wide[] = {{range.lower - 2, range.upper + 2}};
  expect_code(code, wide, random, "inverse of " + text, [&](const std::vector<Index>& offset) -> CodeValues {
    if (!range.contains(offset[0])) return std::nullopt;
    const auto found = indices_at(layout, offset[0], {.indices = 1});
    if (!found || found->indices.empty()) return std::nullopt;
    return found->indices[0];
  });
}

TEST(CodeLaw, PrintedFunctionsOfRandomLayoutsGiveTheirOffsetsAndIndices) {
  const auto seed = static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 10000; ++i) {
    const Layout layout = laws::random_layout(random);
    if (layout.size() == 0) continue;
    check_layout_code(layout, random, i % 2 == 0);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(CodeLaw, PrintedFunctionsOfRandomMapsGiveTheirResults) {
  const auto seed = static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::mt19937 maps(static_cast<std::uint32_t>(seed));
  for (int i = 0; i < 3000; ++i) {
    const IndexMap map = testing_maps::random_map(maps, 1 + maps() % 2, maps() % 2, 1 + maps() % 2);
    if (map.known_empty()) continue;
    const auto code = map_code(map, c_options(i % 2 == 0));
    if (!code && code.error().code == Code::undefined_value) continue;
    std::vector<Interval> box;
    for (const Variable& variable : map.variables()) box.push_back(variable.bounds);
    expect_code(code, box, random, to_string(map), [&](const std::vector<Index>& point) -> CodeValues {
      if (!map.domain().contains(point)) return std::nullopt;
      return map.evaluate(point);
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Large values: intermediate or final results need 64 bits.
TEST(CodeLaw, PrintedFunctionsOfLargeLayoutsDoNotOverflow) {
  std::mt19937_64 random(7);
  for (const char* text : {"(65536,65536):(65536,1)", "(46341,46341):(46341,1)", "(3000000000,3):(3,1)",
                           "np:(70000,70000):(70000,-1) + 69999", "s8[40000,70001]{1,0:T(8,128)(4,1)}",
                           "Sw<3,4,3> o _0 o (1048576,8192):(8192,1)", "(2147483647):(1)", "(2147483648):(1)",
                           "(1073741824,7):(7,1)"}) {
    const auto layout = parse_layout(text);
    ASSERT_TRUE(layout) << text;
    check_layout_code(*layout, random, true);
    check_layout_code(*layout, random, false);
  }
}

TEST(CodeLaw, DivisionFloorsForNegativeDividends) {
  std::mt19937_64 random(11);
  const auto map = parse_index_map(
      "(d0) -> (d0 / 7, d0 mod 7, d0 / 8, d0 mod 8, d0 ceildiv 6, (d0 * 3 - 50) / 10, d0 / -3), domain: d0 "
      "in [-100, 99]");
  ASSERT_TRUE(map) << to_string(map.error());
  const Interval box[] = {{-100, 99}};
  for (int i = 0; i < 20; ++i)
    expect_code(map_code(*map, c_options(i % 2 == 0)), box, random, "floors",
                [&](const std::vector<Index>& point) { return map->evaluate(point); });
}

// The factor and the shift of a reciprocal are exact up to the limit for which they are chosen.
TEST(CodeLaw, ReciprocalsAreExactUpToTheirLimit) {
  __extension__ using Wide = unsigned __int128;
  const auto exact = [](const coding::Reciprocal& by, Index x, Index n) {
    return static_cast<Index>(static_cast<Wide>(x) * by.factor >> by.shift) == x / n;
  };
  for (Index n = 2; n < 200; ++n) {
    for (const Index largest : {n - 1, n, 2 * n - 2, 2 * n - 1, Index{1000}, Index{4095}}) {
      const auto by = coding::reciprocal(n, largest, 64);
      ASSERT_TRUE(by);
      for (Index x = 0; x <= largest; ++x)
        ASSERT_TRUE(exact(*by, x, n)) << x << " / " << n << " up to " << largest;
    }
  }
  // Test large limits. Wrong values would first occur right before a multiple of n, near the limit.
  std::mt19937_64 random(3);
  int found = 0;
  for (int i = 0; i < 100000; ++i) {
    const Index n = 2 + static_cast<Index>(random() >> (34 + random() % 28));
    const Index largest = static_cast<Index>(random() >> (2 + random() % 40));
    const auto by = coding::reciprocal(n, largest, 128);
    if (!by) continue;
    ++found;
    for (Index k = 0; k < 4; ++k) {
      const Index multiple = (largest / n - k) * n;
      for (const Index x : {multiple - 1, multiple, multiple + n - 1, largest - k}) {
        if (x >= 0 && x <= largest) {
          ASSERT_TRUE(exact(*by, x, n)) << x << " / " << n << " up to " << largest;
        }
      }
    }
  }
  EXPECT_GT(found, 10000);
}

}  // namespace
}  // namespace tessera
