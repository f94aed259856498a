// SPDX-License-Identifier: Apache-2.0
/// \file
/// The operations of a program, as text and as JSON.
#pragma once

#include <string>

#include "hlo/operations/program_work.h"
#include "report/indexing_json.h"
#include "report/traffic_answer.h"

namespace tessera::detail {

/// A table with a line for each step: operations on floating-point numbers and on integers, transcendentals,
/// how often the step runs, and the step. `<=` and `>=` mark bounds and are followed by a reason. The totals
/// come last, by kind and type.
std::string to_text(const ProgramWork& work, const ShowStep& shown);

/// One object per step with the key `work`, and one with `work_totals`. Each is on its own line.
std::string to_json(const InstructionPlace& place, const ProgramWork& work, const ShowStep& shown);

}  // namespace tessera::detail
