// SPDX-License-Identifier: Apache-2.0
/// \file
/// StridedLayout: `shape:stride`, the function from a coordinate to Σ digit · stride; and IntTuple, an
/// integer or a tuple of IntTuples: shapes and coordinates.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "tessera/algebra/detail/profile.h"
#include "tessera/algebra/detail/split_digits.h"

namespace tessera {

/// Nested integers such as `(3,(6,2),8)`, at most kMaxLeaves leaves; unused slots are zero. `(2)` is not `2`.
/// A structural type: usable as a template argument.
struct IntTuple {
  Profile profile = {};
  Index leaf[kMaxLeaves] = {};

  constexpr IntTuple() = default;
  constexpr IntTuple(Index value) : leaf{value} {}

  constexpr int rank() const { return profile.rank(); }
  constexpr int leaves() const { return profile.leaves; }
  constexpr bool is_integer() const { return profile.is_leaf(); }

  friend constexpr bool operator==(const IntTuple& a, const IntTuple& b) {
    if (!(a.profile == b.profile)) return false;
    for (int i = 0; i < a.leaves(); ++i) {
      if (a.leaf[i] != b.leaf[i]) return false;
    }
    return true;
  }
};

/// A flat tuple: make_tuple(4, 3) is (4,3), make_tuple(4) is (4).
template <class... I>
constexpr IntTuple make_tuple(I... values) {
  static_assert(sizeof...(I) <= kMaxLeaves);
  IntTuple t;
  ProfileBuilder profile(t.profile);
  profile.tuple(static_cast<int>(sizeof...(I)));
  ((t.leaf[profile.leaf()] = static_cast<Index>(values)), ...);
  return t;
}

/// The levels of nesting: 0 for an integer, 1 for a flat tuple.
constexpr int depth(const IntTuple& t) { return depth(t.profile); }
/// Whether both are nested alike.
constexpr bool congruent(const IntTuple& a, const IntTuple& b) { return a.profile == b.profile; }
/// Whether every integer of `a` is an integer or a tuple of `b`.
constexpr bool weakly_congruent(const IntTuple& a, const IntTuple& b) {
  return weakly_congruent(a.profile, b.profile);
}

/// The path of a scaled basis, `v@i0@i1`: the component of a coordinate along which the stride steps. Byte k
/// is 1 + the index at level k, outermost first; 0 is "no path", an ordinary stride. At most 8 levels.
using BasisPath = std::uint64_t;
inline constexpr int kMaxPathLevels = 8;
inline constexpr int kMaxPathIndex = 254;

/// Congruent nested extents and strides: `(2,(2,2)):(4,(2,1))`. Maps 0 to 0. Extents are at least 1, the size
/// and every offset fit in 63 bits, and strides may be 0, negative, or scaled bases. Unused slots are zero.
/// The members are public only so that a layout can be a template argument: make one with make_strided, parse
/// or an operation.
struct StridedLayout {
  Profile profile = {};
  Index extent[kMaxLeaves] = {1};
  Index stride[kMaxLeaves] = {};
  BasisPath path[kMaxLeaves] = {};

  constexpr int rank() const { return profile.rank(); }
  constexpr int leaves() const { return profile.leaves; }
  /// The number of coordinates.
  constexpr Index size() const { return size_at({}); }
  /// The number of coordinates of the sub-tree at `at`.
  constexpr Index size_at(Cursor at) const {
    const int end = after(profile, at).leaf;
    Index product = 1;
    for (int i = at.leaf; i < end; ++i) product *= extent[i];
    return product;
  }
  /// The extents, with the nesting of the layout.
  constexpr IntTuple shape() const {
    IntTuple t;
    t.profile = profile;
    t.leaf[0] = 0;
    for (int i = 0; i < leaves(); ++i) t.leaf[i] = extent[i];
    return t;
  }
  /// True if some stride is a scaled basis, so that values are coordinates.
  constexpr bool has_basis() const {
    for (int i = 0; i < leaves(); ++i) {
      if (path[i] != 0) return true;
    }
    return false;
  }

  /// The offset of the 1-D coordinate `i`, for any integer: the last mode is unbounded, and L(-i) = -L(i).
  /// Requires integer strides and an offset that fits in 64 bits (always true for 0 <= i < size()).
  /// O(leaves).
  constexpr Index operator()(Index i) const {
    Index sum = 0;
    detail::split_digits(extent, 0, leaves(), i, [&](int leaf, Index digit) { sum += digit * stride[leaf]; });
    return sum;
  }
  /// The offset of a coordinate with one number for each top-level mode, each in [0, size of the mode):
  /// `offset({2, 3})`. Requires integer strides. O(leaves). Example: (4,8):(8,1) has (2,3) at 19.
  constexpr Index offset(std::span<const Index> index) const {
    Index sum = 0;
    Cursor mode = profile.is_leaf() ? Cursor{} : first_mode(profile);
    for (const Index i : index) {
      const Cursor next = after(profile, mode);
      detail::split_digits(extent, mode.leaf, next.leaf, i,
                           [&](int leaf, Index digit) { sum += digit * stride[leaf]; });
      mode = next;
    }
    return sum;
  }
  constexpr Index offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }

  friend constexpr bool operator==(const StridedLayout& a, const StridedLayout& b) {
    if (!(a.profile == b.profile)) return false;
    for (int i = 0; i < a.leaves(); ++i) {
      if (a.extent[i] != b.extent[i] || a.stride[i] != b.stride[i] || a.path[i] != b.path[i]) return false;
    }
    return true;
  }
};

/// The levels of nesting: 0 for `8:1`, 1 for `(4,8):(8,1)`.
constexpr int depth(const StridedLayout& l) { return depth(l.profile); }

/// The smallest and the largest offset: the sum of all negative, and of all positive, (extent - 1) · stride.
/// Requires integer strides. Exact, O(leaves).
constexpr Index image_min(const StridedLayout& l) {
  Index sum = 0;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] < 0) sum += (l.extent[i] - 1) * l.stride[i];
  }
  return sum;
}
constexpr Index image_max(const StridedLayout& l) {
  Index sum = 0;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] > 0) sum += (l.extent[i] - 1) * l.stride[i];
  }
  return sum;
}

}  // namespace tessera
