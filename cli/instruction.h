// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the instruction that --op names.
#pragma once

#include <string>

#include "tessera/base/result.h"
#include "tessera/hlo/module.h"

namespace tessera::cli {

/// The instruction with this name or opcode. If the name is empty, the root of the entry. Requires a module.
/// Errors: unknown_name.
Result<const Instruction*> find_instruction(const ParsedModules& parsed, const std::string& name);

}  // namespace tessera::cli
