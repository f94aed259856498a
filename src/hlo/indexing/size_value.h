// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime values that no instruction holds.
#pragma once

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// Whether the value is the size of a dynamic dimension. A position in a group has no instruction either.
inline bool is_size(const RuntimeValue& value) { return value.source == nullptr && !value.groups.exist(); }

}  // namespace tessera::detail
