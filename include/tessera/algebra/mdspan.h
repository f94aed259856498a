// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layout policies for mdspan: layout_tessera for constant layouts, layout_tessera_dynamic for layouts known
/// at run time. Both support strided, tiled, packed and swizzled layouts. This header does not include
/// <mdspan>, so the policies work with std::mdspan and with the reference implementation in any namespace.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "tessera/algebra/detail/mdspan_concepts.h"
#include "tessera/algebra/detail/mdspan_dynamic.h"
#include "tessera/algebra/detail/span_size.h"
#include "tessera/algebra/detail/swizzle.h"
#include "tessera/algebra/static_layout.h"

namespace tessera {

/// The layout policy of c -> S(L(c)): one dimension for each top-level mode of L; S swizzles the offsets of
/// L. `std::mdspan<float, std::extents<int, 8, 8>, tessera::layout_tessera<"(8,(2,4)):(2,(1,16))"_layout>>`.
/// Tiled and packed layouts are written as nested modes; `tessera convert --to cute` prints them. Extents may
/// be smaller than the modes, which crops the layout; larger ones trap. A layout with a negative stride does
/// not compile.
template <StridedLayout L, Swizzle S = Swizzle{0, 0, 0}>
struct layout_tessera {
  static_assert(!L.has_basis(), "an mdspan needs integer offsets: the strides are scaled bases");
  static_assert(L.has_basis() || image_min(L) == 0,
                "an mdspan needs offsets of at least 0: a stride is negative");
  static constexpr const StridedLayout& layout() { return StaticLayout<L>::value; }
  static constexpr Swizzle swizzle() { return S; }

  template <class Extents>
  class mapping;
};

/// The mapping, with the members that mdspan requires. Offsets in elements.
template <StridedLayout L, Swizzle S>
template <class Extents>
class layout_tessera<L, S>::mapping {
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
  /// The same layout with other extents.
  template <class Other>
    requires std::constructible_from<Extents, const Other&>
  constexpr explicit(!std::convertible_to<const Other&, Extents>)
      mapping(const typename layout_tessera::template mapping<Other>& other)
      : mapping(Extents(other.extents())) {}
  /// Converts a strided mapping, such as layout_right's, with the same strides; traps if the strides differ.
  template <detail::strided_mapping M>
    requires(!detail::constant_mapping<M> &&
             std::constructible_from<Extents, const typename M::extents_type&>)
  constexpr explicit mapping(const M& other) : mapping(Extents(other.extents())) {
    static_assert(is_always_strided(), "only a strided layout can have the strides of another mapping");
    for (int r = 0; r < L.rank(); ++r) {
      if (extent(r) > 1 &&
          static_cast<Index>(other.stride(static_cast<typename M::rank_type>(r))) != stride_of(r))
        __builtin_trap();
    }
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

  /// Indices are at least 0, so the arithmetic is that of unsigned numbers: compilers turn divisions by
  /// constants into shifts and masks and vectorize loops as they do for formulas written by hand.
  template <class... I>
    requires(sizeof...(I) == static_cast<std::size_t>(L.rank()) &&
             (std::convertible_to<I, index_type> && ...))
  constexpr index_type operator()(I... i) const noexcept {
    return static_cast<index_type>(at(std::make_integer_sequence<int, L.rank()>{},
                                      static_cast<Unsigned>(static_cast<index_type>(i))...));
  }

  /// 1 + the largest offset; 0 if an extent is 0. O(leaves); with a swizzle O(indices), unless the layout
  /// fills whole blocks of the swizzle.
  constexpr index_type required_span_size() const noexcept {
    Index largest = 0;
    for (int r = 0; r < L.rank(); ++r) {
      if (extent(r) == 0) return 0;
      const StridedLayout mode = mode_of(r);
      largest += detail::largest_below(mode.leaves(), extent(r),
                                       [&](int i) { return std::pair(mode.extent[i], mode.stride[i]); });
    }
    const bool fills = is_whole() && is_always_unique() && largest + 1 == L.size();
    if (S.is_identity() || (fills && (largest + 1) % detail::block_of(S) == 0))
      return static_cast<index_type>(largest + 1);
    largest = 0;
    detail::for_each_index(
        L.rank(), [&](int r) { return extent(r); },
        [&](const Index* index) {
          Index offset = 0;
          for (int r = 0; r < L.rank(); ++r) offset += *tessera::detail::offset(mode_of(r), index[r]);
          if (S(offset) > largest) largest = S(offset);
        });
    return static_cast<index_type>(largest + 1);
  }

  static constexpr bool is_always_unique() noexcept { return injective<StaticLayout<L>>; }
  /// True if the extents are static and every offset occurs. Dynamic extents may crop the layout.
  static constexpr bool is_always_exhaustive() noexcept {
    if constexpr (detail::all_static<Extents>()) {
      return mapping(Extents()).is_exhaustive();
    } else {
      return false;
    }
  }
  static constexpr bool is_always_strided() noexcept {
    for (int r = 0; r < L.rank(); ++r) {
      if (detail::coalesce(mode_of(r)).leaves() > 1) return false;
    }
    return S.is_identity();
  }
  /// False if two indices of the whole layout share an offset, even if a crop leaves out one of them.
  static constexpr bool is_unique() noexcept { return is_always_unique(); }
  constexpr bool is_exhaustive() const noexcept {
    Index size = 1;
    for (int r = 0; r < L.rank(); ++r) size *= extent(r);
    if (is_always_unique()) return size == static_cast<Index>(required_span_size());
    return size == 0 || (S.is_identity() && is_whole() && *detail::is_contiguous(L));
  }
  static constexpr bool is_strided() noexcept { return is_always_strided(); }
  constexpr index_type stride(rank_type r) const noexcept
    requires(is_always_strided())
  {
    return static_cast<index_type>(stride_of(static_cast<int>(r)));
  }

  template <class Other>
  friend constexpr bool operator==(const mapping& a, const mapping<Other>& b) noexcept {
    return a.extents() == b.extents();
  }

 private:
  using Unsigned = std::make_unsigned_t<index_type>;

  static constexpr StridedLayout mode_of(int r) { return detail::sublayout(L, mode_at(L.profile, r)); }
  static constexpr Index stride_of(int r) { return detail::coalesce(mode_of(r)).stride[0]; }
  constexpr Index extent(int r) const {
    return static_cast<Index>(extents_.extent(static_cast<rank_type>(r)));
  }
  constexpr bool is_whole() const {
    for (int r = 0; r < L.rank(); ++r) {
      if (extent(r) != mode_of(r).size()) return false;
    }
    return true;
  }
  template <int... r>
  static constexpr Extents whole(std::integer_sequence<int, r...>) {
    return Extents(static_cast<index_type>(mode_of(r).size())...);
  }

  // The digits of one mode, with adjacent leaves merged: floor(i / weight) mod extent, each times its stride.
  template <int r>
  static constexpr StridedLayout kMode = detail::coalesce(mode_of(r));
  template <int r, int k>
  static constexpr Unsigned leaf_at(Unsigned i) {
    constexpr const StridedLayout& mode = kMode<r>;
    constexpr Index weight = [] {
      Index w = 1;
      for (int n = 0; n < k; ++n) w *= kMode<r>.extent[n];
      return w;
    }();
    if constexpr (mode.stride[k] == 0 || weight > std::numeric_limits<index_type>::max()) return 0;
    Unsigned digit = i / static_cast<Unsigned>(weight);
    if constexpr (k + 1 < mode.leaves()) digit %= static_cast<Unsigned>(mode.extent[k]);
    return digit * static_cast<Unsigned>(mode.stride[k]);
  }
  template <int r>
  static constexpr Unsigned mode_offset(Unsigned i) {
    return [i]<int... k>(std::integer_sequence<int, k...>) {
      return static_cast<Unsigned>((Unsigned{0} + ... + leaf_at<r, k>(i)));
    }(std::make_integer_sequence<int, kMode<r>.leaves()>{});
  }
  template <int... r, class... U>
  static constexpr Unsigned at(std::integer_sequence<int, r...>, U... i) {
    const auto offset = static_cast<Unsigned>((Unsigned{0} + ... + mode_offset<r>(i)));
    if constexpr (S.is_identity()) {
      return offset;
    } else {
      const auto read = static_cast<Unsigned>(offset & static_cast<Unsigned>(S.read_mask()));
      return static_cast<Unsigned>(offset ^ (S.shift >= 0 ? read >> (S.shift >= 0 ? S.shift : 0)
                                                          : read << (S.shift < 0 ? -S.shift : 0)));
    }
  }

  Extents extents_;
};

}  // namespace tessera
