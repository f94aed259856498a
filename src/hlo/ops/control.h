// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Whether the custom call is a marker for the partitioner, which forwards its operand.
bool is_marker(const Instruction& custom_call);

}  // namespace tessera::detail
