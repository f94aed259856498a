// SPDX-License-Identifier: Apache-2.0
/// \file
/// layout_tessera: a constant layout as the layout policy of an mdspan. Does not include <mdspan>, so any
/// implementation with the standard's extents and mapping interface can use it.
#pragma once

#include "tessera/algebra/static_layout.h"

namespace tessera {

namespace detail {

/// The largest offset over the coordinates [0, extent) of one mode with strides >= 0. Adds up leaf by leaf,
/// the fastest first.
constexpr Index largest_below(const StridedLayout& mode, Index extent) {
  Index free = 0;  // the largest offset if all leaves so far may take any digit
  Index cut = 0;   // the largest offset if they may not exceed the digits of extent - 1
  Index rest = extent - 1;
  for (int i = 0; i < mode.leaves(); ++i) {
    const Index last = i + 1 < mode.leaves() ? rest % mode.extent[i] : rest;
    rest /= mode.extent[i];
    const Index below = free + (last - 1) * mode.stride[i];
    cut += last * mode.stride[i];
    if (last > 0 && below > cut) cut = below;
    free += (mode.extent[i] - 1) * mode.stride[i];
  }
  return cut;
}

}  // namespace detail

/// The layout policy of L: one dimension for each top-level mode, offsets as L gives them.
/// `std::mdspan<float, std::extents<int, 8, 8>, tessera::layout_tessera<"(8,(2,4)):(2,(1,16))"_layout>>`.
/// Requires strides >= 0. Extents may be smaller than the modes, which crops the layout; larger ones trap.
template <StridedLayout L>
  requires(!L.has_basis() && image_min(L) == 0)
struct layout_tessera {
  template <class Extents>
  class mapping;
};

/// The mapping, with the members that mdspan requires. Offsets in elements.
template <StridedLayout L>
  requires(!L.has_basis() && image_min(L) == 0)
template <class Extents>
class layout_tessera<L>::mapping {
 public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = typename Extents::rank_type;
  using layout_type = layout_tessera;

  static_assert(Extents::rank() == static_cast<rank_type>(L.rank()), "one extent for each top-level mode");

  /// The whole layout: the extents are the sizes of the modes. Static extents must agree with them.
  constexpr mapping() : mapping(whole(std::make_integer_sequence<int, L.rank()>{})) {}
  constexpr mapping(const Extents& extents) : extents_(extents) {
    if (!fits(extents)) __builtin_trap();
  }

  /// True if no extent is larger than its mode.
  static constexpr bool fits(const Extents& extents) {
    for (int r = 0; r < L.rank(); ++r) {
      const auto extent = static_cast<Index>(extents.extent(static_cast<rank_type>(r)));
      if (extent < 0 || extent > mode_of(r).size()) return false;
    }
    return true;
  }

  constexpr const Extents& extents() const noexcept { return extents_; }

  template <class... I>
    requires(sizeof...(I) == static_cast<std::size_t>(L.rank()) &&
             (std::convertible_to<I, index_type> && ...))
  constexpr index_type operator()(I... i) const noexcept {
    return static_cast<index_type>(StaticLayout<L>{}(static_cast<Index>(i)...));
  }

  /// 1 + the largest offset; 0 if an extent is 0. O(leaves).
  constexpr index_type required_span_size() const noexcept {
    Index largest = 0;
    for (int r = 0; r < L.rank(); ++r) {
      if (extent(r) == 0) return 0;
      largest += detail::largest_below(mode_of(r), extent(r));
    }
    return static_cast<index_type>(largest + 1);
  }

  static constexpr bool is_always_unique() noexcept { return injective<StaticLayout<L>>; }
  static constexpr bool is_always_exhaustive() noexcept { return false; }  // extents may crop
  static constexpr bool is_always_strided() noexcept {
    for (int r = 0; r < L.rank(); ++r) {
      if (coalesce(mode_of(r)).leaves() > 1) return false;
    }
    return true;
  }
  static constexpr bool is_unique() noexcept { return is_always_unique(); }
  constexpr bool is_exhaustive() const noexcept {
    Index size = 1;
    bool whole = true;
    for (int r = 0; r < L.rank(); ++r) {
      size *= extent(r);
      whole = whole && extent(r) == mode_of(r).size();
    }
    if (is_always_unique()) return size == static_cast<Index>(required_span_size());
    return size == 0 || (whole && *is_contiguous(L));
  }
  static constexpr bool is_strided() noexcept { return is_always_strided(); }
  constexpr index_type stride(rank_type r) const noexcept
    requires(is_always_strided())
  {
    return static_cast<index_type>(coalesce(mode_of(static_cast<int>(r))).stride[0]);
  }

  template <class Other>
  friend constexpr bool operator==(const mapping& a, const mapping<Other>& b) noexcept {
    return a.extents() == b.extents();
  }

 private:
  static constexpr StridedLayout mode_of(int r) { return sublayout(L, mode_at(L.profile, r)); }
  constexpr Index extent(int r) const {
    return static_cast<Index>(extents_.extent(static_cast<rank_type>(r)));
  }
  template <int... r>
  static constexpr Extents whole(std::integer_sequence<int, r...>) {
    return Extents(static_cast<index_type>(mode_of(r).size())...);
  }

  Extents extents_;
};

}  // namespace tessera
