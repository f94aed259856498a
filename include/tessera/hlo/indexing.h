// SPDX-License-Identifier: Apache-2.0
/// \file
/// An Indexing: an index map with the sources of its runtime variables and its hops between replicas.
/// An Indexing is one map, an IndexingSet the union of several. OperandIndexing, OutputIndexing,
/// ParameterIndexing, ValueIndexing and PairIndexing combine a set with the value that its maps lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// An output and an operand of an instruction, by their numbers. Outputs are leaves of the result: see
/// output_to_input.
struct OutputOperand {
  std::size_t output = 0;
  std::size_t operand = 0;
};

/// A leaf of an operand of an instruction.
struct OperandLeaf {
  std::size_t operand = 0;
  std::size_t leaf = 0;  ///< of a tuple; 0: the operand itself
};

/// A call between the computation of an indexing and the computation that holds a value. `first_operand` is
/// the operand that becomes parameter 0: 0 except in a conditional, whose branch i takes operand i + 1.
struct CallSite {
  const Instruction* caller = nullptr;
  std::size_t first_operand = 0;
  friend bool operator==(const CallSite&, const CallSite&) = default;
};

/// Where the value of a runtime variable comes from: the element of `source` at `map`, which has the
/// dimensions and range variables of the map that uses the variable. The variable is the clamped value,
/// min(max(value, clamp.lower), clamp.upper). If that is outside the variable's interval, nothing is read.
struct RuntimeValue {
  const Instruction* source = nullptr;  ///< null: no instruction holds the value, which `text` describes
  std::int32_t tuple_index = -1;
  const TupleStep* inner = nullptr;  ///< as in an Operand
  std::string text = {};
  IndexMap map;
  /// Unbounded: not clamped (scatter). Of a replica's position in its group: all positions. Of the size of a
  /// dynamic dimension: from 0 to its bound.
  Interval clamp = {};
  /// The calls from the computation of the indexing to that of `source`, outermost first. They distinguish
  /// the values of a computation that is called twice.
  std::vector<CallSite> calls = {};
  /// The value is read on the replica to which the first `hops` replica hops of the indexing lead; 0: on the
  /// replica that runs the instruction.
  std::size_t hops = 0;
  CollectiveGroups groups = {};  ///< if they exist, the value is the replica's position in them
  friend bool operator==(const RuntimeValue&, const RuntimeValue&) = default;
};

/// exact: the maps are the data dependence. superset: the maps contain it. unknown: nothing is known.
enum class Exactness : std::uint8_t { exact, superset, unknown };

/// A hop between replicas: to the replica whose operand is read or, in maps toward the output, to the replica
/// that reads.
struct ReplicaHop {
  /// The input of `map`. element: the variables of the indexing's map; the result is a position in the
  /// replica's group. group: nothing; a range variable sweeps all positions. replica, partition: the number
  /// of this replica or partition; the result is the number of the other replica or partition. A replica
  /// outside the domain, or whose group lacks the position, reads nothing.
  enum class From : std::uint8_t { element, group, replica, partition };
  IndexMap map;
  From from = From::element;
  CollectiveGroups groups = {};  ///< the groups that positions refer to
  friend bool operator==(const ReplicaHop&, const ReplicaHop&) = default;
};

/// One map, from an index of a value to elements of another. `runtime[i]` belongs to the i-th runtime
/// variable of the map; `replica` lists the hops between replicas, beginning at the replica that runs the
/// instruction.
struct Indexing {
  IndexMap map;  ///< meaningless when unknown
  std::vector<RuntimeValue> runtime = {};
  std::vector<ReplicaHop> replica = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};  ///< why the map is a superset or unknown
  std::int32_t leaf = -1;   ///< of a tuple operand (see leaf_type); -1: the operand is not a tuple

  static Indexing unknown(std::string reason);
  friend bool operator==(const Indexing&, const Indexing&) = default;
};

/// The set reads the union of its maps; an empty set reads nothing.
using IndexingSet = std::vector<Indexing>;

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
