// SPDX-License-Identifier: Apache-2.0
/// \file
/// The instruction sets that kernels are compiled for. Included first by every file that hwy/foreach_target.h
/// compiles once per target, so that all of them agree.
#pragma once

// SSSE3 would gain nothing over SSE4, which is as common. AVX3_DL differs from AVX3 in one kernel,
// byte_shifts.cc. TESSERA_FEW_TARGETS keeps two vector widths, for builds in which each target takes long to
// compile.
#ifdef TESSERA_FEW_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
