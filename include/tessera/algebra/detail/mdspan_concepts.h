// SPDX-License-Identifier: Apache-2.0
/// \file
/// The concepts by which the mdspan layout policies recognize other mappings.
#pragma once

#include <concepts>

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {

namespace detail {

/// A strided mapping from any implementation of mdspan: layout_left, layout_right, ...
template <class M>
concept strided_mapping = requires(const M& m) {
  typename M::extents_type;
  { m.stride(typename M::rank_type{0}) } -> std::convertible_to<Index>;
  requires M::is_always_strided();
};

/// A mapping of a constant layout.
template <class M>
concept constant_mapping = requires {
  { M::layout_type::layout() } -> std::same_as<const StridedLayout&>;
};

/// Whether every extent is part of the type.
template <class Extents>
constexpr bool all_static() {
  if constexpr (requires { Extents::rank_dynamic(); }) return Extents::rank_dynamic() == 0;
  return false;
}

}  // namespace detail

}  // namespace tessera
