// SPDX-License-Identifier: Apache-2.0
/// \file
/// The operation in an asynchronous start.
#pragma once

#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// What `slice-start` starts: a slice with its operands and attributes, and with the result that the start's
/// type, (operands, result, contexts...), names. Nothing for async-start, which starts a computation, and
/// where the type names no result. Whether it fits its operands is not asked.
std::optional<Instruction> started_operation(const Instruction& start);

}  // namespace tessera::detail
