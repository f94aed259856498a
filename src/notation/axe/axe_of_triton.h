// SPDX-License-Identifier: Apache-2.0
/// \file
/// Axe layouts of Triton's registers, of tensor memory, and of memory in several blocks.
#pragma once

#include "tessera/notation/axe.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::detail {

/// Whether the elements are in registers of threads, in tensor memory, or in the shared memory of several
/// blocks or partitions, so that their places have axes.
bool has_axes(const TritonLayout& layout);

/// The placement of the tensor, in its shape: lanes on `laneid`, warps on `warpid`, blocks on `cbx`,
/// registers on `m`; tensor memory on `TLane` and `TCol`. Where lanes and warps of Axe do not fit (warps of
/// another size than 32, blocks of one warp), all threads of a block are on `tx`. Equal to the layout.
/// Errors: those of triton_bases and make_axe; not_representable if the shape counts buffers or is that of a
/// part of one, and with reason `axes` (a bit of the index moves several axes) or `irregular` (steps on an
/// axis share a bit, so that they are an XOR and no sum).
Result<AxeLayout> axe_of_triton(const TritonLayout& layout);

}  // namespace tessera::detail
