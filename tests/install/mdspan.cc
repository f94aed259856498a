// SPDX-License-Identifier: Apache-2.0
// std::mdspan over tiled and swizzled matrices. The mappings must meet the standard's requirements and
// convert to and from the standard mappings.
#include "tessera/algebra/mdspan.h"

#include <concepts>
#include <cstdio>
#include <mdspan>
#include <type_traits>
#include <vector>

using namespace tessera;

template <class M>
concept layout_mapping =
    std::copyable<M> && std::equality_comparable<M> && std::is_nothrow_move_constructible_v<M> &&
    std::is_nothrow_move_assignable_v<M> && std::is_nothrow_swappable_v<M> && requires(const M m) {
      { m.extents() } -> std::same_as<const typename M::extents_type&>;
      { m.required_span_size() } -> std::same_as<typename M::index_type>;
      { m.is_unique() } -> std::same_as<bool>;
      { m.is_exhaustive() } -> std::same_as<bool>;
      { m.is_strided() } -> std::same_as<bool>;
      { M::is_always_unique() } -> std::same_as<bool>;
      { M::is_always_exhaustive() } -> std::same_as<bool>;
      { M::is_always_strided() } -> std::same_as<bool>;
      typename std::bool_constant<M::is_always_unique()>;
      typename std::bool_constant<M::is_always_exhaustive()>;
      typename std::bool_constant<M::is_always_strided()>;
    };
using Shape = std::dextents<int, 2>;
using Tiled = layout_tessera<"((2,2),(2,3)):((2,12),(1,4))"_layout>;
using Rows = layout_tessera<"(4,8):(8,1)"_layout>;
using Swizzled = layout_tessera<"(8,64):(64,1)"_layout, Swizzle{3, 3, 3}>;
static_assert(layout_mapping<Tiled::mapping<Shape>> && layout_mapping<Rows::mapping<Shape>>);
static_assert(layout_mapping<Swizzled::mapping<Shape>> &&
              layout_mapping<layout_tessera_dynamic::mapping<Shape>>);
static_assert(Rows::mapping<std::extents<int, 4, 8>>::is_always_exhaustive());
static_assert(!Rows::mapping<std::extents<int, 4, 7>>::is_always_exhaustive());
static_assert(!Rows::mapping<Shape>::is_always_exhaustive());
static_assert(std::is_convertible_v<Tiled::mapping<std::extents<int, 3, 5>>, Tiled::mapping<Shape>>);
static_assert(!std::is_convertible_v<Tiled::mapping<Shape>, Tiled::mapping<std::extents<int, 3, 5>>>);
static_assert(std::is_constructible_v<Tiled::mapping<std::extents<int, 3, 5>>, Tiled::mapping<Shape>>);

int failures = 0;
void check(bool holds, int line) {
  if (holds) return;
  std::printf("line %d\n", line);
  ++failures;
}
#define CHECK(...) check((__VA_ARGS__), __LINE__)

int main() {
  // A constant strided layout converts to layout_stride, and layout_right converts to our mapping.
  const Rows::mapping<Shape> rows;
  const std::layout_stride::mapping<Shape> strided(rows);
  CHECK(strided.stride(0) == 8 && strided.stride(1) == 1 && strided.required_span_size() == 32);
  const Rows::mapping<Shape> back(std::layout_right::mapping<Shape>(Shape(4, 8)));
  CHECK(back == rows);
  const layout_tessera_dynamic::mapping<Shape> right(std::layout_right::mapping<Shape>(Shape(4, 8)));
  const layout_tessera_dynamic::mapping<Shape> left(std::layout_left::mapping<Shape>(Shape(4, 8)));
  CHECK(right == layout_tessera_dynamic::mapping<Shape>(rows) && !(right == left) && left(1, 2) == 9);
  CHECK(left.is_unique() && left.is_exhaustive() && left.is_strided());

  std::vector<float> memory(24);
  // f32[3,5]{1,0:T(2,2)}: 3 rows and 5 columns in tiles of 2 by 2.
  const std::mdspan<float, Shape, Tiled> matrix(memory.data(), Tiled::mapping<Shape>(Shape(3, 5)));
  const std::mdspan<float, Shape, layout_tessera_dynamic> same(
      matrix.data_handle(), layout_tessera_dynamic::mapping<Shape>(matrix.mapping()));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) matrix[i, j] = static_cast<float>(10 * i + j);
  CHECK(memory[17] == 23);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) CHECK(same[i, j] == static_cast<float>(10 * i + j));
  const std::mdspan<float, std::extents<int, 8, 64>, Swizzled> tile(nullptr);
  CHECK(tile.mapping()(1, 0) == 72 && tile.mapping().required_span_size() == 512);
  return failures == 0 ? 0 : 1;
}
