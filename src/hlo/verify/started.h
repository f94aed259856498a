// SPDX-License-Identifier: Apache-2.0
/// \file
/// The operation in an asynchronous start.
#pragma once

#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The operation that `slice-start` starts: a slice with its operands and attributes, and with the result
/// type in the start's type (operands, result, contexts...). Empty for async-start, which starts a
/// computation, and for a type without a result. Does not check the operation.
std::optional<Instruction> started_operation(const Instruction& start);

}  // namespace tessera::detail
