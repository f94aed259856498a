// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the types of operations that start.
#pragma once

#include <string_view>

#include "hlo/check/op_reader.h"

namespace tessera::detail {

/// The type of a start is not `what`.
Problem gives_tuple(const OpReader& reader, std::string_view what);

/// Checks that the operands come first in the type of a -start.
Problem holds_operands(const OpReader& reader);

}  // namespace tessera::detail
