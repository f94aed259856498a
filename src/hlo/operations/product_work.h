// SPDX-License-Identifier: Apache-2.0
/// \file
/// The operations of dot, convolution, and the custom calls that replace them.
#pragma once

#include "hlo/operations/work.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The number of elements of an array; of a tuple, of all its arrays. A bound if an extent is known only at
/// run time.
Count count_elements(const HloType& type);

/// Two operations for each pair of elements that meet in a dot. The type is the wider one of the operands. A
/// ragged-dot may have fewer: rows after the last group meet nothing.
Work dot_work(const Instruction& op);

/// Two operations for each element of the input that a kernel element is over, for each output.
Work convolution_work(const Instruction& op);

/// The products of `__cublas$gemm` and its relatives, from their backend_config; nothing for the markers of
/// the partitioner; unknown for all others.
Work custom_call_work(const Instruction& op);

}  // namespace tessera::detail
