// SPDX-License-Identifier: Apache-2.0
// Transpositions with streaming stores for each instruction set.
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
  const auto stream =
      select_by_size<1, 2, 4, 8, 16>(leaf.run, [](auto size) -> Kernel { return stream_leaf<size()>; });
  stream(leaf, src, dst, bounds);
}

bool stream_blocks(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  using Stream = bool (*)(const Leaf&, const std::byte*, std::byte*, const Bounds&);
  const auto stream =
      select_by_size<1, 2, 4, 8, 16>(leaf.run, [](auto size) -> Stream { return stream_block_leaf<size()>; });
  return stream(leaf, src, dst, bounds);
}

bool shift_lines(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  using Shift = bool (*)(const Leaf&, const std::byte*, std::byte*, const Bounds&);
  const auto shift = select_by_size<2, 4, 8>(leaf.run, [](auto size) -> Shift { return shift_leaf<size()>; });
  return shift != nullptr && shift(leaf, src, dst, bounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // TESSERA_HAVE_HWY
