// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints modules as HLO text.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "tessera/hlo/module.h"

namespace tessera {

/// The text of a module as XLA writes it: `%` before names, types with layouts, operands without types,
/// attributes in the order opcode-specific, sharding, frontend_attributes, metadata, backend_config. Literals
/// and attribute values are printed as written. Parsing the text gives an equal module if the module had no
/// errors. O(text).
std::string to_string(const HloModule& module);

/// The modules of a file, separated by lines `// -----`.
std::string to_string(std::span<const HloModule> modules);

/// One instruction on one line, without a line break: `ROOT %r = f32[4]{0} add(%a, %b), metadata={...}`.
std::string to_string(const Instruction& instruction);

std::ostream& operator<<(std::ostream& out, const HloModule& module);

/// The type of an instruction, or its text if it could not be read.
std::string type_text(const Instruction& instruction);

}  // namespace tessera
