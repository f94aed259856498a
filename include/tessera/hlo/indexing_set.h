// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operand indexings as values: composition, and sets without duplicates.
#pragma once

#include <span>

#include "tessera/hlo/operand_maps.h"

namespace tessera {

/// Most maps in a set. Beyond that, one superset map of the whole value replaces them.
inline constexpr std::size_t kMaxIndexingMaps = 128;

/// `second` after `first`: the elements `second` reads of the elements `first` reads. Needs as many results
/// of `first` as dimensions of `second`; otherwise the answer is unknown and says so.
///
/// The map is the composition of the maps, simplified, without unused range and runtime variables. Runtime
/// values follow the order of its runtime variables: those of `second` first, read where `first` points to,
/// then those of `first`. Each runtime map has the dimensions of the map and, where it needs any of them, all
/// its range and runtime variables. Replica hops: those of `first`, then those of `second`; what `second`
/// reads at run time is read after the hops of `first`, and a position there in the groups of the last hop
/// is where that hop leads. Exact only if both are; reasons are joined. Unknown if either is. O(distinct
/// nodes).
OperandIndexing compose(const OperandIndexing& first, const OperandIndexing& second);

/// The indexing with its map simplified (dimensions of extent 1 become constants) and without range and
/// runtime variables that neither the map nor a runtime or replica map uses. A known empty map has neither,
/// and is exact.
OperandIndexing normalize(OperandIndexing x);

/// Every element of a value with these extents, for every start index of `start`: the bound when a set grows
/// beyond a limit. A superset, with this reason.
OperandIndexing whole_value(const Domain& start, std::span<const Index> extents, std::string reason);

/// Both relate the same elements: equal up to the order of the range variables or, without runtime values and
/// for at most 1024 points each, by enumeration. No means "not proved the same".
bool same_relation(const OperandIndexing& a, const OperandIndexing& b);

/// `inner` reads only what `outer` reads, for every start index. No means "not proved". Matches
/// results:
/// `(d0, d1) -> (d0, d1)` lies in `(d0, d1)[s0] -> (d0, s0)`.
bool contained(const OperandIndexing& inner, const OperandIndexing& outer);

/// Adds an indexing unless the set already has the same relation. A known empty member means that nothing is
/// read; it stays only while it is alone. Returns whether the set changed. O(size of the set).
bool insert(IndexingSet& set, OperandIndexing indexing);

/// Drops members whose elements all belong to another one: the same elements are read, by fewer maps.
void keep_footprint(IndexingSet& set);

/// exact, superset or unknown: the weakest of the members; exact for the empty set.
Exactness exactness(const IndexingSet& set);

}  // namespace tessera
