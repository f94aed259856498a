// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the form of known attributes.
#pragma once

#include <optional>

#include "hlo/syntax/attribute_keys.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The error in the form of a value, or nothing. Whether the value suits the instruction is checked
/// elsewhere.
std::optional<Diagnostic> check_form(const Attribute& attribute, AttributeForm form);

}  // namespace tessera::detail
