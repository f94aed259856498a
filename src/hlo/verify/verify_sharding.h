// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the sharding of an instruction.
#pragma once

#include "hlo/check/op_reader.h"
#include "hlo/syntax/diagnostic_sink.h"

namespace tessera::detail {

/// Checks the form of the attribute `sharding`, and that it fits the type: a tuple has one sharding, or one
/// for each array and token, and a tiled sharding has the rank of its array. A form that the reader does not
/// know gives a warning only, because compilers add forms.
Problem check_sharding(const Instruction& instruction, DiagnosticSink& sink);

}  // namespace tessera::detail
