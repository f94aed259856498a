// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds instructions and computations by the names that users type.
#pragma once

#include <span>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// Restricts the analysis to the computation named `typed`, with or without `%`. Errors: bad_option (an empty
/// name), unknown_name, with a similar name. O(names).
Result<void> choose_computation(AnalyzeOptions& options, std::string_view typed,
                                std::span<const HloModule> modules);

/// Restricts the analysis to instructions whose name (with or without `%`) or opcode is `typed`.
/// `computation/name`, as answers print it, restricts the computation too. Errors: bad_option (an empty
/// name), unknown_name, with a similar name or the computation that has it. O(instructions).
Result<void> choose_op(AnalyzeOptions& options, std::string_view typed, std::span<const HloModule> modules);

}  // namespace tessera
