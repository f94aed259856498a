// SPDX-License-Identifier: Apache-2.0
/// \file
/// The places of a mesh as an iota or a list: `[2,2]T(1,0)`, `0,2,1,3`.
#pragma once

#include <string>
#include <vector>

#include "reshard/distribution_scanner.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// `[2,2]T(1,0)`, or numbers between commas; both end before `)`. Errors: syntax, device_count, iota_perm,
/// limit.
Result<std::vector<Index>> read_device_ids(DistributionScanner& in);
/// `[2,2]T(1,0)` if some iota gives the places, otherwise the numbers between commas.
std::string device_ids_text(const std::vector<Index>& places);

}  // namespace tessera::detail
