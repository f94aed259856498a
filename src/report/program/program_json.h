// SPDX-License-Identifier: Apache-2.0
/// \file
/// A program report as JSON. The page displays this JSON.
#pragma once

#include <string>

#include "report/program/comparison.h"
#include "report/program/program_report.h"

namespace tessera::detail {

/// One object with the schema `tessera.report/1` on one line: docs/lookup/json.md lists the keys.
/// `comparison` may be null.
std::string to_json(const ProgramReport& report, const ProgramComparison* comparison);

}  // namespace tessera::detail
