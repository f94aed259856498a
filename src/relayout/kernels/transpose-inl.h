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
void transpose_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if (sweep.policy.stream) {
    if (leaves_whole_lines(sweep, dst, bounds)) {
      stream_lines(sweep, src, dst, bounds);
    } else if (!shift_lines(sweep, src, dst, bounds)) {
      combine_sweep(sweep, src, dst, bounds);
    }
    return fence();
  }
  Odometer loops = odometer(sweep, bounds);
  do {
    transpose_plain<E>(Strided<const std::byte>{src, sweep.rows.src}, static_cast<Size>(bounds.rows),
                       Strided<std::byte>{dst, sweep.cols.dst}, static_cast<Size>(bounds.cols));
  } while (loops.next(src, dst));
}

template <int E>
void block_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if (sweep.policy.stream) {
    if (!stream_blocks(sweep, src, dst, bounds)) combine_sweep(sweep, src, dst, bounds);
    return fence();
  }
  Odometer loops = odometer(sweep, bounds);
  do {
    transpose_plain<E>(
        Scattered<const std::byte>{src, sweep.rows.src, sweep.rows.src_table}, static_cast<Size>(bounds.rows),
        Scattered<std::byte>{dst, sweep.cols.dst, sweep.cols.dst_table}, static_cast<Size>(bounds.cols));
  } while (loops.next(src, dst));
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
