// SPDX-License-Identifier: Apache-2.0
/// \file
/// `tessera hlo --parameters`: from an instruction to the parameters of the program.
#pragma once

#include "cli/hlo_options.h"
#include "cli/output.h"
#include "report/indexing_json.h"
#include "tessera/hlo/analyze.h"

namespace tessera::cli {

/// Writes the answers for the instructions of a module that the options choose; the root of the computation
/// if they choose none. Returns the exit status, after messages.
int write_parameters(Session& session, const HloOptions& options, const AnalyzeOptions& chosen,
                     const InstructionPlace& place, const HloModule& module, Output& out, Format format);

/// Refuses values of --set and --at that cannot be read: false, after a message.
bool check_parameters(Session& session, const HloOptions& options);

}  // namespace tessera::cli
