// SPDX-License-Identifier: Apache-2.0
/// \file
/// The picture of what one instruction touches.
#pragma once

#include <optional>

#include "report/access_answer.h"
#include "tessera/draw/picture.h"

namespace tessera {

struct AccessView {
  bool lines = false;  ///< lines of global memory, not banks of shared memory
  /// Which instruction of the access with the most conflicts, or with the most sectors; empty: the worst.
  std::optional<std::size_t> instruction = {};
  std::optional<std::size_t> phase = {};  ///< among those with an active lane; empty: the worst
  bool all_phases = false;
};

/// One panel for the phase or the lines. If the answer has a fix, a panel with the fixed layout follows each
/// panel of banks. Errors: index_out_of_range (no such instruction or phase), limit, those of
/// analyze_accesses.
Result<Picture> access_picture(const AccessAnswer& answer, const AccessView& view);

}  // namespace tessera
