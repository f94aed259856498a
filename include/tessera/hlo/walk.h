// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps along a program: through many instructions, fusions, calls and branches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/indexing_set.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera {

/// An array of a value: `leaf` counts the arrays of its type in the order written, nested tuples flattened. 0
/// for a value that is not a tuple; the element's number for a tuple of arrays.
struct HloValue {
  const Instruction* instruction = nullptr;
  std::uint32_t leaf = 0;
  friend bool operator==(const HloValue&, const HloValue&) = default;
};

/// The type of an array of a type, nested tuples flattened; of a buffer, the type of its contents. Requires
/// leaf < type.leaf_count().
const HloType& leaf_type(const HloType& type, std::size_t leaf);

/// A value and how it is indexed.
struct ValueIndexing {
  HloValue value;
  IndexingSet maps;
};

/// How an operand is indexed: array `leaf` of operand `operand`.
struct OperandLeafIndexing {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
  IndexingSet maps;
};

/// How an output is indexed: array `leaf` of the result.
struct OutputLeafIndexing {
  std::uint32_t leaf = 0;
  IndexingSet maps;
};

struct WalkOptions {
  bool footprint = false;                   ///< drop maps whose elements all belong to another one of the set
  std::size_t max_maps = kMaxIndexingMaps;  ///< of one set; beyond that, one superset map of the whole value
  std::uint32_t max_nodes = 4000;           ///< operator nodes of one map; beyond that, the same
  /// Operator nodes composed along the paths through one computation, from all its results or parameters;
  /// beyond that, the same.
  std::uint64_t max_work = 100000;
};

/// Where a walk starts: an output, inside the computations that `callers` call, outermost first; empty if the
/// instruction is in the computation of the cluster.
struct WalkStart {
  HloValue value;
  std::vector<const Instruction*> callers = {};
};

/// The maps of a program. Results for a called computation are cached, so that one that is called many times
/// is walked once; sources of runtime variables are resolved, and folded, again at each call.
/// Maps start at the requested value and are simplified (`Points::replace` if they come from more than one
/// step). A step that is unknown makes everything after it unknown, with its reason; values that are not
/// reached have no entry. Cost: one composition for each distinct map of each value on a path. Limits
/// (`WalkOptions`) turn answers that would explode into a superset that says so. Not thread-safe: one object
/// for each thread.
class ProgramIndexing {
 public:
  /// Computes nothing yet. The modules of all questions must outlive the object.
  explicit ProgramIndexing(WalkOptions options = {});
  ~ProgramIndexing();
  ProgramIndexing(ProgramIndexing&&) noexcept;
  ProgramIndexing& operator=(ProgramIndexing&&) noexcept;

  /// What output `leaf` reads, by operand and its arrays, for one instruction of any kind; a fusion, call,
  /// conditional or asynchronous operation goes through its computations. Operands that are not read have no
  /// entry. Errors: index_out_of_range.
  Result<std::vector<OperandLeafIndexing>> output_to_input(const Instruction& instruction, std::size_t leaf);

  /// Which elements of which outputs read array `leaf` of operand `operand`. Errors: index_out_of_range.
  Result<std::vector<OutputLeafIndexing>> input_to_output(const Instruction& instruction, std::size_t operand,
                                                          std::size_t leaf = 0);

  /// The same for one operand and one output; if the operand is a tuple, each map names its element. Unknown
  /// parts with the same reason are one member. These answer `output_to_input` and `input_to_output` of
  /// operand_maps.h for opcodes that call computations. Errors: index_out_of_range.
  Result<IndexingSet> output_to_operand(const Instruction& instruction, std::size_t leaf,
                                        std::size_t operand);
  Result<IndexingSet> operand_to_output(const Instruction& instruction, std::size_t operand,
                                        std::size_t leaf);

  /// From the start value to every value it depends on, the start itself first with the identity.
  /// Instructions of `cluster` are walked through, others are ends; a fusion of the cluster is one step,
  /// unless the start is inside it: then the walk leaves the fusion through its operands. Errors:
  /// index_out_of_range for a leaf that does not exist, bad_option for callers that do not lead to the start.
  Result<std::vector<ValueIndexing>> grouped(std::span<const Instruction* const> cluster,
                                             const WalkStart& start);

  /// The same with all instructions of the start's computation as the cluster.
  Result<std::vector<ValueIndexing>> grouped(const WalkStart& start);

  /// The values an instruction reads itself, each once, in the order of the operands.
  Result<std::vector<ValueIndexing>> group_by_producer(const HloValue& output);

  /// From a value forward to the outputs of its computation's root: which elements of them depend on it.
  Result<std::vector<OutputLeafIndexing>> forward_to_root(const HloValue& start);

  /// From `path[0]` to the last instruction of the path, through this chain of uses only. Identity for one
  /// instruction. Errors: bad_option if an instruction does not read the one before it.
  Result<IndexingSet> path_input_to_output(std::span<const Instruction* const> path);

  /// The same along the first uses, from `start` until `end`. Errors: bad_option if these do not lead to
  /// `end`.
  Result<IndexingSet> path_input_to_output(const Instruction& start, const Instruction& end);

  /// What a computation's output depends on, by parameter; callers compose with it.
  struct ParameterIndexing {
    std::uint32_t parameter = 0;
    std::uint32_t leaf = 0;
    IndexingSet maps;
  };
  const std::vector<ParameterIndexing>& root_to_parameters(const Computation& computation, std::size_t leaf);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
