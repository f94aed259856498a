// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps of an operation, for explanations. NoTrace compiles to nothing.
#pragma once

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {

/// The kind of a step; the comments list the numbers of each step in order.
enum class StepKind : std::uint8_t {
  drop_unit,     ///< extent, stride: an extent of 1 contributes nothing
  merge,         ///< s0, d0, s1, d1: s0 * d0 == d1, one mode s0*s1 : d0
  keep,          ///< extent, stride
  filter_zero,   ///< extent: stride 0 repeats offsets
  leaf,          ///< leaf of B, extent, stride
  unit_leaf,     ///< stride, A(stride): extent 1
  zero_leaf,     ///< extent
  skip_mode,     ///< mode, its extent, d, d / extent
  fits,          ///< mode, its extent, n, d, stride emitted
  split,         ///< mode, its extent, d, c = extent / d, stride emitted, n / c
  last_mode,     ///< n, d, stride emitted
  general,       ///< extent, stride: divisibility does not decide, so the values are compared
  no_carry,      ///< mode, its extent, largest sum of digits
  compare_all,   ///< number of coordinates compared
  sorted,        ///< extent, stride
  hole,          ///< stride, cursor, extent emitted, stride emitted
  not_tiling,    ///< stride, cursor: the gap is not filled exactly
  rest,          ///< cotarget / cursor, cursor
  chain,         ///< extent, stride, position: the mode joins the chain
  off_chain,     ///< extent, stride, cursor
  gap,           ///< stride / cursor, position
  divide_tiler,  ///< size of the tile, size of the complement
};

struct TraceStep {
  StepKind kind = StepKind::keep;
  Index number[6] = {};
};

/// The default trace: records nothing, and the compiler removes the calls.
struct NoTrace {
  template <class... I>
  constexpr void operator()(StepKind, I...) const {}
};

/// A trace that passes each step to a callable `void(const TraceStep&)`, by reference.
template <class Sink>
struct TraceTo {
  Sink* sink;
  template <class... I>
  constexpr void operator()(StepKind kind, I... number) const {
    (*sink)(TraceStep{kind, {static_cast<Index>(number)...}});
  }
};
template <class Sink>
TraceTo(Sink*) -> TraceTo<Sink>;

/// The type of the last parameter of traced operations.
template <class T>
concept tracer = requires(const T& trace) { trace(StepKind::keep, Index{1}, Index{1}); };

}  // namespace tessera
