// SPDX-License-Identifier: Apache-2.0
/// \file
/// What it costs to move the registers of a Triton layout from and to shared and global memory.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/triton_layout.h"

namespace tessera {

/// What ldmatrix or stmatrix would do.
struct MatrixAccess {
  bool trans = false;
  Index matrices = 0;  ///< of 8 rows of 16 bytes, all warps
  Index wavefronts = 0;
};

/// A load or store of shared memory by all warps of a block.
struct LocalAccess {
  Index vector = 1;      ///< elements of an instruction of a thread
  bool counted = false;  ///< false: the banks of the target are not known, and only the vector is
  Index instructions = 0;
  Index wavefronts = 0;
  Index ideal = 0;
  int ways = 0;
  bool misaligned = false;                  ///< an address is not a multiple of its vector
  std::optional<MatrixAccess> matrix = {};  ///< empty if no matrix instruction can do it
  /// Whether a matrix instruction that transposes 8-bit elements (CC 10.0) may take the place of the vectors;
  /// it is not modeled, so `matrix` is empty and the counts are those of the vectors.
  bool transposes = false;
};

/// The access of registers to `memory`, a layout of shared memory with a shape. The vector is the widest of
/// at most 16 bytes whose elements are registers of a thread. Targets are `cuda:90`, `hip:gfx942`, ... Exact
/// under the model of the target's banks. O(threads * registers). Errors: not_applicable (not a layout of
/// registers, not one of shared memory), shape_mismatch, those of triton_bases and analyze_accesses.
Result<LocalAccess> local_access(const TritonBases& registers, const TritonLayout& memory, Index element_bits,
                                 bool is_write, std::string_view target);

/// A load or store of global memory by all warps.
struct RegisterGlobalAccess {
  Index vector = 1;
  Index instructions = 0;
  Index requested = 0;  ///< bytes that the lanes ask for
  Index bytes = 0;      ///< different bytes
  Index sectors = 0;
  Index lines = 0;
};

/// The access of registers to an array with these strides, in elements; an unknown stride puts the indices of
/// its dimension far apart, each at a multiple of `align` bytes. Registers make a vector in order from the
/// lowest. Exact. Errors: not_applicable, rank_mismatch, overflow, those of analyze_accesses.
Result<RegisterGlobalAccess> global_access(const TritonBases& registers,
                                           std::span<const std::optional<Index>> strides, Index element_bits,
                                           Index align);

}  // namespace tessera
