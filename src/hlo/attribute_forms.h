// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the value of a known attribute has its form.
#pragma once

#include <optional>

#include "hlo/attribute_keys.h"
#include "hlo/lexer.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// What is wrong with the form of a value, or nothing. What it means for the instruction is not asked.
std::optional<Diagnostic> check_form(const Attribute& attribute, AttributeForm form);

/// Reads a sharding: `{replicated}`, `{devices=[2,1]<=[2]}`, `{mesh['x'=2], [{'x'}, {}]}`, or one for each
/// tuple leaf.
bool read_sharding(Lexer& lexer);

}  // namespace tessera::detail
