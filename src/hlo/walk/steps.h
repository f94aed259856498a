// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps of a walk: the identity over an array, and maps that are ready to compose.
#pragma once

#include <optional>
#include <span>

#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The extents of an array, or of the contents of a buffer; empty if a dimension is unbounded.
std::optional<std::span<const Index>> extents(const HloType& leaf);
/// Whether both have the same extents. Unbounded dimensions are equal to each other.
bool same_extents(const HloType& a, const HloType& b);
/// The box of the indices of an array; without dimensions if one is unbounded.
Domain start_domain(const HloType& leaf);
/// The identity over all indices of the array.
Indexing identity_indexing(const HloType& leaf);
/// The identity from an array to one with another type; unknown if the extents differ.
Indexing handed_on(const HloType& from, const HloType& to);
/// Substitutes known start indices and simplifies the maps, as composition needs them.
IndexingSet ready_to_compose(IndexingSet maps);
/// Whether the maps of the instruction come from a walk, so that they are ready to compose.
bool is_composed(const Instruction& instruction);
/// Whether the map is the identity over all indices of the array, although it may be a superset.
bool is_identity(const Indexing& x, const HloType& leaf);
/// Whether the set is exactly the identity over all indices of the array.
bool is_full_identity(const IndexingSet& maps, const HloType& leaf);

}  // namespace tessera::detail
