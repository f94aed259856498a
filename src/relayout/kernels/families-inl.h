// SPDX-License-Identifier: Apache-2.0
// The entry points of each family of kernels. Each family is a separate file, because all of them together
// take minutes to compile.
#if defined(TESSERA_RELAYOUT_FAMILIES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_FAMILIES_INL_H
#undef TESSERA_RELAYOUT_FAMILIES_INL_H
#else
#define TESSERA_RELAYOUT_FAMILIES_INL_H
#endif

#include "relayout/element_sizes.h"
#include "relayout/sweep.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// copies.cc: Copy, Fill, Gather, Scatter and Table.
Kernel find_copy(const Sweep& sweep);

// interleaves.cc: elements of 1, 2, 4 and 8 bytes.
Kernel find_interleave(const Sweep& sweep);

// transposes.cc: Transpose and Block; 16-byte elements of Interleave and Deinterleave.
Kernel find_transpose(const Sweep& sweep);

// streams.cc: Transpose with streaming stores if columns are whole lines. No fence.
void stream_lines(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds);

// streams.cc: Block with streaming stores if columns are whole lines. No fence. Returns false without
// copying if they are not, or if a buffer is faster.
bool stream_blocks(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds);

// streams.cc: Transpose into long columns that begin anywhere within lines. No fence. Returns false
// without copying if columns are short or this target has no such kernel.
bool shift_lines(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds);

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
