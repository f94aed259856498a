// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an indexing says when it is followed from replica to replica.
#pragma once

#include <functional>
#include <span>

#include "laws/hlo_reference.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera::laws {

/// Calls `visit` with each start index, and the replica and the element that it relates to, for replica
/// `own`. Replicas have the numbers of `values`: what the integer arrays hold on each of them.
void for_each_read(const OperandIndexing& indexing, std::span<const Values> values, Index own,
                   const std::function<void(const Indices& from, Index replica, const Indices& to)>& visit);

}  // namespace tessera::laws
