// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// As `same_relation`, for two indexings with different texts and complete fingerprints that may be the same.
bool same_elements(const Indexing& a, const Indexing& b);

}  // namespace tessera::detail
