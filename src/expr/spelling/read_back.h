// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts as normal forms again.
#pragma once

#include "expr/spelling/text.h"

namespace tessera::detail {

/// The normal form of a text, as if its expression were converted: the same form unless a canonical step
/// applies only to the text.
const Form* read_back(Workspace& ws, Text text);

}  // namespace tessera::detail
