// SPDX-License-Identifier: Apache-2.0
#include "relayout/elementwise.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {
namespace {

using testing_relayout::for_each_index;
using testing_relayout::RandomChoices;

Layout layout(std::string_view text) { return parse_layout(text).value(); }

// Law: fill() gives the offsets of its indices, wherever a line begins and ends.
void check_lines(const Layout& layout, std::size_t dim, RandomChoices& choices) {
  const OffsetLines lines(layout, dim);
  const Index extent = layout.shape()[dim];
  const Index first = choices.pick(0, extent - 1);
  const Index count = choices.pick(1, extent - first);
  for_each_index(layout.shape(), [&](std::span<const Index> x) {
    if (x[dim] != first) return;
    std::vector<Index> index(x.begin(), x.end());
    std::vector<Index> found(static_cast<std::size_t>(count));
    lines.fill(index, first, found);
    std::vector<Index> expected;
    for (Index i = first; i < first + count; ++i) {
      index[dim] = i;
      expected.push_back(layout.offset(index));
    }
    EXPECT_EQ(found, expected) << to_prefixed_string(layout) << " along " << dim;
  });
}

TEST(OffsetLines, AreTheOffsetsOfRandomLayouts) {
  for (std::uint64_t n = 0; n < 3000; ++n) {
    RandomChoices choices(57'000'171 + n);
    const auto box = testing_relayout::draw_box(choices, 600);
    const Layout drawn = choices.one_in(3) ? testing_relayout::draw_swizzled(choices, box)
                                           : testing_relayout::draw_layout(choices, box, false, 24000);
    if (drawn.size() == 0 || drawn.rank() == 0) continue;
    const Index last = static_cast<Index>(drawn.rank()) - 1;
    check_lines(drawn, static_cast<std::size_t>(choices.pick(0, last)), choices);
  }
}

// Law: running all units, in any ranges, copies each element.
void check_copy(const Layout& src, const Layout& dst, Index pieces) {
  const ElementwiseCopy copy(src, dst);
  std::vector<std::uint16_t> from(static_cast<std::size_t>(*src.buffer_size()));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint16_t>(i + 1);
  std::vector<std::uint16_t> to(static_cast<std::size_t>(*dst.buffer_size()), 0);
  std::vector<std::uint16_t> expected = to;
  for_each_index(src.shape(), [&](std::span<const Index> x) {
    expected[static_cast<std::size_t>(dst.offset(x))] = from[static_cast<std::size_t>(src.offset(x))];
  });
  for (Index p = pieces; p-- > 0;) {
    copy.run(copy.units() * p / pieces, copy.units() * (p + 1) / pieces, 2,
             reinterpret_cast<const std::byte*>(from.data()), reinterpret_cast<std::byte*>(to.data()));
  }
  EXPECT_EQ(to, expected) << to_prefixed_string(src) << " to " << to_prefixed_string(dst);
}

// Shapes of several blocks with partial ones at the edges, in each order of the dimensions.
TEST(General, CopiesSquaresOfLines) {
  const char* const layouts[] = {"np:(70,3,600):(1800,600,1)",
                                 "np:(70,3,600):(1,42000,70)",
                                 "np:(70,3,600):(0,1,0)",
                                 "np:(70,3,600):(-1800,600,-1) + 124799",
                                 "Sw<3,3,4> o _5 o (70,3,600):(1,70,210)",
                                 "Sw<2,1,-4> o _0 o (70,3,600):(1801,600,1)",
                                 "u16[70,3,600]{0,2,1:T(3)(2,2)}",
                                 "u16[70,3,600]{2,1,0:T(8,128)(2,1)}"};
  for (const char* src : layouts) {
    for (const char* dst : layouts) {
      if (std::string_view(dst).find("(0,1,0)") != std::string_view::npos) continue;
      for (const Index pieces : {1, 7}) check_copy(layout(src), layout(dst), pieces);
    }
  }
  check_copy(layout("np:():() + 3"), layout("np:():() + 1"), 1);
  check_copy(layout("np:(4,0):(1,1)"), layout("np:(4,0):(0,1)"), 3);
  check_copy(layout("np:(1,1):(5,5)"), layout("np:(1,1):(0,0)"), 2);
}

// A single dimension was once one unit, so one thread copied all of it.
TEST(General, OneLongDimensionIsManyUnits) {
  const ElementwiseCopy copy(layout("np:(100000):(1)"), layout("Sw<3,3,4> o _0 o (100000):(1)"));
  EXPECT_GT(copy.units(), 300);
}

}  // namespace
}  // namespace tessera::moving
