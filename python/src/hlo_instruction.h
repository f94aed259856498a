// SPDX-License-Identifier: Apache-2.0
// Instructions and their maps as Python objects.
#pragma once

#include <string_view>

#include "python/src/hlo_objects.h"
#include "python/src/python.h"

namespace tessera::python {

/// Registers Instruction, InstructionMaps and OperandMap.
void add_hlo_instruction(nb::module_& m);

/// `out` or `in`. Raises bad_option.
IndexingDirection direction_argument(std::string_view word);

}  // namespace tessera::python
