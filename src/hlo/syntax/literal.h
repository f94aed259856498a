// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values inside the literals of constants.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// The value of element `at` (logical indices) of an integer or pred constant. Empty for other opcodes and
/// types, for `{...}`, for tuples, for values outside 64 bits and for indices outside the shape. Cost: linear
/// in the literal's text.
std::optional<Index> integer_element(const Instruction& constant, std::span<const Index> at);

/// The values of all elements, row-major. Empty for the reasons above. Cost: linear in the number of elements
/// and in the literal's text.
std::optional<std::vector<Index>> integer_values(const Instruction& constant);

/// The value that all elements of an integer or pred constant share. Empty if they differ, or for the
/// reasons above.
std::optional<Index> integer_splat(const Instruction& constant);

}  // namespace tessera
