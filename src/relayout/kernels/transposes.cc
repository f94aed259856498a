// SPDX-License-Identifier: Apache-2.0
// Transpositions for each instruction set.
#if TESSERA_HAVE_HWY

#include "relayout/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relayout/kernels/transposes.cc"
#include <hwy/foreach_target.h>
// foreach_target.h comes before everything that is compiled per target.
#include <hwy/highway.h>

// Targets without 16-byte vectors use scalar.cc.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#include "relayout/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

template <int E>
Kernel transpose_of_element(Kind kind) {
  return kind == Kind::block ? block_kernel<E> : transpose_kernel<E>;
}

Kernel find_transpose(const Leaf& leaf) {
  switch (leaf.run) {
    case 1:
      return transpose_of_element<1>(leaf.kind);
    case 2:
      return transpose_of_element<2>(leaf.kind);
    case 4:
      return transpose_of_element<4>(leaf.kind);
    case 8:
      return transpose_of_element<8>(leaf.kind);
    case 16:
      return transpose_of_element<16>(leaf.kind);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // TESSERA_HAVE_HWY
