// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cheapest exchange of registers through shared memory, and a layout of the memory that reaches it.
#pragma once

#include <span>

#include "relayout/registers/flat_bases.h"
#include "tessera/relayout/register_plan.h"

namespace tessera::moving {

/// `compute_capability`: 90 for cuda:90.
Exchange exchange_of(const FlatBases& from, const FlatBases& to, std::span<const Index> shape,
                     Index element_bits, Index compute_capability);

}  // namespace tessera::moving
