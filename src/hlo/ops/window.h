// SPDX-License-Identifier: Apache-2.0
/// \file
/// One windowed dimension: which input element is under each window element.
#pragma once

#include "hlo/check/op_reader.h"
#include "hlo/ops/map_builder.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {

/// A dimension with `in` input and `out` output elements under a window. Window element k of output o is at
/// place o * stride + k * rhs_dilate - pad_low of the dilated input; input x is at place x * lhs_dilate.
struct WindowAxis {
  Index in = 0;
  Index out = 0;
  WindowDim window;
  bool dynamic = false;  ///< `in` and `out` are bounds of sizes that are known only at run time

  /// Whether output o reads input o alone.
  bool is_identity() const;
  /// Whether every place fits in 64 bits.
  bool fits() const;
  /// Whether every window element of every output is an input element, never padding or a gap, for all sizes.
  bool always_inside() const;

  /// From output o to the input, constraints added to `map`: x with x * lhs_dilate = o * stride + k *
  /// rhs_dilate - low.
  Expr input_of(MapBuilder& map, Expr o, Expr k) const;
  /// From input x to the output: o with o * stride = x * lhs_dilate + low - k * rhs_dilate.
  Expr output_of(MapBuilder& map, Expr x, Expr k) const;
};

/// Checks that all places fit in 64 bits. `window` was checked by windowed_dims, which gave `out`.
Problem read_axes(const OpReader& reader, std::span<const WindowDim> window, std::span<const Index> in,
                  std::span<const Index> out, std::vector<WindowAxis>& axes);

/// The range variable of a window dimension, or 0 if it has one element.
Expr window_element(MapBuilder& map, const WindowDim& window);

}  // namespace tessera::detail
