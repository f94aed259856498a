// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the instruction that --op names.
#pragma once

#include <string>

#include "tessera/base/result.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::verbs {

/// The instruction with this name or opcode. If the name is empty, the root of the entry. Requires a module.
/// Errors: unknown_name.
Result<const Instruction*> find_instruction(const ParsedModules& parsed, const std::string& name);

/// The array that `NAME` or, of a tuple, `NAME#K` names. Errors: unknown_name, bad_option (a tuple without
/// the number of an array), index_out_of_range.
Result<HloValue> find_array(const ParsedModules& parsed, const std::string& name);

}  // namespace tessera::verbs
