// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that compute what an earlier one has computed.
#pragma once

#include <unordered_map>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Maps an instruction to the first one of its computation that computes the same values: of the same opcode,
/// type, attributes and constants, with operands that are the same values, and with called computations that
/// are alike. What the compiler orders on purpose (copies, collectives, asynchronous operations), what has an
/// effect or a state (custom calls, random numbers, infeed), and what is not known, is never the same. A
/// missing entry means "not proved". O(text).
std::unordered_map<const Instruction*, const Instruction*> repeated_steps(const HloModule& module);

}  // namespace tessera::detail
