// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of questions about accesses.
#pragma once

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason.
struct AccessLimits {
  Index starts = Index{1} << 16;         ///< combinations of warps and values that the closed form enumerates
  int search_nodes = 2'000'000;          ///< of a search for a map of banks
  Index lanes = Index{1} << 22;          ///< of a grid, each of which is visited
  Index warp_lanes = 64;                 ///< of a warp of any GPU
  Index segment_bytes = Index{1} << 16;  ///< of a segment of memory
  Index residues = 4096;              ///< elements of a segment; above, instructions are counted one by one
  Index indices = Index{1} << 22;     ///< of a box, or (thread, value) pairs of an access, counted one by one
  Index grid_bytes = Index{1} << 60;  ///< an address of a grid, so that sums of a few fit in 64 bits
  Index address = Index{1} << 62;     ///< in bytes, so that its sum with a width fits in 64 bits
  Index sized_pairs = 4096;           ///< (thread, value) pairs of an access to a layout with names
  int sized_proofs = 8 * 4096;        ///< and residues of sizes, in all cases of such an access
  Index offset = Index{1} << 61;      ///< in bytes, so that sums with the base fit in 64 bits
  Index sized_modulus = Index{1} << 40;  ///< bytes after which the banks repeat
  std::size_t sized_moduli = 800'000;    ///< combinations of divisors that are tried for a case
  std::size_t sized_conditions = 64;     ///< of one case, joined by `or`
  int sized_splits = 4;                  ///< of one case of the offsets, by single sizes
  int sized_steps = 1 << 16;             ///< subtractions of extents from all numbers of such an access
};
inline constexpr AccessLimits kAccessLimits = {};

}  // namespace tessera::detail
