// SPDX-License-Identifier: Apache-2.0
// The kernels for Transpose and Block.
#if defined(TESSERA_RELAYOUT_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_TRANSPOSE_INL_H
#undef TESSERA_RELAYOUT_TRANSPOSE_INL_H
#else
#define TESSERA_RELAYOUT_TRANSPOSE_INL_H
#endif

#include "relayout/kernels/combine-inl.h"
#include "relayout/kernels/families-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

template <int E>
void transpose_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  if (leaf.policy.stream) {
    if (leaves_whole_lines(leaf, dst, bounds)) {
      stream_lines(leaf, src, dst, bounds);
    } else if (!shift_lines(leaf, src, dst, bounds)) {
      combine_leaf(leaf, src, dst, bounds);
    }
    return fence();
  }
  Odometer loops = odometer(leaf, bounds);
  do {
    transpose_plain<E>(Strided<const std::byte>{src, leaf.rows.src}, static_cast<Size>(bounds.rows),
                       Strided<std::byte>{dst, leaf.cols.dst}, static_cast<Size>(bounds.cols));
  } while (loops.next(src, dst));
}

template <int E>
void block_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  if (leaf.policy.stream) {
    if (!stream_blocks(leaf, src, dst, bounds)) combine_leaf(leaf, src, dst, bounds);
    return fence();
  }
  Odometer loops = odometer(leaf, bounds);
  do {
    transpose_plain<E>(
        Scattered<const std::byte>{src, leaf.rows.src, leaf.rows.src_table}, static_cast<Size>(bounds.rows),
        Scattered<std::byte>{dst, leaf.cols.dst, leaf.cols.dst_table}, static_cast<Size>(bounds.cols));
  } while (loops.next(src, dst));
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
