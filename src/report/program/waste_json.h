// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program could do without, as JSON.
#pragma once

#include <string>

#include "report/program/program_report.h"

namespace tessera::detail {

/// One object per waste with the key `waste`, the most time or bytes first, and one with `waste_totals`. Each
/// is on its own line.
std::string wastes_json(const ProgramReport& report, const ReportedModule& module);

}  // namespace tessera::detail
