// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bank conflicts of accesses to a layout with names for sizes, by the residues of the sizes.
#pragma once

#include <string>
#include <vector>

#include "access/symbolic/sized_lanes.h"
#include "size/sized_cases.h"

namespace tessera::symbolic {

/// What an access costs, apart from the sizes.
struct SizedAccess {
  Access access;
  std::size_t instructions = 0;
  Index phases = 0;  ///< of one instruction
  Index ideal = 0;   ///< wavefronts without conflicts
  /// The sizes on whose residues the wavefronts depend, each with its modulus.
  std::vector<std::pair<std::string, Index>> by = {};
  std::string formula = {};  ///< `gcd(N,32)`, if there is one for all sizes
};

/// An answer and a SizedAccess for each access. The value of a case is a number of wavefronts, with
/// `, misaligned` if the instruction cannot run.
struct SizedWavefronts {
  SizedAnswers answers = {};
  std::vector<SizedAccess> accesses = {};
};

/// Counts the wavefronts of shared memory for all sizes: at given sizes, the numbers of analyze_accesses.
/// Addresses are polynomials; for each combination of residues of the sizes that occurs, at most 4096, every
/// bank is known, and two words of one bank are proved to be equal or different, or the sizes are split.
/// `threads` are the texts of accesses; empty: the layout itself. Errors, with the number of the access as
/// item: those of sized_lanes; empty_range, bad_extent.
Result<SizedWavefronts> sized_wavefronts(const SymbolicLayout& layout,
                                         const std::vector<std::string>& threads,
                                         const AccessOptions& options, const Access& defaults,
                                         const AssumptionList& where);

}  // namespace tessera::symbolic
