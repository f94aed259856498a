// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks types, operands and attributes against the rules of each opcode.
#pragma once

#include "hlo/syntax/diagnostic_sink.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Checks every sound instruction; one that breaks a rule is reported and gets `sound = false`.
/// `entry_is_cut`: the text ends inside the entry computation, so the header is not compared with it.
/// `sizes`: maps may depend on the runtime sizes of dynamic dimensions.
void verify(HloModule& module, DiagnosticSink& sink, bool entry_is_cut, bool sizes = false);

/// Infers the type of an instruction without a written type, or reports that it cannot be inferred.
void infer_missing_type(Instruction& instruction, DiagnosticSink& sink);

}  // namespace tessera::detail
