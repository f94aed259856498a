// SPDX-License-Identifier: Apache-2.0
/// \file
/// The traffic of a program, as text and as JSON.
#pragma once

#include <functional>
#include <string>

#include "report/indexing_json.h"
#include "tessera/hlo/traffic.h"

namespace tessera {

/// Selects the steps to show. The totals include all steps.
using ShowStep = std::function<bool(const Instruction&)>;

/// A table with a line for each step: bytes read, distinct bytes read, bytes written, the ratio of the bytes
/// moved to the bytes that must be moved, how often the step runs, and the step. `<=` and `>=` mark bounds
/// and are followed by a reason. `operands` adds a line for each operand. The totals come last.
std::string to_text(const ProgramTraffic& traffic, const ShowStep& shown, bool operands);

/// One object per step with the key `traffic`, and one with `totals`. Each is on its own line. `schema` is
/// `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const ProgramTraffic& traffic, const ShowStep& shown);

}  // namespace tessera
