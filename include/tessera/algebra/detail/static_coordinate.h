// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nested coordinates of a static layout, and their digits.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "tessera/algebra/detail/static_offset.h"

namespace tessera {

/// A nested coordinate of a static layout: layout(crd(0, crd(1, 2)), 5). Made by crd().
template <class... I>
struct StaticCoord {
  static constexpr int rank = 0;
};
template <class I, class... Rest>
struct StaticCoord<I, Rest...> {
  static constexpr int rank = 1 + sizeof...(Rest);
  I first;
  StaticCoord<Rest...> rest;
};
constexpr StaticCoord<> crd() { return {}; }
template <class I, class... Rest>
constexpr StaticCoord<I, Rest...> crd(I first, Rest... rest) {
  return {first, crd(rest...)};
}

namespace detail {

template <class C>
inline constexpr int coord_rank = 0;  ///< 0 for an integer
template <class... I>
inline constexpr int coord_rank<StaticCoord<I...>> = StaticCoord<I...>::rank;

/// An integer, or a nested coordinate.
template <class C>
concept static_coordinate = std::convertible_to<C, Index> || coord_rank<C> > 0;

/// The digits of the 1-D coordinate c over the leaves begin + i.
template <StridedLayout L, int begin, class I, int... i>
constexpr void write_digits(I c, std::uint64_t* digit, std::integer_sequence<int, i...>) {
  I rest = c;
  ((digit[begin + i] = digit_of<I>(rest, 1, i + 1 == sizeof...(i) ? 0 : L.extent[begin + i]),
    rest /= static_cast<I>(L.extent[begin + i])),
   ...);
}
template <StridedLayout L, int node, int leaf, class C>
constexpr void digits_at(const C& c, std::uint64_t* digit);
/// Writes the digits of mode i of a node and of the modes after it.
template <StridedLayout L, int node, int leaf, int i, class I, class... Rest>
constexpr void digits_of_modes(const StaticCoord<I, Rest...>& c, std::uint64_t* digit) {
  constexpr Cursor at = mode_at(L.profile, i, {node, leaf});
  digits_at<L, at.node, at.leaf>(c.first, digit);
  if constexpr (sizeof...(Rest) > 0) digits_of_modes<L, node, leaf, i + 1>(c.rest, digit);
}
template <StridedLayout L, int node, int leaf, class C>
constexpr void digits_at(const C& c, std::uint64_t* digit) {
  if constexpr (coord_rank<C> == 0) {
    write_digits<L, leaf>(static_cast<wide<C>>(c), digit,
                          std::make_integer_sequence<int, leaf_count(L.profile, {node, leaf})>{});
  } else {
    static_assert(!L.profile.is_leaf(node) && coord_rank<C> == L.profile.rank(node),
                  "the coordinate must be nested like the layout");
    digits_of_modes<L, node, leaf, 0>(c, digit);
  }
}

}  // namespace detail

}  // namespace tessera
