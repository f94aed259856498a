// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that forward whole arrays unchanged.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/module/leaves.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The leaf of an operand that an instruction passes on unchanged.
struct ForwardedLeaf {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
};

/// For an instruction for which only_forwards holds: the leaf of an operand that it returns as output `leaf`,
/// if any. The leaf may not exist if the instruction does not match its operands.
std::optional<ForwardedLeaf> forwarded(const Instruction& instruction, std::uint32_t leaf, Leaves& leaves);

}  // namespace tessera::detail
