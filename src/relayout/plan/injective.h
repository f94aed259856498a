// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tessera/base/result.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Checks that no two indices of the destination share an offset. Errors: broadcast, with two such indices;
/// undecided.
Result<void> check_injective(const Digits& dst);
Result<void> check_injective(const Layout& dst);

}  // namespace tessera::moving
