// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lanes of an access to a layout with names for sizes: which indices they touch, as numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "notation/symbolic/symbolic_digits.h"
#include "tessera/access/access.h"

namespace tessera::symbolic {

/// The indices of one access. `linear`: an index is one number for all dimensions, the first one fastest;
/// else it has one number for each.
struct SizedLanes {
  /// One instruction: for each lane, the indices of the elements of its vector; none if it takes no part.
  struct Instruction {
    std::vector<std::vector<std::vector<Index>>> lanes = {};
    std::uint64_t active = 0;
  };
  Access access;
  bool linear = true;
  int width = 4;  ///< bytes of each lane
  std::vector<Instruction> instructions = {};
};

/// Reads an access whose text does not need the sizes: a layout or an index map, and keys. An empty text: the
/// layout itself maps (thread, value) to the offset. Errors: those of parse_access; missing_attribute (it
/// needs the sizes); limit, unsupported_width, not_applicable.
Result<SizedLanes> sized_lanes(const std::string& text, const SymbolicLayout& layout,
                               const AccessOptions& options, const Access& defaults);

/// The offsets of the first elements of all active lanes, in order, or the error of numbers at these sizes.
/// `index_out_of_range`: a lane is outside the box; `not_applicable`: a vector is not consecutive. With a
/// reason instead if a run cannot tell.
struct LaneOffsets {
  std::vector<tessera_tracing::Traced> offsets = {};
  std::optional<Code> error = {};
  std::string undecided = {};
};
LaneOffsets lane_offsets(const SizedLanes& lanes, const TracedDigits& digits);

}  // namespace tessera::symbolic
