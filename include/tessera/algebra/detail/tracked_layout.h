// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts as written, with the marks `_` of CuTe C++'s compile-time constants.
#pragma once

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/tiler.h"

namespace tessera {

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

/// A chain of parts and the marks of each. `static_offset` bit i is the offset of part i.
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
