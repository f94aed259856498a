// SPDX-License-Identifier: Apache-2.0
/// \file
/// `hlo` with `parameters`: from an instruction to the parameters of the program.
#pragma once

#include "tessera/hlo/analyze.h"
#include "verbs/hlo.h"
#include "verbs/hlo_parts.h"

namespace tessera::verbs {

/// Adds the answers for the instructions of a module that were chosen; the root of the computation if none
/// was.
void add_parameters(const HloRequest& request, const AnalyzeOptions& chosen, const PartPlace& where,
                    const HloModule& module, HloResult& result, Observer& observer);

}  // namespace tessera::verbs
