// SPDX-License-Identifier: Apache-2.0
// Compiles the kernels once for each instruction set and chooses between them at run time.
#if TESSERA_HAVE_HWY

#define HWY_WANT_AVX3_DL
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS HWY_SSSE3
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "relayout/kernels/targets.cc"
#include <hwy/foreach_target.h>
// foreach_target.h must stand before everything that is compiled per target.
#include <hwy/highway.h>

#include "relayout/kernels/kernel.h"

// Targets without 16-byte vectors have the scalar twin.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#include "relayout/kernels/copy-inl.h"
#include "relayout/kernels/gather-inl.h"
#include "relayout/kernels/interleave-inl.h"
#include "relayout/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

template <int E>
Kernel kernel_of_ways(Kind kind, Index ways) {
  const bool joins = kind == Kind::interleave;
  switch (ways) {
    case 2:
      return joins ? interleave_kernel<E, 2> : deinterleave_kernel<E, 2>;
    case 3:
      return joins ? interleave_kernel<E, 3> : deinterleave_kernel<E, 3>;
    case 4:
      return joins ? interleave_kernel<E, 4> : deinterleave_kernel<E, 4>;
    default:
      return nullptr;
  }
}

template <int E>
Kernel kernel_of_element(const Leaf& leaf) {
  switch (leaf.kind) {
    case Kind::transpose:
      return transpose_kernel<E>;
    case Kind::interleave:
    case Kind::deinterleave:
      // Both are transpositions; 16 bytes need no shuffle.
      if constexpr (E == 16) {
        return transpose_kernel<E>;
      } else {
        return kernel_of_ways<E>(leaf.kind,
                                 leaf.kind == Kind::interleave ? leaf.rows.count : leaf.cols.count);
      }
    case Kind::block:
      return block_kernel<E>;
    case Kind::gather:
      return gather_kernel<E>;
    default:
      return table_kernel<E>;
  }
}

Kernel find_kernel(const Leaf& leaf) {
  if (leaf.kind == Kind::copy) return copy_kernel;
  if (leaf.kind == Kind::fill) return fill_kernel;
  switch (leaf.run) {
    case 1:
      return kernel_of_element<1>(leaf);
    case 2:
      return kernel_of_element<2>(leaf);
    case 4:
      return kernel_of_element<4>(leaf);
    case 8:
      return kernel_of_element<8>(leaf);
    case 16:
      return kernel_of_element<16>(leaf);
    default:
      return nullptr;
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

// Plainest first.
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
    {Isa::avx512, HWY_AVX3, N_AVX3::find_kernel},
#endif
#if HWY_TARGETS & HWY_AVX3_DL
    {Isa::avx512_dl, HWY_AVX3_DL, N_AVX3_DL::find_kernel},
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
