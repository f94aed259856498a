// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads texts in CuTe's notation, at run time or compile time: the normal form, and the spellings that CuTe
/// C++ and its Python DSL print or accept for the same values (docs/lookup/cute.md).
#pragma once

#include "tessera/algebra/detail/parse_composed.h"
#include "tessera/algebra/detail/parse_tiler.h"

namespace tessera {

namespace detail {
template <class T>
constexpr Parsed<T> read_whole(const char* text, Index size, void (*read)(CuteScanner&, T&)) {
  CuteScanner in(text, size);
  Parsed<T> out;
  read(in, out.value);
  in.end();
  in.finish(out);
  return out;
}
}  // namespace detail

/// `(4,(2,3)):(6,(3,1))`; without strides, compact from the left. Errors: syntax, number_range, bad_extent,
/// not_congruent, codomain_mismatch, overflow, capacity, each with the byte and what was expected.
constexpr detail::Parsed<TrackedLayout> read_layout(const char* text, Index size) {
  return detail::read_whole<TrackedLayout>(text, size, grammar::read_tensor);
}
/// `(3,(6,2),8)`, all at least 1.
constexpr detail::Parsed<TrackedTuple> read_shape(const char* text, Index size) {
  return detail::read_whole<TrackedTuple>(text, size, grammar::read_shape);
}
/// `(2,(_,-1))`.
constexpr detail::Parsed<TrackedCoord> read_coord(const char* text, Index size) {
  return detail::read_whole<TrackedCoord>(text, size, grammar::read_coordinate);
}
/// `<3:4,(2,4):(1,8)>`, `(3,8)` (by mode), `4`, `_`, or one layout.
constexpr detail::Parsed<TrackedTiler> read_tiler(const char* text, Index size) {
  return detail::read_whole<TrackedTiler>(text, size, grammar::read_tiler);
}
/// `Sw<3,4,3>` or `S<3,4,3>`. Errors: syntax, number_range, bad_swizzle.
constexpr detail::Parsed<Swizzle> read_swizzle(const char* text, Index size) {
  return detail::read_whole<Swizzle>(text, size, grammar::read_swizzle);
}
/// A layout, a swizzle, or `A o x o B`.
constexpr detail::Parsed<TrackedComposed> read_expression(const char* text, Index size) {
  return detail::read_whole<TrackedComposed>(text, size, grammar::read_expression);
}

}  // namespace tessera
