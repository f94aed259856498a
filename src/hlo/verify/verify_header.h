// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/syntax/diagnostic_sink.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Checks the attributes of the header against the entry computation; unknown attributes get a warning.
void verify_header(const HloModule& module, DiagnosticSink& sink, bool entry_is_cut);

}  // namespace tessera::detail
