// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program could do without, as text.
#pragma once

#include <string>

#include "report/program/program_report.h"

namespace tessera::detail {

/// The time on the chip and the wastes, those of one kind at one line together: two or three lines for each
/// of the largest 20. What a group saves is the sum, though wastes may overlap. Empty without a chip.
std::string waste_text(const ProgramReport& report, const ReportedModule& module);

}  // namespace tessera::detail
