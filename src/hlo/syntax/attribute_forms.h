// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the form of known attributes.
#pragma once

#include <optional>

#include "hlo/syntax/attribute_keys.h"
#include "hlo/syntax/lexer.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The error in the form of a value, or nothing. Whether the value suits the instruction is checked
/// elsewhere.
std::optional<Diagnostic> check_form(const Attribute& attribute, AttributeForm form);

/// Reads a sharding: `{replicated}`, `{devices=[2,1]<=[2]}`, `{mesh['x'=2], [{'x'}, {}]}`, or a list of them,
/// one per leaf of a tuple.
bool read_sharding(HloLexer& lexer);

}  // namespace tessera::detail
