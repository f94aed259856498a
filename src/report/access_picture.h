// SPDX-License-Identifier: Apache-2.0
/// \file
/// The picture of the memory that one instruction touches.
#pragma once

#include <optional>

#include "report/access_answer.h"
#include "tessera/draw/picture.h"

namespace tessera {

struct AccessView {
  bool lines = false;  ///< true: lines of global memory; false: banks of shared memory
  /// The number of the instruction in the access with the most conflicts, or the most sectors. If empty, the
  /// worst instruction.
  std::optional<std::size_t> instruction = {};
  std::optional<std::size_t> phase = {};  ///< number among the phases with an active lane; empty: the worst
  bool all_phases = false;
};

/// One panel for the phase or the lines. If the answer has a fix, each panel of banks is followed by a panel
/// with the fixed layout. Errors: index_out_of_range (no such instruction or phase), limit, those of
/// analyze_accesses.
Result<Picture> access_picture(const AccessAnswer& answer, const AccessView& view);

}  // namespace tessera
