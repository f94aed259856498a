// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/detail/vector_width.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "laws/cute_layouts.h"
#include "tessera/algebra/composed_layout.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::L;
using laws::shown;
using laws::X;

TEST(MaxCommonLayout, OfSwizzlesEndsWithTheBlockThatTheyKeep) {
  const auto vector = [](const char* a, const char* b) { return shown(max_common_layout(X(a), X(b))); };
  const char* row_major = "(8,64):(64,1)";
  EXPECT_EQ(vector("Sw<3,3,3> o _0 o (8,64):(64,1)", row_major), "8:8");
  EXPECT_EQ(vector(row_major, "Sw<3,3,3> o _0 o (8,64):(64,1)"), "8:8");
  // Equal swizzles cancel, and a swizzle without effect is ignored.
  EXPECT_EQ(vector("Sw<3,3,3> o _0 o (8,64):(64,1)", "Sw<3,3,3> o _0 o (8,64):(64,1)"), "(64,8):(8,1)");
  EXPECT_EQ(vector("Sw<3,3,9> o _0 o (8,64):(64,1)", row_major), "(64,8):(8,1)");
  // An offset, or rows, that split the swizzle's block limit the vector.
  EXPECT_EQ(vector("Sw<3,3,3> o _4 o (8,64):(64,1)", row_major), "4:8");
  EXPECT_EQ(vector("Sw<3,3,3> o _0 o (8,64):(66,1)", "(8,64):(66,1)"), "2:8");
  EXPECT_EQ(vector("4:2 o _0 o (8,64):(64,1)", row_major), "unsupported_codomain");
}

TEST(MaxCommonLayout, IsTheLargestContiguousVector) {
  EXPECT_EQ(shown(max_common_layout(L("8:1"), L("(4,2):(1,4)"))), "8:1");
  EXPECT_EQ(shown(max_common_layout(L("(4,2):(2,1)"), L("8:1"))), "1:0");
  EXPECT_EQ(shown(max_common_layout(L("(4,2):(1,4)"), L("(4,2):(1,8)"))), "4:1");
}

// Regression: if the vector ends inside a mode of millions of elements, where the composition of the two
// layouts is not a layout, the result was `undecided`, because the end was searched element by element.
TEST(MaxCommonLayout, NeedsNoEnumerationOfLongModes) {
  EXPECT_EQ(shown(max_common_layout(L("(3145728,5):(1,7340032)"), L("4194304:1"))), "3145728:1");
  EXPECT_EQ(shown(max_common_layout(L("(4,3145728,5):(4194304,1,29360128)"), L("(4,4194304):(4194304,1)"))),
            "3145728:4");
  // Regression: strides that do not divide each other, with more than 2^20 values, were `undecided`, too.
  EXPECT_EQ(
      shown(max_common_layout(L("(1048583,4,3):(3,9437247,1)"), L("(3,1048583,8):(1048583,1,3145749)"))),
      "1:0");
}

// Regression: the vector went beyond the last coordinate of the shorter layout: max_common_vector(4:1, 6:1)
// was 6.
TEST(MaxCommonLayout, EndsWhereTheShorterLayoutDoes) {
  const auto vector = [](const char* a, const char* b) {
    const std::string one = shown(max_common_layout(X(a), X(b)));
    EXPECT_EQ(shown(max_common_layout(X(b), X(a))), one) << a << " and " << b;
    return one;
  };
  EXPECT_EQ(vector("4:1", "6:1"), "4:1");
  EXPECT_EQ(vector("(2,1):(1,1)", "(2,3,2):(3,1,6)"), "1:0");
  EXPECT_EQ(vector("(2,3):(3,1)", "(2,4):(4,1)"), "3:2");
  EXPECT_EQ(vector("Sw<2,0,3> o _0 o 8:1", "64:1"), "8:1");
  EXPECT_EQ(vector("Sw<2,0,3> o _0 o (4,2):(1,4)", "(2,1,3,3):(1,6,2,6)"), "8:1");
}

// One layout has stride 0 where the other has a mode: the next element is at the sum of both coordinates.
TEST(MaxCommonLayout, CombinesTheModesThatTheOtherLayoutRepeats) {
  EXPECT_EQ(shown(max_common_layout(L("(2,2):(1,0)"), L("(2,2):(0,1)"))), "2:3");
  EXPECT_EQ(shown(max_common_layout(L("(4,2):(0,1)"), L("(4,2):(1,4)"))), "1:0");
}

/// The longest vector by trying every coordinate with the right offset as the start of the next mode.
class LongestVector {
 public:
  LongestVector(const StridedLayout& a, const StridedLayout& b) : end_(std::min(a.size(), b.size())) {
    for (Index c = 0; c < end_; ++c) {
      const Index offset = laws::defined_offset(a, c);
      if (offset == laws::defined_offset(b, c)) offset_[c] = offset;
    }
    extend({0});
  }
  Index length() const { return length_; }

 private:
  void extend(const std::vector<Index>& vector) {
    const auto length = static_cast<Index>(vector.size());
    length_ = std::max(length_, length);
    for (const auto& [start, offset] : offset_) {
      if (offset != length) continue;
      std::vector<Index> longer = vector;
      for (Index k = 1; append(longer, vector, k * start, k * length); ++k) extend(longer);
    }
  }
  bool append(std::vector<Index>& longer, const std::vector<Index>& vector, Index shift, Index offset) const {
    for (Index j = 0; j < static_cast<Index>(vector.size()); ++j) {
      const auto at = offset_.find(vector[static_cast<std::size_t>(j)] + shift);
      if (at == offset_.end() || at->second != offset + j) return false;
      longer.push_back(at->first);
    }
    return true;
  }

  Index end_;
  Index length_ = 1;
  std::map<Index, Index> offset_;  ///< the offset of each coordinate with the same offset in both layouts
};

/// Whether each positive stride exceeds the reach of the smaller ones, and no stride is negative.
bool has_no_overlap(const StridedLayout& l) {
  std::vector<std::pair<Index, Index>> modes;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.extent[i] > 1) modes.emplace_back(l.stride[i], l.extent[i]);
  }
  std::sort(modes.begin(), modes.end());
  Index reach = 0;
  for (const auto& [stride, extent] : modes) {
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
  }
  return true;
}

TEST(MaxCommonLayout, IsTheLongestOfAllVectorsOfRandomLayouts) {
  laws::Random random(20);
  int exact = 0;
  for (int k = 0; k < 4000; ++k) {
    const StridedLayout a = random.layout(40);
    StridedLayout b = random.layout(40);
    if (random.one_in(2)) {  // layouts of the same shape have more in common
      b = a;
      for (int i = 0; i < b.leaves(); ++i)
        b.stride[i] = random.pick<Index>({0, 1, 2, a.stride[i], a.stride[0]});
    }
    const Outcome<StridedLayout> r = max_common_layout(a, b);
    ASSERT_TRUE(r) << to_string(a) << " and " << to_string(b);
    EXPECT_EQ(shown(r), shown(max_common_layout(b, a))) << to_string(a) << " and " << to_string(b);
    for (Index i = 0; i < r->size(); ++i) {
      const Index c = laws::defined_offset(*r, i);
      EXPECT_LT(c, std::min(a.size(), b.size()));
      EXPECT_EQ(laws::defined_offset(a, c), i) << to_string(a) << " and " << to_string(b);
      EXPECT_EQ(laws::defined_offset(b, c), i) << to_string(a) << " and " << to_string(b);
    }
    const Index longest = LongestVector(a, b).length();
    EXPECT_LE(r->size(), longest);
    if (!has_no_overlap(a) || !has_no_overlap(b)) continue;
    ++exact;
    EXPECT_EQ(r->size(), longest) << to_string(a) << " and " << to_string(b);
  }
  EXPECT_GT(exact, 500);
}

// With swizzles, the offsets are contiguous at every multiple of the length, and the arguments commute.
TEST(MaxCommonLayout, OfRandomSwizzlesStaysInBothLayouts) {
  laws::Random random(21);
  for (int k = 0; k < 4000; ++k) {
    const auto chain = [&] {
      const StridedLayout l = random.layout(64, false);
      if (random.one_in(4)) return ComposedLayout(l);
      const Swizzle s = *make_swizzle(static_cast<int>(random.in(0, 2)), static_cast<int>(random.in(0, 2)),
                                      static_cast<int>(random.in(2, 3)));
      return composition(s, l);
    };
    const ComposedLayout a = chain();
    const ComposedLayout b = chain();
    const Outcome<StridedLayout> r = max_common_layout(a, b);
    ASSERT_TRUE(r) << to_string(a) << " and " << to_string(b);
    EXPECT_EQ(shown(r), shown(max_common_layout(b, a))) << to_string(a) << " and " << to_string(b);
    const bool cancel = a.parts == 2 && b.parts == 2 && a.part[0] == b.part[0];
    for (const ComposedLayout& whole : {a, b}) {
      const ComposedLayout c = cancel ? ComposedLayout(whole.domain()) : whole;
      for (Index i = 0; i < r->size(); ++i) {
        const Index at = laws::defined_offset(*r, i);
        EXPECT_LT(at, whole.size());
        EXPECT_EQ(*offset(c, at), i) << to_string(a) << " and " << to_string(b);
      }
    }
  }
}

}  // namespace
}  // namespace tessera
