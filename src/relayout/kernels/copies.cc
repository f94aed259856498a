// SPDX-License-Identifier: Apache-2.0
// Copies, gathers and fills for each instruction set.
#if TESSERA_HAVE_HWY

#include "relayout/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relayout/kernels/copies.cc"
#include <hwy/foreach_target.h>
// foreach_target.h comes before everything that is compiled per target.
#include <hwy/highway.h>

// Targets without 16-byte vectors use scalar.cc.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#include "relayout/kernels/copy-inl.h"
#include "relayout/kernels/families-inl.h"
#include "relayout/kernels/gather-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

Kernel find_copy(const Sweep& sweep) {
  if (sweep.is<mover::Copy>()) return copy_kernel;
  if (sweep.is<mover::Fill>()) return fill_kernel;
  return select_by_size<1, 2, 4, 8, 16>(sweep.run, [&](auto size) -> Kernel {
    return sweep.is<mover::Gather>() ? gather_kernel<size()> : table_kernel<size()>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // TESSERA_HAVE_HWY
