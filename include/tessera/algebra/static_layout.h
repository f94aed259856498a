// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts as types: `"(8,8):(8,1)"_layout`, and their algebra at compile time.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#include "tessera/algebra/detail/equality.h"
#include "tessera/algebra/detail/parse.h"
#include "tessera/algebra/detail/static_coordinate.h"
#include "tessera/algebra/detail/static_error.h"
#include "tessera/algebra/detail/static_offset.h"

namespace tessera {

/// An integer known at compile time: std::integral_constant or a similar type.
template <class T>
concept static_integer = requires {
  { T::value } -> std::convertible_to<Index>;
  typename std::integral_constant<Index, T::value>;
};

/// A constant layout as a type. An empty class that converts to its StridedLayout.
template <StridedLayout L>
struct StaticLayout {
  static constexpr const StridedLayout& value = L;

  static constexpr int rank() { return L.rank(); }
  static constexpr Index size() { return L.size(); }
  constexpr operator const StridedLayout&() const { return L; }

  /// The offset of a 1-D coordinate, or of one coordinate per mode, each an integer or nested: l(17),
  /// l(1, 5), l(1, crd(1, 2)), l(crd(1, crd(1, 2))). Compiles to nothing but the arithmetic of the digits.
  template <detail::static_coordinate... C>
    requires(sizeof...(C) == 1 || static_cast<int>(sizeof...(C)) == L.rank())
  constexpr Index operator()(C... c) const {
    static_assert(!L.has_basis(), "the strides are scaled bases: use evaluate()");
    using Leaves = std::make_integer_sequence<int, detail::plan<L>.leaves>;
    if constexpr (sizeof...(C) == 1 && ((detail::coord_rank<C> == 0) && ...)) {
      return along(static_cast<detail::wide<C>>(c)..., Leaves{});
    } else {
      std::uint64_t digit[L.leaves()] = {};
      if constexpr (sizeof...(C) == 1) {
        (detail::digits_at<L, 0, 0>(c, digit), ...);
      } else {
        detail::digits_at<L, 0, 0>(crd(c...), digit);
      }
      return combine(digit, Leaves{});
    }
  }
  /// The offset of a coordinate with one number for each top-level mode: offset({2, 3}). For coordinates that
  /// are known at run time; l(2, 3) is faster where the number of modes is in the code.
  static constexpr Index offset(std::span<const Index> index) { return L.offset(index); }
  static constexpr Index offset(std::initializer_list<Index> index) { return L.offset(index); }
  /// Composition: L(B(c)).
  template <StridedLayout B>
  constexpr auto operator()(StaticLayout<B> b) const {
    return composition(*this, b);
  }

 private:
  template <class I, int... k>
  static constexpr Index along(I c, std::integer_sequence<int, k...>) {
    detail::OffsetSum sum;
    (sum.add(detail::digit_of<I>(c, detail::plan<L>.weight[k], detail::plan<L>.extent[k]),
             detail::plan<L>.ratio[k], detail::plan<L>.stride[k]),
     ...);
    return static_cast<Index>(sum.sum);
  }
  template <int... k>
  static constexpr Index combine(const std::uint64_t* digit, std::integer_sequence<int, k...>) {
    detail::OffsetSum sum;
    (sum.add(digit[detail::plan<L>.leaf[k]], detail::plan<L>.ratio[k], detail::plan<L>.stride[k]), ...);
    return static_cast<Index>(sum.sum);
  }
};
template <StridedLayout A, StridedLayout B>
constexpr bool operator==(StaticLayout<A>, StaticLayout<B>) {
  return A == B;
}

/// A constant tiler as a type.
template <Tiler T>
struct StaticTiler {
  static constexpr const Tiler& value = T;
};

/// A type with a size that maps 1-D coordinates to offsets.
template <class L>
concept layout_like = requires(const L& l, Index i) {
  { l.size() } -> std::convertible_to<Index>;
  { l(i) } -> std::convertible_to<Index>;
};
template <class L>
concept static_layout = std::same_as<std::remove_cvref_t<L>, StaticLayout<std::remove_cvref_t<L>::value>>;
/// A StaticTiler, a StaticLayout or a static integer.
template <class T>
concept tiler = static_layout<T> || static_integer<std::remove_cvref_t<T>> ||
                requires { typename std::bool_constant<std::remove_cvref_t<T>::value.by_mode()>; };
/// Properties of a static layout, for `requires`.
template <class L>
concept bijective = static_layout<L> && is_bijective(std::remove_cvref_t<L>::value);
template <class L>
concept injective = static_layout<L> && detail::injectivity(std::remove_cvref_t<L>::value).ok() &&
                    detail::injectivity(std::remove_cvref_t<L>::value)->injective;
/// True if every coordinate of B's shape is a coordinate of L's shape.
template <class L, class B>
concept compatible_with =
    static_layout<L> && static_layout<B> &&
    compatible(std::remove_cvref_t<B>::value.shape(), std::remove_cvref_t<L>::value.shape());

namespace detail {

template <class T>
constexpr auto as_tiler() {
  using U = std::remove_cvref_t<T>;
  if constexpr (static_layout<U>) {
    return Tiler(U::value);
  } else if constexpr (static_integer<U>) {
    return Tiler(Index{U::value});
  } else {
    return U::value;
  }
}
}  // namespace detail

namespace detail {
// Results are variable templates, because the functions below would compute a local again in every call.
template <FixedString text>
inline constexpr Parsed<TrackedLayout> parsed_layout = read_layout(text.text, text.size());
template <FixedString text>
inline constexpr Parsed<TrackedTiler> parsed_tiler = read_tiler(text.text, text.size());
}  // namespace detail

inline namespace literals {
// Each literal is parsed in the operator itself: a helper would be one more instantiation for every text.

/// Reads a layout at compile time: `"(8,8):(8,1)"_layout`. A text that is not a layout stops the compiler at
/// `unreadable<code, byte, what was expected, text>`.
template <FixedString text>
constexpr auto operator""_layout() {
  if constexpr (detail::parsed_layout<text>.ok()) {
    return StaticLayout<detail::parsed_layout<text>.value.layout>{};
  } else {
    return unreadable<detail::fixed<[] { return detail::word(detail::parsed_layout<text>.error.code); }>(),
                      detail::parsed_layout<text>.position,
                      detail::fixed<[] { return detail::parsed_layout<text>.expected; }>(),
                      text>::no_such_layout;
  }
}
/// Reads a tiler at compile time: `"<3:4,8:2>"_tiler`; a shape tiles by mode.
template <FixedString text>
constexpr auto operator""_tiler() {
  if constexpr (detail::parsed_tiler<text>.ok()) {
    return StaticTiler<detail::parsed_tiler<text>.value.tiler>{};
  } else {
    return unreadable<detail::fixed<[] { return detail::word(detail::parsed_tiler<text>.error.code); }>(),
                      detail::parsed_tiler<text>.position,
                      detail::fixed<[] { return detail::parsed_tiler<text>.expected; }>(),
                      text>::no_such_tiler;
  }
}
/// `4_c` is std::integral_constant<Index, 4>.
template <char... digit>
constexpr auto operator""_c() {
  constexpr Index value = [] {
    Index v = 0;
    for (const char c : {digit...}) {
      if (c != '\'') v = v * 10 + (c - '0');
    }
    return v;
  }();
  return std::integral_constant<Index, value>{};
}
}  // namespace literals

/// layout<"(8,8):(8,1)"> is "(8,8):(8,1)"_layout.
template <FixedString text>
inline constexpr auto layout = operator""_layout < text>();

// The algebra on static layouts. An operation that fails stops the compiler at `not_representable<…>` or
// `refused<…>`.

namespace detail {
template <StridedLayout A, StridedLayout B>
inline constexpr Outcome<StridedLayout> static_composition = composition(A, B);
}  // namespace detail

/// c -> A(B(c)). Written without a macro, so that the compiler's first line shows the error and few lines
/// follow.
template <StridedLayout A, StridedLayout B>
constexpr auto composition(StaticLayout<A>, StaticLayout<B>) {
  if constexpr (detail::static_composition<A, B>.ok()) {
    return StaticLayout<detail::static_composition<A, B>.value>{};
  } else {
    return detail::Refusal<detail::static_composition<A, B>.error, A, B>::type::no_such_layout;
  }
}

#define TESSERA_STATIC_UNARY(op)                                                     \
  namespace detail {                                                                 \
  template <StridedLayout A>                                                         \
  inline constexpr Outcome<StridedLayout> static_##op = op(A);                       \
  }                                                                                  \
  template <StridedLayout A>                                                         \
  constexpr auto op(StaticLayout<A>) {                                               \
    if constexpr (detail::static_##op<A>.ok()) {                                     \
      return StaticLayout<detail::static_##op<A>.value>{};                           \
    } else {                                                                         \
      return detail::Refusal<detail::static_##op<A>.error, A>::type::no_such_layout; \
    }                                                                                \
  }
TESSERA_STATIC_UNARY(coalesce)
TESSERA_STATIC_UNARY(filter)
TESSERA_STATIC_UNARY(flatten)
TESSERA_STATIC_UNARY(complement)
TESSERA_STATIC_UNARY(right_inverse)
TESSERA_STATIC_UNARY(left_inverse)
TESSERA_STATIC_UNARY(generalized_inverse)
TESSERA_STATIC_UNARY(nullspace)
#undef TESSERA_STATIC_UNARY

#define TESSERA_STATIC_BINARY(op)                                                          \
  namespace detail {                                                                       \
  template <StridedLayout A, StridedLayout B>                                              \
  inline constexpr Outcome<StridedLayout> static_##op = op(A, B);                          \
  }                                                                                        \
  template <StridedLayout A, StridedLayout B>                                              \
  constexpr auto op(StaticLayout<A>, StaticLayout<B>) {                                    \
    if constexpr (detail::static_##op<A, B>.ok()) {                                        \
      return StaticLayout<detail::static_##op<A, B>.value>{};                              \
    } else {                                                                               \
      return detail::Refusal<detail::static_##op<A, B>.error, A, B>::type::no_such_layout; \
    }                                                                                      \
  }
TESSERA_STATIC_BINARY(blocked_product)
TESSERA_STATIC_BINARY(raked_product)
TESSERA_STATIC_BINARY(max_common_layout)
TESSERA_STATIC_BINARY(append)
TESSERA_STATIC_BINARY(prepend)
TESSERA_STATIC_BINARY(zip)
#undef TESSERA_STATIC_BINARY

/// Defines composition by a tiler or a static integer, and the divides and products.
#define TESSERA_STATIC_TILED(op, condition)                                  \
  namespace detail {                                                         \
  template <StridedLayout A, tiler T>                                        \
  inline constexpr Outcome<StridedLayout> tiled_##op = op(A, as_tiler<T>()); \
  }                                                                          \
  template <StridedLayout A, tiler T>                                        \
    requires condition                                                       \
  constexpr auto op(StaticLayout<A>, T) {                                    \
    if constexpr (detail::tiled_##op<A, T>.ok()) {                           \
      return StaticLayout<detail::tiled_##op<A, T>.value>{};                 \
    } else {                                                                 \
      return detail::Refusal<detail::tiled_##op<A, T>.error, A,              \
                             detail::as_tiler<T>()>::type::no_such_layout;   \
    }                                                                        \
  }
TESSERA_STATIC_TILED(composition, (!static_layout<T>))
TESSERA_STATIC_TILED(logical_divide, true)
TESSERA_STATIC_TILED(zipped_divide, true)
TESSERA_STATIC_TILED(tiled_divide, true)
TESSERA_STATIC_TILED(flat_divide, true)
TESSERA_STATIC_TILED(logical_product, true)
TESSERA_STATIC_TILED(zipped_product, true)
TESSERA_STATIC_TILED(tiled_product, true)
TESSERA_STATIC_TILED(flat_product, true)
#undef TESSERA_STATIC_TILED

/// Operations that take a static integer: complement in a codomain, recasts, one mode.
#define TESSERA_STATIC_INTEGER(op)                                                                           \
  namespace detail {                                                                                         \
  template <StridedLayout A, static_integer N>                                                               \
  inline constexpr Outcome<StridedLayout> counted_##op = op(A, Index{N::value});                             \
  }                                                                                                          \
  template <StridedLayout A, static_integer N>                                                               \
  constexpr auto op(StaticLayout<A>, N) {                                                                    \
    if constexpr (detail::counted_##op<A, N>.ok()) {                                                         \
      return StaticLayout<detail::counted_##op<A, N>.value>{};                                               \
    } else {                                                                                                 \
      return detail::Refusal<detail::counted_##op<A, N>.error, A, IntTuple(N::value)>::type::no_such_layout; \
    }                                                                                                        \
  }
TESSERA_STATIC_INTEGER(complement)
TESSERA_STATIC_INTEGER(upcast)
TESSERA_STATIC_INTEGER(downcast)
TESSERA_STATIC_INTEGER(mode)
#undef TESSERA_STATIC_INTEGER

}  // namespace tessera
