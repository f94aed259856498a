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

void stream_lines(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  const auto stream =
      select_by_size<1, 2, 4, 8, 16>(sweep.run, [](auto size) -> Kernel { return stream_sweep<size()>; });
  stream(sweep, src, dst, bounds);
}

bool stream_blocks(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  using Stream = bool (*)(const Sweep&, const std::byte*, std::byte*, const SweepBounds&);
  const auto stream = select_by_size<1, 2, 4, 8, 16>(
      sweep.run, [](auto size) -> Stream { return stream_block_sweep<size()>; });
  return stream(sweep, src, dst, bounds);
}

bool shift_lines(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  using Shift = bool (*)(const Sweep&, const std::byte*, std::byte*, const SweepBounds&);
  const auto shift =
      select_by_size<2, 4, 8>(sweep.run, [](auto size) -> Shift { return shift_sweep<size()>; });
  return shift != nullptr && shift(sweep, src, dst, bounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // TESSERA_HAVE_HWY
