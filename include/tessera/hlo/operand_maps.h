// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which elements of an operand an output element depends on, for one instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/collective_groups.h"
#include "tessera/hlo/module.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// An instruction that calls the computation in which a value is made. `first_operand`: the operand that is
/// parameter 0 there, 0 but for the branches of a conditional, the first of which takes operand 1.
struct CallSite {
  const Instruction* caller = nullptr;
  std::size_t first_operand = 0;
  friend bool operator==(const CallSite&, const CallSite&) = default;
};

/// Where the value of a runtime variable is read: element `map` of `source`, with the dimensions and range
/// variables of the map that uses it. The variable is that value, clamped: min(max(value, clamp.lower),
/// clamp.upper). Where the clamped value lies outside the variable's interval in the map, nothing is read.
struct RuntimeValue {
  const Instruction* source = nullptr;  ///< null: no instruction holds the value, `text` says what it is
  std::int32_t tuple_index = -1;
  const TupleStep* inner = nullptr;  ///< as in an Operand
  std::string text = {};
  IndexMap map;
  Interval clamp = {};  ///< unbounded: taken as it is (scatter). Of a position: all there are
  /// The way to the computation of `source` from the one that the indexing belongs to, outermost first: one
  /// computation that is called twice makes two values.
  std::vector<CallSite> calls = {};
  /// On whose behalf it is read: on the replica that the first `hops` replica hops of the indexing lead to.
  /// 0: on the own one.
  std::size_t hops = 0;
  CollectiveGroups groups = {};  ///< of a value without a source: it is that replica's position in them
  friend bool operator==(const RuntimeValue&, const RuntimeValue&) = default;
};

/// exact: the relation is the data dependence. superset: it contains it. unknown: nothing is known.
enum class Exactness : std::uint8_t { exact, superset, unknown };

/// One hop between replicas: whose operand is read or, towards the output, who reads it.
struct ReplicaHop {
  /// What the map starts from. element: the variables of the map it belongs to, and its result is a position
  /// in the own group. group: nothing, its one range variable goes through all positions. replica, partition:
  /// the one dimension is the own number, the result the other's; a replica outside of the domain reads
  /// nothing by this map. Nor does one by a position that its group does not have.
  enum class From : std::uint8_t { element, group, replica, partition };
  IndexMap map;
  From from = From::element;
  CollectiveGroups groups = {};  ///< of positions: what they are positions in
  friend bool operator==(const ReplicaHop&, const ReplicaHop&) = default;
};

/// One map of an operand. `runtime[i]` belongs to the i-th runtime variable of the map; `replica` are the
/// hops from replica to replica on the way, the own one first.
struct OperandIndexing {
  IndexMap map;  ///< meaningless when unknown
  std::vector<RuntimeValue> runtime = {};
  std::vector<ReplicaHop> replica = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};  ///< why it is a superset or unknown
  std::int32_t element =
      -1;  ///< the array of a tuple operand that the map is about; -1: the operand is not a tuple

  static OperandIndexing unknown(std::string reason);
  friend bool operator==(const OperandIndexing&, const OperandIndexing&) = default;
};

/// The union of the maps is what is read; an empty set reads nothing.
using IndexingSet = std::vector<OperandIndexing>;

/// Dimensions index output `output` of the instruction; the maps give the elements of operand `operand` it
/// needs. Outputs are counted through nested tuples: output 2 of ((f32[2], f32[3]), s32[]) is the s32[].
///
/// Fusions, calls and their like go through their computations. Maps are simplified, with point dimensions
/// kept in results (`Points::preserve`); those of windows and convolutions, and what comes through
/// computations, without. Runtime values that the program tells are put in. An instruction with an error, or
/// one that we do not know, is unknown. Cost: O(rank) and a simplification where the opcode needs one.
/// Errors: index_out_of_range.
Result<IndexingSet> output_to_input(const Instruction& instruction, std::size_t output, std::size_t operand);

/// Dimensions index operand `operand`; the maps give the elements of output `output` that read it.
/// Errors: index_out_of_range.
Result<IndexingSet> input_to_output(const Instruction& instruction, std::size_t operand, std::size_t output);

}  // namespace tessera
