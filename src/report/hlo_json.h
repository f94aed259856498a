// SPDX-License-Identifier: Apache-2.0
/// \file
/// How the objects of schema `tessera.hlo/1` begin.
#pragma once

#include "report/indexing_json.h"
#include "report/json.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// `schema`, `file` and `module`.
Json hlo_object(const InstructionPlace& place);

/// With `computation`, `instruction`, `type` and `opcode` of an instruction.
Json hlo_object(const InstructionPlace& place, const Instruction& op);

}  // namespace tessera::detail
