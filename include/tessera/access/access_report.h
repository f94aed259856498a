// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost of accesses in shared and in global memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/access/access.h"
#include "tessera/access/bank_conflicts.h"
#include "tessera/access/coalescing.h"

namespace tessera {

/// Bank conflicts of all instructions. Ignores weights.
struct SharedMemoryReport {
  Index wavefronts = 0;
  Index wavefronts_at_least = 0;
  Index ideal = 0;
  Index floor =
      0;  ///< a lower bound on the wavefronts of every layout that keeps the vectors of this access whole
  int ways = 0;
  std::size_t worst_instruction = 0;          ///< the first instruction with the most ways
  std::optional<BankConflict> conflict = {};  ///< the conflict of `worst_instruction`
  BankBitsAnswer bits = {};                   ///< the address bits of `worst_instruction`

  Index excess() const { return wavefronts - ideal; }
};

/// Sectors and lines of all instructions.
struct GlobalMemoryReport {
  SegmentReport sum = {};
  /// False: the numbers are those of a sample. A sample is only needed for an access of too many pairs whose
  /// addresses are not sums of a part for the lane and a part for the warp and the value.
  bool exact = true;
  std::size_t worst_instruction = 0;  ///< the first counted instruction with the most sectors
  Index worst_warp = 0;               ///< the first warp with an instruction of `worst_sectors`
  Index worst_sectors = 0;
  std::optional<VectorWidth> width = {};  ///< empty for a sample
};

struct AccessReport {
  Access access;
  Index warps = 0;
  std::size_t instructions = 0;
  std::size_t phases = 0;  ///< per instruction
  /// The number of all instructions, if there were more than `most_pairs` values, so that only a sample of
  /// `instructions` instructions was counted one by one. All sums are those of the sample, except for those
  /// of global memory if they are exact.
  std::optional<Index> sampled_of = {};
  std::optional<SharedMemoryReport> shared = {};
  std::optional<GlobalMemoryReport> global = {};
  /// The first (instruction, lane) whose address is not a multiple of the width: the instruction cannot run.
  std::optional<std::pair<std::size_t, int>> misaligned = {};
  std::vector<std::string> notes = {};  ///< such as two lanes that write the same byte
};

/// The reports of all accesses of a layout, in order.
struct AccessReports {
  std::vector<AccessReport> each;
  /// Weighted sums over the accesses to shared memory. The floor holds for layouts that keep the vectors of
  /// all accesses whole.
  Index wavefronts = 0;
  Index ideal = 0;
  Index floor = 0;
};

/// Counts accesses of a layout. Exact under the model of the target, for at most `most_pairs` (thread, value)
/// pairs; otherwise counts a sample of about a quarter as many pairs, spread evenly over all instructions.
/// Sectors and lines of global memory stay exact for any number of pairs if each address is the sum of a part
/// for the lane and a part for the warp and the value: these are counted in closed form. The layout may have
/// any size. An access given by a map is the kernel's map from threads to the indices of an array: lanes
/// outside the map's domain are inactive, and each value of its other variables is another instruction.
/// Errors: index_out_of_range (an access leaves the box), rank_mismatch, not_applicable (the values of a
/// vector are not consecutive), unsupported_width, bad_option (the target has no matrix access),
/// undefined_value, overflow, limit (the number of instructions exceeds 64 bits). O(instructions * lanes).
Result<AccessReports> analyze_accesses(const Layout& layout, std::span<const Access> accesses,
                                       const AccessOptions& options);

}  // namespace tessera
