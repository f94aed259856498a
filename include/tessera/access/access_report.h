// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an access costs in shared and in global memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/access/access.h"
#include "tessera/access/bank_conflicts.h"
#include "tessera/access/coalescing.h"

namespace tessera {

/// Options that all accesses share.
struct AccessOptions {
  Index element_bytes = 4;
  MemoryTarget target = {};
  bool shared = true;
  bool global = true;
  Index base_align = 256;            ///< in bytes: the global buffer begins at a multiple of this
  std::vector<Index> segments = {};  ///< sizes of other pieces of global memory to count, in bytes
};

/// Bank conflicts of all instructions. Ignores weights.
struct SharedMemoryReport {
  Index wavefronts = 0;
  Index wavefronts_at_least = 0;
  Index ideal = 0;
  Index floor = 0;  ///< a lower bound on the wavefronts of every layout that moves whole blocks
  int ways = 0;
  std::size_t worst_instruction = 0;          ///< the first with the most ways
  std::optional<BankConflict> conflict = {};  ///< the conflict of `worst_instruction`
  BankBitsAnswer bits = {};                   ///< the address bits of `worst_instruction`

  Index excess() const { return wavefronts - ideal; }
};

/// Sectors and lines of all instructions.
struct GlobalMemoryReport {
  SegmentReport sum = {};
  std::size_t worst_instruction = 0;  ///< the first with the most sectors
  Index worst_sectors = 0;
  VectorWidth width = {};
};

struct AccessReport {
  Access access;
  std::size_t instructions = 0;
  std::size_t phases = 0;  ///< per instruction
  std::optional<SharedMemoryReport> shared = {};
  std::optional<GlobalMemoryReport> global = {};
  /// The first (instruction, lane) whose address is not a multiple of the width: the instruction cannot run.
  std::optional<std::pair<std::size_t, int>> misaligned = {};
};

/// Counts one access of a layout. Exact under the model of the target. Errors: those of access_instructions
/// and find_fixes. O(instructions * lanes).
Result<AccessReport> analyze_access(const Layout& layout, const Access& access, const AccessOptions& options);

/// Reads `[NAME=]TV[,key[=value]]...` for a layout: TV is a layout from (thread, value) to the 1-D index of
/// the box, `rows` or `columns`; keys are read, write, ldmatrix=N, stmatrix=N, vector=N|auto, active=LANES,
/// weight=N, base=BYTES. `defaults` gives the keys that the text omits. Errors: bad_option, unknown_name,
/// those of parse_layout.
Result<Access> parse_access(std::string_view text, const Layout& layout, const AccessOptions& options,
                            const Access& defaults);

/// The access for a layout that itself maps (thread, value) to the offset.
Access whole_layout(const Layout& layout);

}  // namespace tessera
