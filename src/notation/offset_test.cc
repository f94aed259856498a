// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <span>
#include <string_view>
#include <vector>

#include "base/index_walk.h"
#include "tessera/algebra/static_layout.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

// Compares the offset of the value that a layout was made from with that of the layout, at every index.
template <class T>
void check_offsets(std::string_view text) {
  const Layout layout = *parse_layout(text);
  const T* value = layout.as<T>();
  ASSERT_NE(value, nullptr) << text;
  std::vector<Index> index(layout.rank(), 0);
  for (Index i = 0; i < layout.size(); ++i, detail::next_index(index, layout.shape())) {
    const std::span<const Index> at = index;
    if constexpr (requires { value->offset(at).value(); }) {
      ASSERT_EQ(value->offset(at).value(), layout.offset(at)) << text << " at " << i;
    } else {
      ASSERT_EQ(value->offset(at), layout.offset(at)) << text << " at " << i;
    }
  }
}

TEST(Offset, EveryTypeAgreesWithItsLayout) {
  check_offsets<StridedLayout>("8:3");
  check_offsets<StridedLayout>("(4,8):(8,1)");
  check_offsets<StridedLayout>("((2,2),(2,3)):((2,12),(1,4)) crop (3,5)");
  check_offsets<StridedLayout>("(3,(2,(2,2)),4):(-1,(7,(40,0)),100)");
  check_offsets<ComposedLayout>("Sw<3,0,3> o _0 o (8,8):(8,1)");
  check_offsets<ComposedLayout>("Sw<2,1,3> o _16 o (4,(2,4)):(8,(4,1))");
  check_offsets<TiledMap>("f32[3,5]{1,0:T(2,2)}");
  check_offsets<ShapedPackedLayout>("6x8:[1, 0, 1 p(4)]");
  check_offsets<ShapedPackedLayout>("4x8:[1, 0, 1 oe(4)]");
  check_offsets<Strides>("np:(6,8):(1,6) + 7");
  check_offsets<Strides>("np:(2,3,4):(-12,4,0) + 12");
  check_offsets<LinearLayout>("d0:1,16 d1:2,4,8");
  check_offsets<BlockedLayout>("2x20x3:aBc16b");
  check_offsets<BlockedLayout>("5x9:BA4b2a2b");
}

TEST(Offset, TakesAListOfNumbers) {
  static_assert("(4,8):(8,1)"_layout.offset({2, 3}) == 19);
  static_assert("8:2"_layout.offset({3}) == 6);
  EXPECT_EQ(parse_layout("(4,8):(8,1)")->offset({2, 3}), 19);
  EXPECT_EQ(parse_layout("(4,8):(8,1)")->shape_stride()->offset({2, 3}), 19);
  EXPECT_EQ(parse_layout("(4,8):(8,1)")->known_digits()->offset({2, 3}), 19);
  EXPECT_EQ(parse_layout("Sw<3,0,3> o _0 o (8,8):(8,1)")->composed()->offset({1, 1}), 8);
  EXPECT_EQ(parse_layout("f32[3,5]{1,0:T(2,2)}")->tiled_map()->offset({2, 3}), 17);
  EXPECT_EQ(parse_layout("6x8:[1, 0, 1 p(4)]")->packed()->offset({1, 5}), 29);
  EXPECT_EQ(parse_layout("np:(6,8):(1,6) + 7")->strides()->offset({2, 3}), 27);
  EXPECT_EQ(parse_layout("d0:1,16 d1:2,4,8")->linear()->offset({3, 1}), 19);
  EXPECT_EQ(parse_layout("4x4:aB2b")->as<BlockedLayout>()->offset({1, 3}), 7);
}

TEST(Offset, OfAnIndexOutsideIsAnErrorWhereItIsChecked) {
  EXPECT_EQ(parse_layout("f32[3,5]{1,0:T(2,2)}")->tiled_map()->offset({3, 0}).error().code,
            Code::index_out_of_range);
  EXPECT_EQ(parse_layout("6x8:[1, 0, 1 p(4)]")->packed()->offset({0, 8}).error().code,
            Code::index_out_of_range);
}

}  // namespace
}  // namespace tessera
