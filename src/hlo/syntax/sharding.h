// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the form of shardings.
#pragma once

#include "hlo/syntax/lexer.h"

namespace tessera::detail {

/// Reads a sharding: `{replicated}`, `{devices=[2,1]<=[2]}`, `{mesh['x'=2], [{'x'}, {}]}`, or a list of them,
/// one per leaf of a tuple.
bool read_sharding(HloLexer& lexer);

}  // namespace tessera::detail
