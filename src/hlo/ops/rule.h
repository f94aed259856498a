// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rule of an opcode: its operand maps in both directions.
#pragma once

#include <span>
#include <string>

#include "hlo/ops/map_builder.h"
#include "tessera/base/result.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera::detail {

/// Arrays of a type, nested tuples flattened; 1 for everything that is no tuple.
std::size_t count_leaves(const HloType& type);
/// The type of one of them, without a buffer around it. Requires leaf < count_leaves(type).
const HloType& leaf_of(const HloType& type, std::size_t leaf);

/// One question: array `output` of the result (nested tuples flattened) against operand `operand`.
struct OpQuery {
  const Instruction& op;
  std::size_t output;
  std::size_t operand;
  std::size_t leaf = 0;  ///< the array of the operand, where that is a tuple (is_leafwise)

  const HloType& output_type() const { return leaf_of(op.type, output); }
  const HloType& operand_type() const { return leaf_of(op.operand_type(operand), leaf); }
  std::span<const Index> out() const { return output_type().dims(); }
  std::span<const Index> in() const { return operand_type().dims(); }
  /// Dimensions of another operand.
  std::span<const Index> dims_of(std::size_t other) const {
    return leaf_of(op.operand_type(other), 0).dims();
  }
};

/// Which operands an output may read. all: each. results: with several operands, output k reads operand k and
/// no other. started: the type is (operands, results, contexts...), of n operands outputs k and n + k read
/// operand k.
enum class Pairing : std::uint8_t { all, results, started };

/// Both directions of one opcode. Rules may assume that operands and outputs they are asked for exist and
/// have elements; the shapes were checked when the module was read, and what does not fit all the same is
/// answered with unknown, never with a wrong map.
struct OpRule {
  IndexingSet (*output_to_input)(const OpQuery&) = nullptr;
  IndexingSet (*input_to_output)(const OpQuery&) = nullptr;
  bool tuple_operands = false;  ///< the rule knows what to do with them
  Pairing pairing = Pairing::all;
};

/// The rule of an opcode. O(1).
const OpRule& rule_of(Opcode opcode);

/// A tuple's arrays are treated one by one: output k reads array k of the only operand and no other. The rule
/// of the opcode then answers for one array. O(attributes).
bool is_leafwise(const Instruction& instruction);

/// How the outputs of the instruction and its operands belong together. O(elements of its type).
Pairing pairing_of(const Instruction& instruction);
/// The operands [first, last) that the output may read, paired so; the others need not be asked. O(1).
struct OperandRange {
  std::size_t first = 0;
  std::size_t last = 0;
};
OperandRange operands_read(const Instruction& instruction, Pairing pairing, std::size_t output);

/// The custom call is a marker for the partitioner and hands its operand on.
bool is_marker(const Instruction& custom_call);

/// Unknown, for this reason.
IndexingSet unknown_set(std::string reason);
/// Unknown, because an attribute cannot be used; the diagnostic's message is the reason.
IndexingSet unknown_set(const Diagnostic& diagnostic);
/// Unknown, because the shapes do not fit the opcode.
IndexingSet bad_shape(const OpQuery& query);

// Families, one file each.
extern const OpRule kElementwiseRule;
extern const OpRule kBitcastConvertRule;
extern const OpRule kBroadcastRule;
extern const OpRule kReshapeRule;
extern const OpRule kDynamicReshapeRule;
extern const OpRule kBitcastRule;
extern const OpRule kTransposeRule;
extern const OpRule kReverseRule;
extern const OpRule kSliceRule;
extern const OpRule kConcatenateRule;
extern const OpRule kPadRule;
extern const OpRule kReduceRule;
extern const OpRule kReduceWindowRule;
extern const OpRule kSelectAndScatterRule;
extern const OpRule kConvolutionRule;
extern const OpRule kDotRule;
extern const OpRule kScaledDotRule;
extern const OpRule kRaggedDotRule;
extern const OpRule kDynamicSliceRule;
extern const OpRule kDynamicUpdateSliceRule;
extern const OpRule kGatherRule;
extern const OpRule kScatterRule;
extern const OpRule kSortRule;
extern const OpRule kTopKRule;
extern const OpRule kScanRule;
extern const OpRule kFftRule;
extern const OpRule kCholeskyRule;
extern const OpRule kTriangularSolveRule;
extern const OpRule kBatchNormInferenceRule;
extern const OpRule kBatchNormTrainingRule;
extern const OpRule kBatchNormGradRule;
extern const OpRule kRngRule;
extern const OpRule kRngBitGeneratorRule;
extern const OpRule kAllReduceRule;
extern const OpRule kAllGatherRule;
extern const OpRule kAllGatherStartRule;
extern const OpRule kReduceScatterRule;
extern const OpRule kAllToAllRule;
extern const OpRule kCollectivePermuteRule;
extern const OpRule kCollectivePermuteStartRule;
extern const OpRule kCollectiveBroadcastRule;
extern const OpRule kRaggedAllToAllRule;
extern const OpRule kForwardRule;
extern const OpRule kNoElementsRule;
extern const OpRule kSetDimensionSizeRule;
extern const OpRule kCustomCallRule;
extern const OpRule kBoundaryRule;
extern const OpRule kThroughComputationsRule;
extern const OpRule kUnknownRule;

}  // namespace tessera::detail
