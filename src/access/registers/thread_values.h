// SPDX-License-Identifier: Apache-2.0
/// \file
/// ThreadValues: the threads and registers of one block of a register layout.
#pragma once

#include <span>
#include <vector>

#include "tessera/notation/layout.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::access {

struct ThreadValues {
  std::vector<Index> shape = {};
  TritonBasisList register_bases = {};  ///< without copies
  TritonBasisList lane_bases = {};
  TritonBasisList warp_bases = {};
  std::vector<Index> registers = {};  ///< images of the bases
  std::vector<Index> lanes = {};
  std::vector<Index> warps = {};
};

/// Errors: not_applicable (a layout of memory).
Result<ThreadValues> thread_values(const TritonBases& registers);

/// The layout from (thread, value) to the 1-D index of the element, the first dimension fastest. The values
/// of the registers in `first` come first.
Result<Layout> thread_value_layout(const ThreadValues& values, std::span<const std::size_t> first);

}  // namespace tessera::access
