// SPDX-License-Identifier: Apache-2.0
/// \file
/// The traffic of a program, as text and as JSON.
#pragma once

#include <functional>
#include <string>

#include "report/indexing_json.h"
#include "tessera/hlo/traffic.h"

namespace tessera {

/// Which steps are shown; the totals are those of all.
using ShowStep = std::function<bool(const Instruction&)>;

/// A table with a line for each step: bytes read, the different ones among them, bytes written, the ratio of
/// what moves to what must, how often the step runs, and the step. `<=` and `>=` mark bounds, and a reason
/// follows them. `operands` adds a line for each operand. Then the totals.
std::string to_text(const ProgramTraffic& traffic, const ShowStep& shown, bool operands);

/// One object with the key `traffic` for each step, one with `totals` for all; a line each. `schema` is
/// `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const ProgramTraffic& traffic, const ShowStep& shown);

}  // namespace tessera
