// SPDX-License-Identifier: Apache-2.0
// The kernels of transpositions and of blocks.
#if defined(TESSERA_RELAYOUT_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_TRANSPOSE_INL_H
#undef TESSERA_RELAYOUT_TRANSPOSE_INL_H
#else
#define TESSERA_RELAYOUT_TRANSPOSE_INL_H
#endif

#include "relayout/kernels/combine-inl.h"
#include "relayout/kernels/shift-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

template <int E, class Rows, class Cols>
HWY_INLINE void transpose_leaf(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
  Rows rows;
  Cols cols;
  rows.stride = leaf.rows.src;
  cols.stride = leaf.cols.dst;
  constexpr bool kTables = requires { rows.table; };
  if constexpr (kTables) {
    rows.table = leaf.rows.src_table;
    cols.table = leaf.cols.dst_table;
  }
  if (!leaf.policy.stream) {
    Odometer loops = odometer(leaf, bounds);
    do {
      rows.base = src;
      cols.base = dst;
      transpose_plain<E>(rows, row_count, cols, col_count);
    } while (loops.next(src, dst));
    return;
  }
  const bool whole_lines = row_count % (kLine / E) == 0 && on_line(dst) && loops_on_line(leaf) &&
                           axis_on_line(leaf.cols, col_count);
  if (whole_lines) {
    stream_leaf<E>(leaf, rows, cols, src, dst, bounds);
  } else if (kTables || !shift_leaf<E>(leaf, src, dst, bounds)) {
    combine_leaf<E>(leaf, src, dst, bounds);
  }
  fence();
}

template <int E>
void transpose_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  transpose_leaf<E, Strided<const std::byte>, Strided<std::byte>>(leaf, src, dst, bounds);
}

template <int E>
void block_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  transpose_leaf<E, Scattered<const std::byte>, Scattered<std::byte>>(leaf, src, dst, bounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
