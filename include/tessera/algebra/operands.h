// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the layout algebra takes and returns besides layouts: Coord, a coordinate with holes, Tiler, Slice,
/// ThreadValue, LinearBases, Injectivity; and layouts as written, with the marks `_` of CuTe C++'s
/// compile-time constants.
#pragma once

#include <cstdint>

#include "tessera/algebra/composed_layout.h"

namespace tessera {

/// Which end of a shape runs fastest.
enum class Order : std::uint8_t { left, right };

/// A coordinate with holes: `(2,_)`. Bit i of `holes` says that leaf i is `_`; its number is then 0.
struct Coord {
  IntTuple tuple = {};
  std::uint64_t holes = 0;

  constexpr Coord() = default;
  constexpr Coord(const IntTuple& t) : tuple(t) {}
  constexpr bool is_hole(int leaf) const { return ((holes >> leaf) & 1) != 0; }
  /// Ignores a leaf that does not fit.
  constexpr void set_hole(int leaf) {
    if (leaf < kMaxLeaves) holes |= std::uint64_t{1} << leaf;
  }
  friend constexpr bool operator==(const Coord&, const Coord&) = default;
};

/// `(3,8):(1,3)`, `4`, `_`, or by mode `<3:1,<8:2,_>>`. `nesting` is the tree of the angle brackets; terminal
/// i is mode i of `parts`.
struct Tiler {
  enum class Kind : std::uint8_t { layout, integer, everything };

  Profile nesting = {};
  StridedLayout parts = {};
  Kind kind[kMaxLeaves] = {};

  constexpr Tiler() : Tiler(StridedLayout{}) {}
  /// A tiler of one layout, not by mode.
  constexpr Tiler(const StridedLayout& layout) : parts(layout) { parts.profile = tuple_of(layout.profile); }
  /// The integer n, which is n:1; in divides and products 1 is 1:0.
  constexpr Tiler(Index n) : Tiler(StridedLayout{{}, {n}, {1}}) { kind[0] = Kind::integer; }

  constexpr bool by_mode() const { return !nesting.is_leaf(); }
  friend constexpr bool operator==(const Tiler& a, const Tiler& b) {
    if (!(a.nesting == b.nesting && a.parts == b.parts)) return false;
    for (int i = 0; i < a.nesting.leaves; ++i) {
      if (a.kind[i] != b.kind[i]) return false;
    }
    return true;
  }
};

/// The layout of the free modes, and the offset of the fixed ones (a coordinate for scaled bases).
struct Slice {
  StridedLayout layout = {};
  IntTuple offset = {};
  friend constexpr bool operator==(const Slice&, const Slice&) = default;
};

/// A layout from (thread, value) to the 1-D coordinate of a tile, and the tile's shape.
struct ThreadValue {
  StridedLayout layout = {};
  IntTuple tile = {};
  /// False: `threads` or `values` leave gaps, and the layout covers only a part of the tile.
  bool compact = true;
  friend constexpr bool operator==(const ThreadValue&, const ThreadValue&) = default;
};

/// For each leaf of the domain, the values at the single bits of its coordinate, lowest bit first.
struct LinearBases {
  int leaves = 0;
  std::uint8_t bits[kMaxLeaves] = {};  ///< the number of bits of each leaf
  Index basis[kMaxLeaves] = {};        ///< of all leaves, one after another; at most 62

  constexpr int total() const {
    int n = 0;
    for (int i = 0; i < leaves; ++i) n += bits[i];
    return n;
  }
  /// The value at the 1-D coordinate `i`.
  constexpr Index operator()(Index i) const {
    Index value = 0;
    for (int b = 0; b < total(); ++b) {
      if (((i >> b) & 1) != 0) value ^= basis[b];
    }
    return value;
  }
  friend constexpr bool operator==(const LinearBases&, const LinearBases&) = default;
};

/// Whether no two coordinates share an offset; if some do, `first` and `second` are such a pair.
struct Injectivity {
  bool injective = true;
  Index first = 0;
  Index second = 0;
  friend constexpr bool operator==(const Injectivity&, const Injectivity&) = default;
};

/// Which leaves are written `_N`: bit i is leaf i.
struct Marks {
  std::uint64_t extents = 0;
  std::uint64_t strides = 0;

  constexpr bool extent(int i) const { return ((extents >> i) & 1) != 0; }
  constexpr bool stride(int i) const { return ((strides >> i) & 1) != 0; }
  constexpr void set(int i, bool static_extent, bool static_stride) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    extents = static_extent ? extents | bit : extents & ~bit;
    strides = static_stride ? strides | bit : strides & ~bit;
  }
  friend constexpr bool operator==(const Marks&, const Marks&) = default;
};

/// A layout and its marks. The algebra works on `layout` and drops the marks.
struct TrackedLayout {
  StridedLayout layout = {};
  Marks marks = {};
  friend constexpr bool operator==(const TrackedLayout&, const TrackedLayout&) = default;
};

/// A shape or coordinate and its marks.
struct TrackedTuple {
  IntTuple tuple = {};
  std::uint64_t marks = 0;
  friend constexpr bool operator==(const TrackedTuple&, const TrackedTuple&) = default;
};

/// A coordinate with free modes and its marks.
struct TrackedCoord {
  Coord coord = {};
  std::uint64_t marks = 0;
  friend constexpr bool operator==(const TrackedCoord&, const TrackedCoord&) = default;
};

/// A tiler and the marks of its terminals.
struct TrackedTiler {
  Tiler tiler = {};
  Marks marks = {};
  friend constexpr bool operator==(const TrackedTiler&, const TrackedTiler&) = default;
};

/// A chain of parts and the marks of each. Bit i of `static_offset` marks the offset of part i.
struct TrackedComposed {
  ComposedLayout layout = {};
  Marks marks[ComposedLayout::kMaxParts] = {};
  std::uint8_t static_offset = 0;
  friend constexpr bool operator==(const TrackedComposed& a, const TrackedComposed& b) {
    if (!(a.layout == b.layout) || a.static_offset != b.static_offset) return false;
    for (int i = 0; i < a.layout.parts; ++i) {
      if (!(a.marks[i] == b.marks[i])) return false;
    }
    return true;
  }
};

}  // namespace tessera
