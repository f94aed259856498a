// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows an indexing from replica to replica.
#pragma once

#include <functional>
#include <span>

#include "laws/hlo_reference.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {

/// Calls `visit` with each start index on replica `own`, and with the replica and the element that the start
/// index reads. `values` has the integer arrays of each replica.
void for_each_read(const Indexing& indexing, std::span<const Values> values, Index own,
                   const std::function<void(const Indices& from, Index replica, const Indices& to)>& visit);

}  // namespace tessera::laws
