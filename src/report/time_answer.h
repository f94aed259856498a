// SPDX-License-Identifier: Apache-2.0
/// \file
/// The roofline times of a program, as text and as JSON.
#pragma once

#include <string>

#include "hlo/time/roofline.h"
#include "report/indexing_json.h"
#include "report/traffic_answer.h"

namespace tessera::detail {

/// A table with a line for each step: the time of all runs, its share, what the step waits for, bytes that
/// must move, operations, runs. The sum comes last, with what it rests on.
std::string to_text(const ProgramTime& time, const Chip& chip, const ShowStep& shown);

/// One object per step with the key `time`, and one with `time_totals`. Each is on its own line.
std::string to_json(const InstructionPlace& place, const ProgramTime& time, const Chip& chip,
                    const ShowStep& shown);

}  // namespace tessera::detail
