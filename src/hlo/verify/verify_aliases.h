// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Checks `input_output_alias` or `buffer_donor`: the outputs and parameters that it names must exist.
std::optional<Diagnostic> check_aliases(const Attribute& attribute, const Computation& entry);

}  // namespace tessera::detail
