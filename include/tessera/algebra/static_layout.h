// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts as types: `"(8,8):(8,1)"_layout`, and their algebra at compile time.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tessera/algebra/detail/equality.h"
#include "tessera/algebra/detail/format.h"
#include "tessera/algebra/detail/parse.h"

namespace tessera {

/// A text as a template argument. The array is exactly as long as the text, because only then do compilers
/// print it as text.
template <std::size_t N>
struct FixedString {
  char text[N] = {};
  constexpr FixedString() = default;
  constexpr FixedString(const char (&s)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
  }
  static constexpr Index size() { return static_cast<Index>(N) - 1; }
};

// These are never defined: if an operation fails, the compiler's first error line names one of them.

/// Reports that a result of `composition`, or of an operation that uses it, is not a layout: the reason, the
/// smallest coordinate that shows it, and the operands.
template <FixedString reason, Index witness, FixedString... operands>
struct not_representable;
/// Reports any other error: its code, its two numbers, and the operands.
template <FixedString code, Index first, Index second, FixedString... operands>
struct refused;
/// Reports a text that is not a layout: the code, the byte, what was expected there, and the text.
template <FixedString code, Index position, FixedString expected, FixedString text>
struct unreadable;

namespace detail {

/// Writes into the characters of a FixedString.
struct ArraySink {
  char* next;
  constexpr void put(char c) { *next++ = c; }
};
template <auto value>
constexpr auto text_of() {
  constexpr int size = [] {
    CountSink sink;
    format_to(sink, value);
    return sink.size;
  }();
  FixedString<static_cast<std::size_t>(size) + 1> out;
  ArraySink sink{out.text};
  format_to(sink, value);
  return out;
}
/// The string that the captureless lambda `get` returns, as a FixedString.
template <auto get>
constexpr auto fixed() {
  constexpr int size = [] {
    CountSink sink;
    put_text(sink, get());
    return sink.size;
  }();
  FixedString<static_cast<std::size_t>(size) + 1> out;
  ArraySink sink{out.text};
  put_text(sink, get());
  return out;
}

/// Instantiates the undefined template whose name and arguments state the error.
template <AlgebraError error, auto... operands>
constexpr auto refusal() {
  if constexpr (error.code == AlgebraCode::not_representable) {
    return std::type_identity<not_representable<fixed<[] { return word(error.reason); }>(), error.witness,
                                                text_of<operands>()...>>{};
  } else {
    return std::type_identity<refused<fixed<[] { return word(error.code); }>(), error.first, error.second,
                                      text_of<operands>()...>>{};
  }
}
template <AlgebraError error, auto... operands>
struct Refusal {
  using type = typename decltype(refusal<error, operands...>())::type;
};

}  // namespace detail

/// An integer known at compile time: std::integral_constant or a similar type.
template <class T>
concept static_integer = requires {
  { T::value } -> std::convertible_to<Index>;
  typename std::integral_constant<Index, T::value>;
};

template <StridedLayout L>
struct StaticLayout;

namespace detail {

// Whether to factor common strides by hand. GCC factors constants only within one expression, not across
// inlined functions. Clang does both, and would turn the nested shifts of factored strides into wide masks.
#if defined(__clang__)
inline constexpr bool kFactorStrides = false;
#else
inline constexpr bool kFactorStrides = true;
#endif

/// How to sum the offset of a layout with n leaves of nonzero stride: by decreasing stride, with Horner's
/// rule where a stride is a multiple of the next one.
template <int n>
struct OffsetPlan {
  static constexpr int leaves = n;
  int leaf[n + 1] = {};
  Index weight[n + 1] = {};  ///< product of the extents of the leaves before this one
  Index extent[n + 1] = {};  ///< 0 for the last leaf, which is unbounded
  Index ratio[n + 1] = {};   ///< this stride / the next one; 0 if that is not an integer, and at the end
  Index stride[n + 1] = {};
};
constexpr int strided_leaves(const StridedLayout& l) {
  int n = 0;
  for (int i = 0; i < l.leaves(); ++i) n += l.stride[i] != 0 ? 1 : 0;
  return n;
}
template <int n>
constexpr OffsetPlan<n> offset_plan(const StridedLayout& l) {
  OffsetPlan<n> plan;
  Index weight = 1;
  const int leaves = l.leaves();
  for (int i = 0, count = 0; i < leaves; weight *= l.extent[i++]) {
    if (l.stride[i] == 0) continue;
    int k = count++;
    for (; k > 0 && magnitude(plan.stride[k - 1]) < magnitude(l.stride[i]); --k) {
      plan.leaf[k] = plan.leaf[k - 1];
      plan.weight[k] = plan.weight[k - 1];
      plan.extent[k] = plan.extent[k - 1];
      plan.stride[k] = plan.stride[k - 1];
    }
    plan.leaf[k] = i;
    plan.weight[k] = weight;
    plan.extent[k] = i + 1 < leaves ? l.extent[i] : 0;
    plan.stride[k] = l.stride[i];
  }
  for (int k = 0; kFactorStrides && k + 1 < n; ++k) {
    if (plan.stride[k] % plan.stride[k + 1] == 0) plan.ratio[k] = plan.stride[k] / plan.stride[k + 1];
  }
  return plan;
}

/// A variable outside the class, so that it is not instantiated for a layout that is never evaluated.
template <StridedLayout L>
inline constexpr OffsetPlan<strided_leaves(L)> plan = offset_plan<strided_leaves(L)>(L);

/// One digit of c. Callers pass constants for all arguments but c. C++ division truncates, so the digits are
/// odd functions of c, as layouts are.
template <class I>
constexpr std::uint64_t digit_of(I c, Index weight, Index extent) {
  const I rest = weight == 1 ? c : c / static_cast<I>(weight);
  return static_cast<std::uint64_t>(extent == 0 ? rest : rest % static_cast<I>(extent));
}
/// A sum of digits times strides. Unsigned, so that compilers may reorder it; exact, because the offset fits.
struct OffsetSum {
  std::uint64_t sum = 0;
  std::uint64_t part = 0;
  constexpr void add(std::uint64_t digit, Index ratio, Index stride) {
    part += digit;
    if (ratio != 0) {
      part *= static_cast<std::uint64_t>(ratio);
    } else {
      sum += part * static_cast<std::uint64_t>(stride);
      part = 0;
    }
  }
};

/// The type to divide in: unsigned arguments stay unsigned, which saves the sign handling.
template <class I>
using wide = std::conditional_t<std::is_unsigned_v<I>, std::uint64_t, Index>;

}  // namespace detail

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
concept injective = static_layout<L> && injectivity(std::remove_cvref_t<L>::value).ok() &&
                    injectivity(std::remove_cvref_t<L>::value)->injective;
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
    return unreadable<detail::fixed<[] { return word(detail::parsed_layout<text>.error.code); }>(),
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
    return unreadable<detail::fixed<[] { return word(detail::parsed_tiler<text>.error.code); }>(),
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
