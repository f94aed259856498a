// SPDX-License-Identifier: Apache-2.0
/// \file
/// Composition of indexings, and sets of them without duplicates.
#pragma once

#include <span>

#include "tessera/hlo/indexing.h"

namespace tessera {

/// The default limit on the maps of a set. A larger set is replaced by one superset map of the whole value.
inline constexpr std::size_t kMaxIndexingMaps = 128;

/// The composition: the elements that `second` reads from the indices that `first` gives. The results of
/// `first` must be the dimensions of `second`; if their numbers differ, the answer is unknown, with the
/// reason.
///
/// The map is simplified and has no unused range or runtime variables. Its runtime variables are those of
/// `second`, whose sources are read where `first` points to, then those of `first`. Each runtime map has the
/// dimensions of the map and, if it needs any of them, all its range and runtime variables. Replica hops are
/// those of `first`, then those of `second`. Runtime values of `second` are read after the hops of `first`; a
/// replica's own position in the groups of the last hop is the position to which that hop leads. The answer
/// is exact only if both are, and unknown if either is; reasons are joined. O(distinct nodes).
Indexing compose(const Indexing& first, const Indexing& second);

/// Simplifies the map (dimensions of extent 1 become constants) and drops the range and runtime variables
/// that neither the map nor a runtime or replica map uses. A known empty map keeps none of them and is exact.
Indexing normalize(Indexing x);

/// A superset: every element of a value with these extents, from every index of `start`. It replaces a set
/// that exceeds a limit; `reason` names the limit.
Indexing whole_value(const Domain& start, std::span<const Index> extents, std::string reason);

/// Whether both are proved to relate the same elements. They are compared up to the order of the range
/// variables and, without runtime values and with at most 1024 points each, by enumeration. False means "not
/// proved".
bool same_relation(const Indexing& a, const Indexing& b);

/// Whether `inner` is proved to read only what `outer` reads, from every index. Compares results: `(d0, d1)
/// -> (d0, d1)` is contained in `(d0, d1)[s0] -> (d0, s0)`. False means "not proved".
bool contained(const Indexing& inner, const Indexing& outer);

/// Adds an indexing unless a member has the same relation. A known empty indexing is kept only as the sole
/// member: then nothing is read. Returns whether the set changed. O(size of the set).
bool insert(IndexingSet& set, Indexing indexing);

/// Drops members that are contained in a member at least as exact, so that fewer maps read the same elements.
/// An exact map can thus replace a superset, but a superset never replaces an exact map.
/// Members that differ in one interval of a variable become one if the two intervals touch.
void keep_footprint(IndexingSet& set);

/// exact, superset or unknown: the weakest of the members; exact for the empty set.
Exactness exactness(const IndexingSet& set);

}  // namespace tessera
