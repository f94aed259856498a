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

/// The caller of the computation that contains a value. `first_operand`: the operand that is parameter 0
/// there; 0 except for branches of a conditional, the first of which takes operand 1.
struct CallSite {
  const Instruction* caller = nullptr;
  std::size_t first_operand = 0;
  friend bool operator==(const CallSite&, const CallSite&) = default;
};

/// Where the value of a runtime variable is read: element `map` of `source`, with the dimensions and range
/// variables of the map that uses it. The variable is that value, clamped: min(max(value, clamp.lower),
/// clamp.upper). If the clamped value is outside the variable's interval in the map, nothing is read.
struct RuntimeValue {
  const Instruction* source = nullptr;  ///< null: no instruction holds the value, which `text` describes
  std::int32_t tuple_index = -1;
  const TupleStep* inner = nullptr;  ///< as in an Operand
  std::string text = {};
  IndexMap map;
  Interval clamp = {};  ///< unbounded: not clamped (scatter). For a position: all positions
  /// The calls from the computation of the indexing to that of `source`, outermost first: a computation that
  /// is called twice has two values.
  std::vector<CallSite> calls = {};
  /// Read on the replica that the first `hops` replica hops of the indexing lead to; 0: this replica.
  std::size_t hops = 0;
  CollectiveGroups groups = {};  ///< of a value without a source: the replica's position in these groups
  friend bool operator==(const RuntimeValue&, const RuntimeValue&) = default;
};

/// exact: the relation is the data dependence. superset: it contains it. unknown: nothing is known.
enum class Exactness : std::uint8_t { exact, superset, unknown };

/// One hop between replicas: whose operand is read or, toward the output, who reads it.
struct ReplicaHop {
  /// The inputs of the map. element: the variables of the map it belongs to; the result is a position in the
  /// replica's group. group: none; its one range variable sweeps all positions. replica, partition: the one
  /// dimension is this replica's number and the result the other's. A replica outside the domain reads
  /// nothing by this map, nor does one whose group lacks the position.
  enum class From : std::uint8_t { element, group, replica, partition };
  IndexMap map;
  From from = From::element;
  CollectiveGroups groups = {};  ///< the groups that positions refer to
  friend bool operator==(const ReplicaHop&, const ReplicaHop&) = default;
};

/// One map of an operand. `runtime[i]` belongs to the i-th runtime variable of the map; `replica` are the
/// hops from replica to replica, the first from the replica that runs the instruction.
struct OperandIndexing {
  IndexMap map;  ///< meaningless when unknown
  std::vector<RuntimeValue> runtime = {};
  std::vector<ReplicaHop> replica = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};    ///< why it is a superset or unknown
  std::int32_t element = -1;  ///< the array of a tuple operand; -1: the operand is not a tuple

  static OperandIndexing unknown(std::string reason);
  friend bool operator==(const OperandIndexing&, const OperandIndexing&) = default;
};

/// The union of the maps is what is read; an empty set reads nothing.
using IndexingSet = std::vector<OperandIndexing>;

/// Dimensions index output `output` of the instruction; the maps give the elements of operand `operand` it
/// needs. Outputs are numbered through nested tuples: output 2 of ((f32[2], f32[3]), s32[]) is the s32[].
///
/// Fusions, calls and the like go through their computations. Maps are simplified, with point dimensions kept
/// in results (`Points::preserve`) except for windows, convolutions and maps through computations. Runtime
/// values that follow from the program are folded in. An instruction with an error or of an unknown opcode is
/// unknown. Cost: O(rank) and, for some opcodes, a simplification. Errors: index_out_of_range.
Result<IndexingSet> output_to_input(const Instruction& instruction, std::size_t output, std::size_t operand);

/// Dimensions index operand `operand`; the maps give the elements of output `output` that read it.
/// Errors: index_out_of_range.
Result<IndexingSet> input_to_output(const Instruction& instruction, std::size_t operand, std::size_t output);

}  // namespace tessera
