// SPDX-License-Identifier: Apache-2.0
// Chooses between the instruction sets at run time.
#if TESSERA_HAVE_HWY

#include "relayout/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relayout/kernels/targets.cc"
#include <hwy/foreach_target.h>
// foreach_target.h comes before everything that is compiled per target.
#include <hwy/highway.h>

#include "relayout/kernels/byte_shifts.h"
#include "relayout/kernels/kernel.h"

// Targets without 16-byte vectors use scalar.cc.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#include "relayout/kernels/families-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

Kernel find_kernel(const Leaf& leaf) {
  switch (leaf.kind) {
    case Kind::transpose:
    case Kind::block:
      return find_transpose(leaf);
    case Kind::interleave:
    case Kind::deinterleave:
      // Both are transpositions. find_transpose() handles 16 bytes, which need no shuffle.
      return leaf.run == 16 ? find_transpose(leaf) : find_interleave(leaf);
    default:
      return find_copy(leaf);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors

#if HWY_ONCE
namespace tessera::moving {
namespace {

struct Target {
  Isa isa;
  std::int64_t bit;
  Kernel (*find)(const Leaf&);
};

#if HWY_TARGETS & HWY_AVX3
void transpose_bytes(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  if (leaf.policy.stream && shift_bytes(leaf, src, dst, bounds)) return;
  N_AVX3::find_kernel(leaf)(leaf, src, dst, bounds);
}

Kernel find_avx512_dl(const Leaf& leaf) {
  if (leaf.kind == Kind::transpose && leaf.run == 1) return transpose_bytes;
  return N_AVX3::find_kernel(leaf);
}
#endif

// Simplest instruction set first.
constexpr Target kTargets[] = {
#if HWY_TARGETS & HWY_NEON
    {Isa::neon, HWY_NEON, N_NEON::find_kernel},
#endif
#if HWY_TARGETS & HWY_SSE4
    {Isa::sse4, HWY_SSE4, N_SSE4::find_kernel},
#endif
#if HWY_TARGETS & HWY_AVX2
    {Isa::avx2, HWY_AVX2, N_AVX2::find_kernel},
#endif
#if HWY_TARGETS & HWY_AVX3
    {Isa::avx512, HWY_AVX3, N_AVX3::find_kernel}, {Isa::avx512_dl, HWY_AVX3_DL, find_avx512_dl},
#endif
};

}  // namespace

bool isa_available(Isa isa) {
  if (isa == Isa::automatic || isa == Isa::scalar) return true;
  for (const Target& target : kTargets) {
    if (target.isa == isa) return (hwy::SupportedTargets() & target.bit) != 0;
  }
  return false;
}

Isa best_isa() {
  static const Isa best = [] {
    Isa widest = Isa::scalar;
    for (const Target& target : kTargets) {
      if (isa_available(target.isa)) widest = target.isa;
    }
    return widest;
  }();
  return best;
}

Kernel kernel_for(const Leaf& leaf, Isa isa) {
  if (isa == Isa::automatic) isa = best_isa();
  for (const Target& target : kTargets) {
    if (target.isa != isa) continue;
    if (const Kernel kernel = target.find(leaf)) return kernel;
  }
  return scalar_kernel;
}

}  // namespace tessera::moving
#endif  // HWY_ONCE
#endif  // TESSERA_HAVE_HWY
