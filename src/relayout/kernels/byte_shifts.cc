// SPDX-License-Identifier: Apache-2.0
#if TESSERA_HAVE_HWY

#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relayout/kernels/byte_shifts.cc"
#include <hwy/foreach_target.h>
// foreach_target.h comes before everything that is compiled per target.
#include <hwy/highway.h>

#include "relayout/kernels/byte_shifts.h"

#if HWY_TARGET == HWY_AVX3_DL

#include "relayout/kernels/shift-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

bool shift_bytes(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if (leaves_whole_lines(sweep, dst, bounds) || !shift_sweep<1>(sweep, src, dst, bounds)) return false;
  fence();
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // AVX3_DL

#if HWY_ONCE
namespace tessera::moving {

bool shift_bytes(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
#if HWY_TARGETS & HWY_AVX3_DL
  return N_AVX3_DL::shift_bytes(sweep, src, dst, bounds);
#else
  (void)sweep, (void)src, (void)dst, (void)bounds;
  return false;
#endif
}

}  // namespace tessera::moving
#endif  // HWY_ONCE
#endif  // TESSERA_HAVE_HWY
