// SPDX-License-Identifier: Apache-2.0
// The messages of the layout algebra's errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/algebra/detail/outcome.h"
#include "tessera/base/result.h"

namespace tessera {

/// The error as a sentence, with its numbers but without its operation. Empty for not_representable.
std::string message_of(const AlgebraError& error);
/// message_of for a layout that is read from a text or made from a shape and strides.
std::string literal_message(const AlgebraError& error);

/// The diagnostic of a failed operation: its call with the texts of the operands, the numbers, and the
/// witness if there is one.
Diagnostic to_diagnostic(const AlgebraError& error, std::string_view operation,
                         const std::vector<std::string>& operands);

}  // namespace tessera
