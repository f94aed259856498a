// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps of one instruction, and along a program: through many instructions, fusions, calls and
/// branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// The maps from an index of the output to the elements of the operand that it needs. Outputs are leaves of
/// the result: output 2 of ((f32[2], f32[3]), s32[]) is the s32[]. Example: what an element of a product
/// needs of the right operand is `output_to_input(dot, {.operand = 1})`.
///
/// Maps of fusions, calls and other callers go through the called computations. Maps are simplified;
/// dimensions of extent 1 stay in results (`Points::preserve`) except for windows, convolutions and maps
/// through computations. Runtime values that the program determines are folded into the maps. Instructions
/// with an error or an unknown opcode are unknown. Cost: O(rank) and, for some opcodes, a simplification.
/// Errors: index_out_of_range.
Result<IndexingSet> output_to_input(const Instruction& instruction, OutputOperand pair);

/// The maps from an index of the operand to the elements of the output that read it. Errors:
/// index_out_of_range.
Result<IndexingSet> input_to_output(const Instruction& instruction, OutputOperand pair);

/// A leaf of an instruction's value: the array or token with this number, nested tuples flattened (see
/// leaf_type).
struct HloValue {
  const Instruction* instruction = nullptr;
  std::uint32_t leaf = 0;
  friend bool operator==(const HloValue&, const HloValue&) = default;
};

/// A value, and the maps that lead to its elements.
struct ValueIndexing {
  HloValue value;
  IndexingSet maps;
};

/// The maps that lead to leaf `leaf` of operand `operand`.
struct OperandIndexing {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
  IndexingSet maps;
};

/// The maps that lead to leaf `leaf` of the result.
struct OutputIndexing {
  std::uint32_t leaf = 0;
  IndexingSet maps;
};

struct WalkOptions {
  bool footprint = false;  ///< drop maps that another map of the set contains
  std::size_t max_maps =
      kMaxIndexingMaps;  ///< per set; a larger set becomes one superset map of the whole value
  std::uint32_t max_nodes =
      4000;  ///< operator nodes per map; a set with a larger map also becomes that superset
  /// Operator nodes composed along all paths through one computation, from all its results or parameters.
  /// Sets that would need more also become that superset.
  std::uint64_t max_work = 100000;
};

/// Where a walk starts: an output, and the calls that lead from the computation of the cluster to that of the
/// output, outermost first (none if they are the same).
struct WalkStart {
  HloValue value;
  std::vector<const Instruction*> callers = {};
};

/// The maps of a program. A called computation is walked once and its maps are cached; at each call the
/// sources of runtime variables are resolved and folded again. Maps start at the requested value and are
/// simplified (`Points::replace` if they come from more than one step). After an unknown step everything is
/// unknown, for the same reason. Values that are not reached have no entry. Cost: one composition for each
/// distinct map of each value on a path. Maps that would grow beyond the limits of `WalkOptions` become a
/// superset that names the limit. Not thread-safe: use one object per thread (`for_another_thread`).
class ProgramIndexing {
 public:
  /// Computes nothing yet. The modules that are queried must outlive the object.
  explicit ProgramIndexing(WalkOptions options = {});
  ~ProgramIndexing();
  ProgramIndexing(ProgramIndexing&&) noexcept;
  ProgramIndexing& operator=(ProgramIndexing&&) noexcept;
  /// An object with the same options for another thread. The two share their cache of called computations and
  /// loops, so that each of these is walked once.
  ProgramIndexing for_another_thread() const;
  /// An object with the same options that also knows these values, each of one element. Its maps say what an
  /// update at a start among them keeps. It shares no cache.
  struct KnownElement {
    RuntimeValue element;  ///< not a position in a group; its map has constant results
    Index value = 0;       ///< before the clamp
  };
  ProgramIndexing knowing(std::vector<KnownElement> elements) const;

  /// The elements that leaf `leaf` of the result reads, by operand and leaf, for one instruction of any
  /// opcode. The maps of a fusion, call, conditional, loop or asynchronous operation go through its
  /// computations. Operands that are not read have no entry. Errors: index_out_of_range.
  Result<std::vector<OperandIndexing>> reads_of_output(const Instruction& instruction, std::size_t leaf);

  /// Which elements of which outputs read this leaf of an operand. Errors: index_out_of_range.
  Result<std::vector<OutputIndexing>> readers_of_operand(const Instruction& instruction,
                                                         OperandLeaf operand_leaf);

  /// The maps between one output and one operand; if the operand is a tuple, each map names its leaf. Leaves
  /// that are unknown for the same reason share a map. The functions `output_to_input` and
  /// `input_to_output` above use these for opcodes that call computations. Errors: index_out_of_range.
  Result<IndexingSet> output_to_operand(const Instruction& instruction, OutputOperand pair);
  Result<IndexingSet> operand_to_output(const Instruction& instruction, OutputOperand pair);

  /// The maps from the start value to every value that it depends on, beginning with the start itself and the
  /// identity. The walk passes through the instructions of `cluster` and ends at others. A fusion of the
  /// cluster is one step, unless the start is inside it: then the walk leaves the fusion through its
  /// operands. Errors: index_out_of_range for a leaf that does not exist, bad_option for callers that do not
  /// lead to the start.
  Result<std::vector<ValueIndexing>> grouped(std::span<const Instruction* const> cluster,
                                             const WalkStart& start);

  /// As above, where the cluster is all instructions of the start's computation.
  Result<std::vector<ValueIndexing>> grouped(const WalkStart& start);

  /// The values that an instruction reads directly, each once, in the order of the operands. Errors:
  /// index_out_of_range.
  Result<std::vector<ValueIndexing>> group_by_producer(const HloValue& output);

  /// The elements of the root's outputs, in the computation of `start`, that depend on `start`. Errors:
  /// index_out_of_range.
  Result<std::vector<OutputIndexing>> forward_to_root(const HloValue& start);

  /// The maps from `path[0]` to the last instruction of the path, only through this chain of uses. The
  /// identity if the path has one instruction. Errors: bad_option if an instruction does not read its
  /// predecessor.
  Result<IndexingSet> path_input_to_output(std::span<const Instruction* const> path);

  /// The maps from `start` to `end` along the first use of each value. Errors: bad_option if these uses do
  /// not lead to `end`.
  Result<IndexingSet> path_input_to_output(const Instruction& start, const Instruction& end);

  /// The maps from an output of a computation to leaf `leaf` of a parameter, which callers compose with
  /// theirs.
  struct ParameterIndexing {
    std::uint32_t parameter = 0;
    std::uint32_t leaf = 0;
    IndexingSet maps;
  };
  const std::vector<ParameterIndexing>& root_to_parameters(const Computation& computation, std::size_t leaf);

  /// The maps from the start to the parameters of its computation or, with callers, of that of the outermost
  /// one; sorted by parameter and leaf, without tokens. As `grouped`, but composes only what leads there.
  /// Errors: as `grouped`.
  Result<std::vector<ParameterIndexing>> to_parameters(const WalkStart& start);

 private:
  /// The values for which `wanted` holds: see `grouped`.
  Result<std::vector<ValueIndexing>> walk_from(const WalkStart& start,
                                               const std::function<bool(const Instruction&)>& in_cluster,
                                               const std::function<bool(const Instruction&)>& wanted);

  struct Impl;
  explicit ProgramIndexing(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
