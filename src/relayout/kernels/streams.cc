// SPDX-License-Identifier: Apache-2.0
// Transpositions past the caches for each instruction set.
#if TESSERA_HAVE_HWY

#include "relayout/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relayout/kernels/streams.cc"
#include <hwy/foreach_target.h>
// foreach_target.h comes before everything that is compiled per target.
#include <hwy/highway.h>

// Targets without 16-byte vectors use scalar.cc.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#include "relayout/kernels/families-inl.h"
#include "relayout/kernels/shift-inl.h"
#include "relayout/kernels/stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

void stream_lines(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  switch (leaf.run) {
    case 1:
      return stream_leaf<1>(leaf, src, dst, bounds);
    case 2:
      return stream_leaf<2>(leaf, src, dst, bounds);
    case 4:
      return stream_leaf<4>(leaf, src, dst, bounds);
    case 8:
      return stream_leaf<8>(leaf, src, dst, bounds);
    default:
      return stream_leaf<16>(leaf, src, dst, bounds);
  }
}

bool shift_lines(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  switch (leaf.run) {
    case 2:
      return shift_leaf<2>(leaf, src, dst, bounds);
    case 4:
      return shift_leaf<4>(leaf, src, dst, bounds);
    case 8:
      return shift_leaf<8>(leaf, src, dst, bounds);
    default:
      return false;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // TESSERA_HAVE_HWY
