// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of the layout of local arrays.
#pragma once

#include <string>

#include "reshard/distribution_scanner.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// Reads what follows the word `local`. Errors: syntax, number_range, and those of parse_layout.
Result<LocalLayout> read_local(DistributionScanner& in);
/// Empty for row-major arrays.
std::string local_text(const LocalLayout& local);

}  // namespace tessera::detail
