// SPDX-License-Identifier: Apache-2.0
/// \file
/// layout_tessera_dynamic: layouts known at run time as the layout policy of an mdspan.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tessera/algebra/detail/layout_algebra.h"
#include "tessera/algebra/detail/mdspan_concepts.h"
#include "tessera/algebra/detail/span_size.h"
#include "tessera/algebra/detail/swizzle.h"

namespace tessera {

/// The layout policy for layouts known only at run time. One dimension for each top-level mode.
struct layout_tessera_dynamic {
  /// The most digits over all dimensions, after adjacent digits are merged.
  static constexpr int kMaxDigits = 16;

  template <class Extents>
  class mapping;
};

namespace detail {
/// The mapping, or why there is none; usable in constant expressions. algebra::make_mapping has the texts.
/// `leaf` of the error is the dimension. index_out_of_range: its extent and the size of its mode.
/// negative_stride: the extent and the stride of the digit; `witness` is the smallest index of the mode with
/// an offset below 0. overflow: a stride or, without a dimension, the number of offsets (kIndexMax: or more),
/// and the largest number of index_type.
template <class Extents>
constexpr Outcome<layout_tessera_dynamic::mapping<Extents>> make_mapping(const Extents& extents,
                                                                         const StridedLayout& layout,
                                                                         Swizzle swizzle);
}  // namespace detail

/// Like the mapping of layout_tessera, but holds up to 16 digits by value. For the reason why a layout cannot
/// have some extents, make the mapping with algebra::make_mapping of notation/cute.h.
template <class Extents>
class layout_tessera_dynamic::mapping {
 public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = typename Extents::rank_type;
  using layout_type = layout_tessera_dynamic;

  /// Row-major.
  constexpr mapping() : mapping(Extents()) {}
  constexpr explicit mapping(const Extents& extents) : mapping(extents, Empty{}) {
    Index stride = 1;
    for (int r = kRank; r-- > 0; stride *= extent(r)) set_stride(r, stride);
  }
  /// c -> swizzle(layout(c)) for indices below the extents. Traps unless fits().
  constexpr mapping(const Extents& extents, const StridedLayout& layout, Swizzle swizzle = Swizzle{0, 0, 0})
      : mapping(extents, Empty{}) {
    if (fill(layout, swizzle).failed) __builtin_trap();
  }
  /// The same layout with other extents.
  template <class Other>
    requires std::constructible_from<Extents, const Other&>
  constexpr explicit(!std::convertible_to<const Other&, Extents>) mapping(const mapping<Other>& other)
      : extents_(other.extents()),
        digits_(other.digits_),
        first_(other.first_),
        swizzle_(other.swizzle_),
        unique_(other.unique_) {}
  /// The layout of a constant mapping.
  template <detail::constant_mapping M>
    requires std::constructible_from<Extents, const typename M::extents_type&>
  constexpr explicit(!std::convertible_to<const typename M::extents_type&, Extents>) mapping(const M& other)
      : mapping(Extents(other.extents()), M::layout_type::layout(), M::layout_type::swizzle()) {}
  /// A mapping with the strides of any strided mapping: layout_left, layout_right, layout_stride.
  template <detail::strided_mapping M>
    requires(!detail::constant_mapping<M> &&
             std::constructible_from<Extents, const typename M::extents_type&>)
  constexpr explicit(!std::convertible_to<const typename M::extents_type&, Extents>) mapping(const M& other)
      : mapping(Extents(other.extents()), Empty{}) {
    for (int r = 0; r < kRank; ++r)
      set_stride(r, static_cast<Index>(other.stride(static_cast<typename M::rank_type>(r))));
    unique_ = other.is_unique();
  }

  /// True if the layout can have these extents: one extent per top-level mode, none below 0 or larger than
  /// its mode; integer strides of at least 0, at most kMaxDigits digits, and offsets that fit in index_type.
  static constexpr bool fits(const Extents& extents, const StridedLayout& layout,
                             Swizzle swizzle = Swizzle{0, 0, 0}) {
    return detail::make_mapping(extents, layout, swizzle).ok();
  }

  constexpr const Extents& extents() const noexcept { return extents_; }

  /// O(digits); one division for each digit but the last of its dimension.
  template <class... I>
    requires(sizeof...(I) == Extents::rank() && (std::convertible_to<I, index_type> && ...))
  constexpr index_type operator()(I... i) const noexcept {
    Unsigned offset = 0;
    int r = 0;
    ((offset = static_cast<Unsigned>(offset +
                                     mode_offset(r++, static_cast<Unsigned>(static_cast<index_type>(i))))),
     ...);
    return static_cast<index_type>(swizzle_.is_identity() ? offset : swizzle_(static_cast<Index>(offset)));
  }

  /// 1 + the largest offset; 0 if an extent is 0. O(digits); with a swizzle O(indices).
  constexpr index_type required_span_size() const noexcept {
    Index largest = 0;
    for (int r = 0; r < kRank; ++r) {
      if (extent(r) == 0) return 0;
      largest += largest_of(r);
    }
    if (swizzle_.is_identity()) return static_cast<index_type>(largest + 1);
    largest = 0;
    detail::for_each_index(
        kRank, [&](int r) { return extent(r); },
        [&](const Index* index) {
          Unsigned offset = 0;
          for (int r = 0; r < kRank; ++r)
            offset = static_cast<Unsigned>(offset + mode_offset(r, static_cast<Unsigned>(index[r])));
          const Index at = swizzle_(static_cast<Index>(offset));
          if (at > largest) largest = at;
        });
    return static_cast<index_type>(largest + 1);
  }

  static constexpr bool is_always_unique() noexcept { return false; }
  static constexpr bool is_always_exhaustive() noexcept { return false; }
  static constexpr bool is_always_strided() noexcept { return false; }
  /// False if two indices of the whole layout share an offset, even if the extents leave out one of them.
  constexpr bool is_unique() const noexcept { return unique_; }
  /// True for an empty mapping and for a unique one that uses every offset. A mapping that is not unique
  /// reports false even if it uses every offset.
  constexpr bool is_exhaustive() const noexcept {
    Index size = 1;
    for (int r = 0; r < kRank; ++r) size *= extent(r);
    return size == 0 || (unique_ && size == static_cast<Index>(required_span_size()));
  }
  constexpr bool is_strided() const noexcept {
    for (int r = 0; r < kRank; ++r) {
      if (first_[static_cast<std::size_t>(r) + 1] - first_[static_cast<std::size_t>(r)] > 1) return false;
    }
    return swizzle_.is_identity();
  }
  /// Requires is_strided().
  constexpr index_type stride(rank_type r) const noexcept {
    return static_cast<index_type>(digits_[static_cast<std::size_t>(first_[r])].stride);
  }

  template <class Other>
  friend constexpr bool operator==(const mapping& a, const mapping<Other>& b) noexcept {
    return a.extents() == b.extents() && a.same_digits(b);
  }

 private:
  template <class Other>
  friend class layout_tessera_dynamic::mapping;
  template <class E>
  friend constexpr detail::Outcome<layout_tessera_dynamic::mapping<E>> detail::make_mapping(
      const E&, const StridedLayout&, Swizzle);

  using Unsigned = std::make_unsigned_t<index_type>;
  static constexpr int kRank = static_cast<int>(Extents::rank());
  static_assert(kRank <= kMaxDigits);
  struct Empty {};
  struct StrideDigit {
    Unsigned extent = 1;
    Unsigned stride = 0;
    friend constexpr bool operator==(const StrideDigit&, const StrideDigit&) = default;
  };

  constexpr mapping(const Extents& extents, Empty) : extents_(extents) {}

  constexpr Index extent(int r) const {
    return static_cast<Index>(extents_.extent(static_cast<rank_type>(r)));
  }
  constexpr void set_stride(int r, Index stride) {
    digits_[static_cast<std::size_t>(r)] = {static_cast<Unsigned>(extent(r)), static_cast<Unsigned>(stride)};
    first_[static_cast<std::size_t>(r) + 1] = r + 1;
  }
  constexpr detail::AlgebraError fill(const StridedLayout& layout, Swizzle swizzle) {
    if (layout.rank() != kRank) return detail::refuse(Code::rank_mismatch, layout.rank(), kRank);
    if (layout.has_basis()) return detail::refuse(Code::unsupported_codomain);
    constexpr Index kLargest = std::numeric_limits<index_type>::max() < kIndexMax - 1
                                   ? static_cast<Index>(std::numeric_limits<index_type>::max())
                                   : kIndexMax - 1;
    int count = 0;
    Index most = 0;
    for (int r = 0; r < kRank; ++r) {
      const StridedLayout mode = detail::coalesce(detail::sublayout(layout, mode_at(layout.profile, r)));
      if (extent(r) < 0 || extent(r) > mode.size())
        return detail::refuse(Code::index_out_of_range, extent(r), mode.size(), r);
      Index weight = 1;
      for (int i = 0; i < mode.leaves(); ++i) {
        if (mode.stride[i] < 0) {
          detail::AlgebraError error =
              detail::refuse(Code::negative_stride, mode.extent[i], mode.stride[i], r);
          error.witness = weight;
          return error;
        }
        if (mode.stride[i] > kLargest) return detail::refuse(Code::overflow, mode.stride[i], kLargest, r);
        if (count == kMaxDigits) return detail::refuse(Code::capacity, layout.leaves(), kMaxDigits);
        // An extent may be capped at the largest value of index_type: no index exceeds it.
        const Index size = mode.extent[i] < kLargest ? mode.extent[i] : kLargest;
        digits_[static_cast<std::size_t>(count++)] = {static_cast<Unsigned>(size),
                                                      static_cast<Unsigned>(mode.stride[i])};
        if (size == kLargest) break;
        weight *= mode.extent[i];
      }
      first_[static_cast<std::size_t>(r) + 1] = count;
      if (extent(r) > 0 && add_overflows(most, largest_of(r), most))
        return detail::refuse(Code::overflow, kIndexMax, kLargest);
    }
    // A swizzle stays inside its aligned blocks.
    const Index block = detail::block_of(swizzle);
    if (most > kLargest - block) {
      const auto unit = static_cast<std::uint64_t>(block);
      const std::uint64_t span = (static_cast<std::uint64_t>(most) / unit + 1) * unit;
      return detail::refuse(
          Code::overflow, span < static_cast<std::uint64_t>(kIndexMax) ? static_cast<Index>(span) : kIndexMax,
          kLargest);
    }
    swizzle_ = swizzle;
    const detail::Outcome<Injectivity> known = detail::injectivity(layout);
    unique_ = known.ok() && known->injective;
    return {};
  }

  constexpr Unsigned mode_offset(int r, Unsigned i) const {
    int k = first_[static_cast<std::size_t>(r)];
    const int last = first_[static_cast<std::size_t>(r) + 1] - 1;
    Unsigned offset = 0;
    for (; k < last; ++k) {
      const StrideDigit& digit = digits_[static_cast<std::size_t>(k)];
      const auto next = static_cast<Unsigned>(i / digit.extent);
      offset = static_cast<Unsigned>(offset + (i - next * digit.extent) * digit.stride);
      i = next;
    }
    return static_cast<Unsigned>(offset + i * digits_[static_cast<std::size_t>(last)].stride);
  }
  constexpr Index largest_of(int r) const {
    const int from = first_[static_cast<std::size_t>(r)];
    return detail::largest_below(first_[static_cast<std::size_t>(r) + 1] - from, extent(r), [&](int i) {
      const StrideDigit& digit = digits_[static_cast<std::size_t>(from + i)];
      return std::pair(static_cast<Index>(digit.extent), static_cast<Index>(digit.stride));
    });
  }
  template <class M>
  constexpr bool same_digits(const M& other) const {
    if (!(swizzle_ == other.swizzle_) || first_ != other.first_) return false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(first_.back()); ++k) {
      if (static_cast<Index>(digits_[k].extent) != static_cast<Index>(other.digits_[k].extent) ||
          static_cast<Index>(digits_[k].stride) != static_cast<Index>(other.digits_[k].stride))
        return false;
    }
    return true;
  }

  Extents extents_;
  std::array<StrideDigit, kMaxDigits> digits_ = {};
  std::array<int, Extents::rank() + 1> first_ = {};  ///< the digits of dimension r begin at first_[r]
  Swizzle swizzle_ = Swizzle{0, 0, 0};
  bool unique_ = true;
};

namespace detail {
template <class Extents>
constexpr Outcome<layout_tessera_dynamic::mapping<Extents>> make_mapping(const Extents& extents,
                                                                         const StridedLayout& layout,
                                                                         Swizzle swizzle) {
  using Mapping = layout_tessera_dynamic::mapping<Extents>;
  Mapping mapping(extents, typename Mapping::Empty{});
  const AlgebraError error = mapping.fill(layout, swizzle);
  if (error.failed) return error;
  return mapping;
}

}  // namespace detail

}  // namespace tessera
