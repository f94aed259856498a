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
#include "tessera/relayout/plan.h"

// Targets without 16-byte vectors use scalar.cc.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#include "relayout/kernels/families-inl.h"
#include "relayout/kernels/scalar.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

Kernel find_kernel(const Sweep& sweep) {
  if (sweep.is<mover::Transpose, mover::Block>()) return find_transpose(sweep);
  if (sweep.is<mover::Interleave, mover::Deinterleave>()) {
    // Both are transpositions. find_transpose() handles 16 bytes, which need no shuffle.
    return sweep.run == 16 ? find_transpose(sweep) : find_interleave(sweep);
  }
  return find_copy(sweep);
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // vectors

#if HWY_ONCE
namespace tessera::moving {
namespace {

struct KernelTarget {
  Isa isa;
  std::int64_t bit;
  Kernel (*find)(const Sweep&);
};

#if HWY_TARGETS & HWY_AVX3
void transpose_bytes(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if (sweep.policy.stream && shift_bytes(sweep, src, dst, bounds)) return;
  N_AVX3::find_kernel(sweep)(sweep, src, dst, bounds);
}

Kernel find_avx512_dl(const Sweep& sweep) {
  if (sweep.is<mover::Transpose>() && sweep.run == 1) return transpose_bytes;
  return N_AVX3::find_kernel(sweep);
}
#endif

// Simplest instruction set first.
constexpr KernelTarget kTargets[] = {
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

// True if this core and its system run code for this target. On x86 the compiler's own library knows that,
// too. Then nothing needs libhwy, which measures a timer for 5 ms whenever a program starts. Not all
// compilers know the names F16C, LZCNT and VAES; cores with AVX2 have the first two, those with AVX3_DL the
// third.
bool core_runs(std::int64_t target) {
#if HWY_ARCH_X86
#define TESSERA_HAS(feature) (__builtin_cpu_supports(feature) != 0)
  const bool sse4 =
      TESSERA_HAS("ssse3") && TESSERA_HAS("sse4.2") && TESSERA_HAS("pclmul") && TESSERA_HAS("aes");
  const bool avx2 =
      sse4 && TESSERA_HAS("avx2") && TESSERA_HAS("bmi") && TESSERA_HAS("bmi2") && TESSERA_HAS("fma");
  const bool avx3 = avx2 && TESSERA_HAS("avx512f") && TESSERA_HAS("avx512cd") && TESSERA_HAS("avx512vl") &&
                    TESSERA_HAS("avx512dq") && TESSERA_HAS("avx512bw");
  const bool avx3_dl = avx3 && TESSERA_HAS("avx512vbmi") && TESSERA_HAS("avx512vbmi2") &&
                       TESSERA_HAS("avx512vnni") && TESSERA_HAS("avx512bitalg") &&
                       TESSERA_HAS("avx512vpopcntdq") && TESSERA_HAS("gfni") && TESSERA_HAS("vpclmulqdq");
#undef TESSERA_HAS
  return target == HWY_SSE4   ? sse4
         : target == HWY_AVX2 ? avx2
         : target == HWY_AVX3 ? avx3
                              : target == HWY_AVX3_DL && avx3_dl;
#else
  return (hwy::SupportedTargets() & target) != 0;
#endif
}

}  // namespace

bool isa_available(Isa isa) {
  if (isa == Isa::automatic || isa == Isa::scalar) return true;
  for (const KernelTarget& target : kTargets) {
    if (target.isa == isa) return core_runs(target.bit);
  }
  return false;
}

Isa best_isa() {
  static const Isa best = [] {
    Isa widest = Isa::scalar;
    for (const KernelTarget& target : kTargets) {
      if (isa_available(target.isa)) widest = target.isa;
    }
    return widest;
  }();
  return best;
}

Kernel kernel_for(const Sweep& sweep, Isa isa) {
  if (isa == Isa::automatic) isa = best_isa();
  for (const KernelTarget& target : kTargets) {
    if (target.isa != isa) continue;
    if (const Kernel kernel = target.find(sweep)) return kernel;
  }
  return scalar_kernel;
}

}  // namespace tessera::moving
#endif  // HWY_ONCE
#endif  // TESSERA_HAVE_HWY
