// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiler: the right operand of compositions, divides and products: a layout, an integer, `_`, or one of these
/// per mode.
#pragma once

#include "tessera/algebra/detail/modes.h"

namespace tessera {
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
