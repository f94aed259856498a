// SPDX-License-Identifier: Apache-2.0
/// \file
/// Composition of normalized indexings, as walks produce them.
#pragma once

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// As `compose`, for a normalized `first`. Much faster if `first` has no constraints and `second` only
/// chooses among its results, constants and range variables, as broadcasts, slices of whole dimensions, dots
/// and reductions do: the composed map then needs no simplification.
Indexing compose_normalized(const Indexing& first, const Indexing& second);

/// The indexing with `map`, the composition of two known indexings. It is as exact as the less exact one, and
/// has the reasons of both.
Indexing composed(const Indexing& first, const Indexing& second, IndexMap map);

}  // namespace tessera::detail
