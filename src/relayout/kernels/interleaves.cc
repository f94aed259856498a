// SPDX-License-Identifier: Apache-2.0
// Interleaving and deinterleaving for each instruction set.
#if TESSERA_HAVE_HWY

#include "relayout/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relayout/kernels/interleaves.cc"
#include <hwy/foreach_target.h>
// foreach_target.h comes before everything that is compiled per target.
#include <hwy/highway.h>

// Targets without 16-byte vectors use scalar.cc.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#include "relayout/kernels/families-inl.h"
#include "relayout/kernels/interleave-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

Kernel find_interleave(const Sweep& sweep) {
  const bool joins = sweep.is<mover::Interleave>();
  const Index ways = joins ? sweep.rows.count : sweep.cols.count;
  const bool known_element = sweep.run == 1 || sweep.run == 2 || sweep.run == 4 || sweep.run == 8;
  if (!known_element || ways < 2 || ways > 4) return nullptr;
  return joins ? interleave_kernel : deinterleave_of(static_cast<Size>(sweep.run), static_cast<Size>(ways));
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // TESSERA_HAVE_HWY
