// SPDX-License-Identifier: Apache-2.0
/// \file
/// Composition of indexings that a walk made.
#pragma once

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// As `compose`, for a normalized `first`. Much faster if `first` has no constraints and `second` only
/// chooses among its results, constants and range variables, as broadcasts, slices of whole dimensions, dots
/// and reductions do: what was simplified stays so.
Indexing compose_normalized(const Indexing& first, const Indexing& second);

/// `map` as the composition of two known indexings: as exact as the weaker one, with the reasons of both.
Indexing composed(const Indexing& first, const Indexing& second, IndexMap map);

}  // namespace tessera::detail
