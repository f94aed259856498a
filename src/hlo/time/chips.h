// SPDX-License-Identifier: Apache-2.0
/// \file
/// The chips that are known by name.
#pragma once

#include <vector>

#include "hlo/time/chip.h"

namespace tessera::detail {

/// Peak numbers of the makers' public data sheets, whose names they have as `source`.
const std::vector<Chip>& known_chips();

}  // namespace tessera::detail
