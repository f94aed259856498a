// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that pass whole arrays on unchanged.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/leaves.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// An array of an operand, numbered through nested tuples.
struct OperandArray {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
};

/// Every output is an array of an operand, or has no data (a token, a context).
bool only_forwards(Opcode opcode);

/// The array that such an instruction passes on as output `leaf`; nothing if there is none. An instruction
/// that does not fit its operands may name an array that does not exist.
std::optional<OperandArray> forwarded(const Instruction& instruction, std::uint32_t leaf, Leaves& leaves);

}  // namespace tessera::detail
