// SPDX-License-Identifier: Apache-2.0
#include "transfer/index_box.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "base/index_walk.h"
#include "notation/to_digits.h"
#include "tessera/notation/layout.h"
#include "transfer/bands.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

Digits digits(std::string_view text) {
  const Result<Layout> layout = parse_layout(text);
  EXPECT_TRUE(layout) << text << ": " << (layout ? "" : to_string(layout.error()));
  Result<Digits> result = to_digits(*layout);
  EXPECT_TRUE(result) << text;
  return *result;
}

void for_each_index(const IndexBox& box, const std::function<void(const std::vector<Index>&)>& visit) {
  if (box.empty()) return;
  std::vector<Index> index = box.lo;
  do {
    visit(index);
  } while (detail::next_index(index, box.lo, box.hi));
}

// A random box of indices in the shape.
IndexBox random_box(std::span<const Index> shape, std::mt19937& random) {
  IndexBox box = IndexBox::whole(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto a = static_cast<Index>(random() % static_cast<unsigned>(shape[i]));
    const auto b = static_cast<Index>(random() % static_cast<unsigned>(shape[i]));
    box.lo[i] = std::min(a, b);
    box.hi[i] = std::max(a, b) + 1;
  }
  return box;
}

const std::vector<std::pair<const char*, const char*>> kPairs = {
    {"f32[7,9]{1,0}", "f32[7,9]{0,1}"},
    {"f32[20,30]{1,0:T(8,4)}", "f32[20,30]{1,0}"},
    {"f32[20,30]{0,1:T(3,4)}", "f32[20,30]{1,0:T(2,6)(2,1)}"},
    {"bf16[17,33]{1,0:T(8,16)(2,1)}", "bf16[17,33]{0,1:T(5)}"},
    {"np:(5,6,7):(-42,7,-1) + 174", "(5,6,7):(1,5,30)"},
    {"mor:6x16:[1, 0, 1 p(4)]", "mor:6x16:[0, 1, 0 p(2)]"},
    {"mor:6x16:[0, 1 oe(16)]", "f32[6,16]{0,1}"},
    {"np:(4,5):(0,1)", "f32[4,5]{1,0:T(2,8)}"},
    {"f32[24]{0:T(6)}", "((2,3),4):((4,8),1) crop (24)"},
};

// Laws: the pieces partition the box, and on each piece restricted() gives the offsets of both layouts.
void check_pieces(const Digits& a, const Digits& b, const IndexBox& box) {
  std::set<std::vector<Index>> seen;
  for_each_aligned_piece(a, b, box, [&](const IndexBox& piece) {
    const Digits part_a = restricted(a, piece);
    const Digits part_b = restricted(b, piece);
    for_each_index(piece, [&](const std::vector<Index>& index) {
      ASSERT_TRUE(seen.insert(index).second);
      std::vector<Index> inside = index;
      for (std::size_t i = 0; i < index.size(); ++i) inside[i] -= piece.lo[i];
      ASSERT_EQ(part_a.offset(inside), a.offset(index));
      ASSERT_EQ(part_b.offset(inside), b.offset(index));
    });
  });
  ASSERT_EQ(std::ssize(seen), box.size());
}

TEST(IndexBox, PiecesAreDigitsAgain) {
  const unsigned seed = 11;
  std::mt19937 random(seed);
  for (const auto& [left, right] : kPairs) {
    if (std::string_view(left).find("24]") != std::string_view::npos)
      continue;  // other pairs have the same shapes in other forms
    const Digits a = digits(left);
    const Digits b = digits(right);
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(testing::Message() << left << " | " << right << " seed " << seed << " round " << round);
      check_pieces(a, b, random_box(a.box(), random));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(IndexBox, OffsetRangesAreExact) {
  const unsigned seed = 12;
  std::mt19937 random(seed);
  for (const auto& [left, right] : kPairs) {
    const Digits a = digits(left);
    for (int round = 0; round < 40; ++round) {
      const IndexBox box = random_box(a.box(), random);
      std::set<Index> offsets;
      for_each_index(box, [&](const std::vector<Index>& index) { offsets.insert(a.offset(index)); });
      EXPECT_EQ(offset_range(a, box), (Interval{*offsets.begin(), *offsets.rbegin()}))
          << left << " seed " << seed;
    }
  }
}

TEST(IndexBox, FittingBoxesAreAPartition) {
  const Digits a = digits("f32[20,30]{1,0:T(8,4)}");
  const Digits b = digits("f32[20,30]{0,1}");
  for (const Index most : {1, 2, 7, 100, 1000}) {
    std::set<std::vector<Index>> seen;
    for_each_fitting_box(
        &a, &b, IndexBox::whole(a.box()), [&](const IndexBox& box) { return box.size(); }, most,
        [&](const IndexBox& box) {
          EXPECT_LE(box.size(), most);
          for_each_index(box,
                         [&](const std::vector<Index>& index) { EXPECT_TRUE(seen.insert(index).second); });
        });
    EXPECT_EQ(seen.size(), 600u);
  }
}

TEST(IndexBox, TouchedBytesCountWindowsOfPages) {
  // A column of one byte in each of 64 rows, 16 MB apart.
  const Digits rows = digits("u8[64,16777216]{1,0}");
  EXPECT_EQ(touched_bytes(rows, {{0, 0}, {64, 1}}, 8), 64 * (2 + 2 * kPageWindow));
  // Whole rows are one contiguous range.
  EXPECT_EQ(touched_bytes(rows, {{0, 0}, {64, 16777216}}, 8), (Index{1} << 30) + 1 + 2 * kPageWindow);
}

// Laws: bands are consecutive and cover the buffer; each element lies in the band whose box contains its
// index, within the first `most` cells of that band.
void check_bands(const Digits& from, const Digits& to, Index cells, Index most) {
  const auto bands = cut_into_bands(from, to, cells, most);
  ASSERT_TRUE(bands);
  Index end = 0;
  std::set<std::vector<Index>> seen;
  for (const Band& band : *bands) {
    ASSERT_EQ(band.begin, end);
    end = band.end;
    if (!band.box) continue;
    for_each_index(*band.box, [&](const std::vector<Index>& index) {
      const Index offset = to.offset(index);
      ASSERT_TRUE(seen.insert(index).second);
      ASSERT_TRUE(band.begin <= offset && offset < band.end &&
                  offset - band.begin < std::max<Index>(most, 1));
    });
  }
  ASSERT_EQ(end, cells);
  ASSERT_EQ(std::ssize(seen), IndexBox::whole(to.box()).size());
}

TEST(Bands, CoverTheDestination) {
  for (const auto& [left, right] : kPairs) {
    for (const char* text : {left, right}) {
      if (std::string_view(text) == "np:(4,5):(0,1)" ||
          std::string_view(text).find("oe") != std::string_view::npos)
        continue;
      if (std::string_view(text).find("p(") != std::string_view::npos ||
          std::string_view(text).find("24") != std::string_view::npos)
        continue;
      const Layout layout = *parse_layout(text);
      const Digits to = *to_digits(layout);
      const Index cells = *layout.buffer_size();
      for (const Index most : {1, 2, 3, 5, 16, 33, 100, 1000}) {
        SCOPED_TRACE(testing::Message() << text << " most " << most);
        check_bands(to, to, cells, most);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Bands, PaddingInFrontAndBehindBelongsToABand) {
  const Layout layout = *parse_layout("f32[3]{0:L(1000)}");
  const Digits to = *to_digits(layout);
  check_bands(to, to, *layout.buffer_size(), 2);
  const Digits late = digits("np:(3):(2) + 500");
  check_bands(late, late, 700, 2);
  const auto bands = cut_into_bands(late, late, 700, 2);
  EXPECT_FALSE(bands->front().box);
}

// A negative stride once made each element a band.
TEST(Bands, AreAsLargeAsTheyMayInEitherDirection) {
  const std::pair<const char*, const char*> pairs[] = {
      {"np:(1,9000):(9000,1)", "np:(1,9000):(0,1)"},
      {"np:(1,9000):(9000,1)", "np:(1,9000):(0,-1) + 8999"},
      {"np:(90,100):(100,1)", "np:(90,100):(-1,-90) + 8999"},
      {"np:(90,100):(100,1)", "np:(90,100):(-100,1) + 8900"}};
  for (const auto& [left, right] : pairs) {
    SCOPED_TRACE(right);
    const Digits from = digits(left);
    const Digits to = digits(right);
    check_bands(from, to, 9000, 1000);
    const auto bands = cut_into_bands(from, to, 9000, 1000);
    ASSERT_TRUE(bands);
    EXPECT_LE(bands->size(), 12);
  }
}

TEST(Bands, LayoutsOutOfOrderHaveNone) {
  // In the second case, a low digit has the longest stride; in the third, strides interleave.
  EXPECT_FALSE(cut_into_bands(digits("f32[16]{0}"), digits("(16):(1)"), 16, 4) == std::nullopt);
  EXPECT_EQ(cut_into_bands(digits("mor:8x4:[0 oe(8), 1]"), digits("mor:8x4:[0 oe(8), 1]"), 32, 4),
            std::nullopt);
  EXPECT_EQ(cut_into_bands(digits("np:(2,3):(3,2)"), digits("np:(2,3):(3,2)"), 8, 2), std::nullopt);
  // One band of the whole buffer is always possible.
  EXPECT_TRUE(cut_into_bands(digits("np:(2,3):(3,2)"), digits("np:(2,3):(3,2)"), 8, 8));
}

}  // namespace
}  // namespace tessera::transfer
