// SPDX-License-Identifier: Apache-2.0
/// \file
/// The live bytes of a program, as text and as JSON.
#pragma once

#include <string>

#include "hlo/memory/live_arrays.h"
#include "report/indexing_json.h"

namespace tessera::detail {

/// A table with a line for each array that is live at the peak, and the peak.
std::string to_text(const ProgramMemory& memory);

/// One object per array at the peak with the key `live_array`, one per instruction with `live_step`, and one
/// with `memory_totals`. Each is on its own line.
std::string to_json(const InstructionPlace& place, const ProgramMemory& memory);

}  // namespace tessera::detail
