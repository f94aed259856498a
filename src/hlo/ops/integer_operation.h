// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elementwise operations on integers.
#pragma once

#include <optional>
#include <span>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The element of the result of an elementwise instruction on integers or pred, from an element of each
/// operand. Empty for other instructions, and where the result is not in its type or is not defined.
std::optional<Index> integer_operation(const Instruction& op, std::span<const Index> operands);

}  // namespace tessera::detail
