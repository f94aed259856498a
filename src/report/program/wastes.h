// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds what a program could do without.
#pragma once

#include <cstddef>
#include <vector>

#include "report/program/program_report.h"
#include "report/program/waste.h"

namespace tessera::detail {

/// The wastes of a module, the largest kReportLimits.program.wastes: the most seconds first, by upper bounds;
/// without a chip, the most bytes. Wastes may overlap, so their sum may be more than what all together save.
/// The time of the module is that on the chip.
std::vector<Waste> wastes(const ProgramReport& report, const ReportedModule& module);

}  // namespace tessera::detail
