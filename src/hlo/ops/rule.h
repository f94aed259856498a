// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rule of an opcode: its operand maps in both directions.
#pragma once

#include <span>
#include <string>

#include "hlo/module/leaves.h"
#include "hlo/ops/map_builder.h"
#include "hlo/ops/op_facts.h"
#include "tessera/base/result.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// One query: how does output `output` (a leaf of the result) depend on operand `operand`?
struct OpQuery {
  OpFacts& facts;
  std::size_t output = 0;
  std::size_t operand = 0;
  std::size_t leaf = 0;      ///< the leaf of a tuple operand (OpFacts::is_leafwise)
  bool known_starts = true;  ///< put starts that the program determines into the maps
  const Instruction& op = facts.op();

  const HloType& output_type() const { return facts.output_type(output); }
  const HloType& operand_type() const { return facts.operand_type(operand, leaf); }
  std::span<const Index> out() const { return output_type().dims(); }
  std::span<const Index> in() const { return operand_type().dims(); }
  /// Dimensions of another operand.
  std::span<const Index> dims_of(std::size_t other) const { return facts.operand_type(other, 0).dims(); }
};

/// The maps of one opcode in both directions. Rules may assume that the operand and the output exist and have
/// elements. Shapes were checked when the module was read; a rule whose shapes still do not match answers
/// unknown, never a wrong map.
struct OpRule {
  IndexingSet (*output_to_input)(const OpQuery&) = nullptr;
  IndexingSet (*input_to_output)(const OpQuery&) = nullptr;
  bool tuple_operands = false;  ///< the rule handles tuple operands
  Pairing pairing = Pairing::all;
};

/// The rule of an opcode. O(1).
const OpRule& rule_of(Opcode opcode);

/// Unknown, for this reason.
IndexingSet unknown_set(std::string reason);
/// Unknown because of a bad attribute; the diagnostic's message is the reason.
IndexingSet unknown_set(const Diagnostic& diagnostic);
/// Unknown because the shapes do not match.
IndexingSet bad_shape(const OpQuery& query);

// One file per family of opcodes.
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
/// Callers (fusion, call, while, ...): both functions are null, because the walk composes their maps.
extern const OpRule kThroughComputationsRule;
extern const OpRule kUnknownRule;

}  // namespace tessera::detail
