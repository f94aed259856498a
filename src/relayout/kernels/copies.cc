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

template <int E>
Kernel copy_of_element(Kind kind) {
  return kind == Kind::gather ? gather_kernel<E> : table_kernel<E>;
}

Kernel find_copy(const Leaf& leaf) {
  if (leaf.kind == Kind::copy) return copy_kernel;
  if (leaf.kind == Kind::fill) return fill_kernel;
  switch (leaf.run) {
    case 1:
      return copy_of_element<1>(leaf.kind);
    case 2:
      return copy_of_element<2>(leaf.kind);
    case 4:
      return copy_of_element<4>(leaf.kind);
    case 8:
      return copy_of_element<8>(leaf.kind);
    case 16:
      return copy_of_element<16>(leaf.kind);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // TESSERA_HAVE_HWY
