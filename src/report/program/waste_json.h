// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program could do without, its summary, and what changed, as JSON for tables.
#pragma once

#include <string>

#include "report/program/comparison.h"
#include "report/program/program_report.h"

namespace tessera::detail {

/// One object per waste with the key `waste`, the most time or bytes first, and one with `waste_totals`. Each
/// is on its own line.
std::string wastes_json(const ProgramReport& report, const ReportedModule& module);

/// One object per sentence of the summary with the key `finding`, and one with `finding_totals`.
std::string findings_json(const ProgramReport& report, const ReportedModule& module);

/// One object per step that changed with the key `change`, and one with `change_totals`. `place`: of the new
/// program.
std::string comparison_json(const InstructionPlace& place, const ProgramComparison& comparison);

}  // namespace tessera::detail
