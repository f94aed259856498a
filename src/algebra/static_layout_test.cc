// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/static_layout.h"

#include <gtest/gtest.h>

#include "laws/cute_layouts.h"

namespace tessera {
namespace {

// The laws hold at compile time; these lines are the tests.
static_assert(composition("(6,2):(8,2)"_layout, "(4,3):(3,1)"_layout) == "((2,2),3):((24,2),8)"_layout);
static_assert("(6,2):(8,2)"_layout("(4,3):(3,1)"_layout) == "((2,2),3):((24,2),8)"_layout);
static_assert(composition("(12,(4,8)):(59,(13,1))"_layout, "<3:4,8:2>"_tiler) ==
              "(3,(2,4)):(236,(26,1))"_layout);
static_assert(zipped_divide("(8,8):(1,8)"_layout, "<2,4>"_tiler) == "((2,4),(4,2)):((1,8),(2,32))"_layout);
static_assert(logical_divide("24:1"_layout, 4_c) == "(4,6):(1,4)"_layout);
static_assert(logical_divide("24:1"_layout, "4:2"_layout) == "(4,(2,3)):(2,(1,8))"_layout);
static_assert(blocked_product("(2,5):(5,1)"_layout, "(3,4):(1,3)"_layout) ==
              "((2,3),(5,4)):((5,10),(1,30))"_layout);
static_assert(complement("4:2"_layout, 24_c) == "(2,3):(1,8)"_layout);
static_assert(right_inverse("(4,8):(8,1)"_layout) == "(8,4):(4,1)"_layout);
static_assert(upcast("(32,32):(32,1)"_layout, 16_c) == "(32,2):(2,1)"_layout);
static_assert(coalesce("(2,(1,6)):(1,(6,2))"_layout) == "12:1"_layout);
static_assert(mode("(4,(3,6)):(1,(4,12))"_layout, 1_c) == "(3,6):(4,12)"_layout);

// Literals may also be C++ types, C++ expressions, or texts that CuTe prints.
static_assert("Layout<Shape<_4,_8>,Stride<_1,_4>>"_layout == "(4,8):(1,4)"_layout);
static_assert("make_layout(make_shape(_4{},8), LayoutRight{})"_layout == "(4,8):(8,1)"_layout);
static_assert("smem_ptr[16b](unset) o (4,8):(8,1)"_layout == "(4,8):(8,1)"_layout);
static_assert(decltype("Tile<_2,_4>"_tiler)::value == decltype("<2,4>"_tiler)::value);

static_assert(bijective<decltype("(4,8):(8,1)"_layout)>);
static_assert(!bijective<decltype("(4,8):(9,1)"_layout)>);
static_assert(injective<decltype("(4,8):(9,1)"_layout)>);
static_assert(!injective<decltype("(2,2):(1,1)"_layout)>);
static_assert(compatible_with<decltype("(4,(2,3)):(6,(3,1))"_layout), decltype("(4,6):(6,1)"_layout)>);
static_assert(!compatible_with<decltype("(4,6):(6,1)"_layout), decltype("(6,4):(1,6)"_layout)>);
static_assert(layout_like<StridedLayout> && layout_like<decltype("8:1"_layout)> && !layout_like<int>);
static_assert(static_integer<std::integral_constant<int, 3>> && !static_integer<int>);
static_assert(tiler<decltype("<4,8>"_tiler)> && tiler<decltype(4_c)> && tiler<decltype("8:1"_layout)>);

static_assert(layout<"(8,8):(8,1)">(9) == 9 && layout<"(8,8):(8,1)">(1, 1) == 9);
static_assert("(3,(2,3)):(3,(12,1))"_layout(1, crd(1, 2)) == 17 && "(3,(2,3)):(3,(12,1))"_layout(1, 5) == 17);
static_assert("(3,(2,3)):(3,(12,1))"_layout(crd(1, crd(1, 2))) == 17 &&
              "((4,2)):((1,4))"_layout(crd(crd(3, 1))) == 7);
static_assert(!std::invocable<decltype("(8,8):(8,1)"_layout), int, int, int>);
static_assert("(4,3):(3,1)"_layout(-7) == -"(4,3):(3,1)"_layout(7));
static_assert(std::is_empty_v<decltype("(8,8):(8,1)"_layout)>);

// Padding inside a template argument makes clang 19 read the wrong members at run time.
static_assert(std::has_unique_object_representations_v<StridedLayout>);

template <StridedLayout A>
constexpr Index size_of_argument() {
  return A.size();
}
static_assert(size_of_argument<"(8,8):(8,1)"_layout>() == 64, "layouts are template arguments");

template <bijective P>
constexpr bool accepts(P) {
  return true;
}
static_assert(accepts("(4,8):(8,1)"_layout));

template <StridedLayout L>
void agrees_everywhere(StaticLayout<L> l) {
  for (Index i = -2 * l.size(); i <= 2 * l.size(); ++i) EXPECT_EQ(l(i), laws::defined_offset(L, i)) << i;
  for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(l(i), laws::defined_offset(L, static_cast<Index>(i)));
}

TEST(StaticLayout, EvaluatesAsTheLayoutItStandsFor) {
  agrees_everywhere("(3,(2,3)):(3,(12,1))"_layout);
  agrees_everywhere("((2,2),(4,2)):((1,-8),(2,0))"_layout);
  agrees_everywhere("(4,3,1):(3,1,0)"_layout);
  agrees_everywhere("7:-3"_layout);
  const auto l = "((2,2),(4,2)):((1,8),(2,16))"_layout;
  for (Index m = 0; m < 4; ++m) {
    for (Index n = 0; n < 8; ++n) EXPECT_EQ(l(m, n), *detail::offset(l, make_tuple(m, n)));
  }
}

}  // namespace
}  // namespace tessera
