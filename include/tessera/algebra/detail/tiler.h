// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiler: the right operand of compositions, divides and products: a layout, an integer, `_`, or one of these
/// per mode.
#pragma once

#include "tessera/algebra/detail/modes.h"

namespace tessera {

/// `(3,8):(1,3)`, `4`, `_`, or by mode `<3:1,<8:2,_>>`. `nesting` is the tree of the angle brackets; terminal
/// i is mode i of `parts`.
struct Tiler {
  enum class Kind : std::uint8_t { layout, integer, everything };

  Profile nesting = {};
  StridedLayout parts = {};
  Kind kind[kMaxLeaves] = {};

  constexpr Tiler() : Tiler(StridedLayout{}) {}
  /// A tiler of one layout, not by mode.
  constexpr Tiler(const StridedLayout& layout) {
    LayoutBuilder build(parts);
    build.tuple(1);
    build.copy(layout);
  }
  /// The integer n, which is n:1; in divides and products 1 is 1:0.
  constexpr Tiler(Index n) : Tiler(make_mode(n, 1)) { kind[0] = Kind::integer; }

  constexpr bool by_mode() const { return !nesting.is_leaf(); }
  friend constexpr bool operator==(const Tiler& a, const Tiler& b) {
    if (!(a.nesting == b.nesting && a.parts == b.parts)) return false;
    for (int i = 0; i < a.nesting.leaves; ++i) {
      if (a.kind[i] != b.kind[i]) return false;
    }
    return true;
  }
};

namespace detail {
/// A shape as a tiler: by mode with stride 1; an integer stays an integer. Errors: bad_extent, overflow,
/// capacity. Example: shape_tiler("(3,8)") is <3,8>.
constexpr Outcome<Tiler> shape_tiler(const IntTuple& shape) {
  Outcome<Tiler> out;
  Tiler& t = out.value;
  t.nesting = shape.profile;
  LayoutBuilder build(t.parts);
  build.tuple(shape.leaves());
  for (int i = 0; i < shape.leaves(); ++i) {
    build.leaf(shape.leaf[i], 1);
    t.kind[i] = Tiler::Kind::integer;
  }
  out.error = build.profile.error();
  for (int i = 0; i < shape.leaves() && out.ok(); ++i) {
    if (shape.leaf[i] < 1) out.error = refuse(Code::bad_extent, shape.leaf[i], 0, i);
  }
  return out;
}

}  // namespace detail

/// The layout at terminal `i`.
constexpr StridedLayout terminal(const Tiler& t, int i) {
  return detail::sublayout(t.parts, mode_at(t.parts.profile, i));
}

}  // namespace tessera
