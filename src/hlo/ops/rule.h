// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rule of an opcode: its operand maps in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hlo/check/op_value.h"
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

/// The leaf of an operand that an instruction passes on unchanged.
struct ForwardedLeaf {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
};

/// maps: the opcode's own. computations: those of the called computations, which the walk composes; both
/// functions are null. no_elements: no element of an operand is read. boundary: data crosses the module's
/// boundary. opaque, unknown: of a custom call and of an unknown opcode.
enum class RuleKind : std::uint8_t { maps, computations, no_elements, boundary, opaque, unknown };

/// What an opcode does: how an instruction is read, and its maps in both directions. Rules may assume that
/// the operand and the output exist and have elements.
struct OpRule {
  OpRead read = nullptr;
  IndexingSet (*output_to_input)(const OpQuery&) = nullptr;
  IndexingSet (*input_to_output)(const OpQuery&) = nullptr;
  RuleKind kind = RuleKind::maps;
  bool tuple_operands = false;  ///< the rule handles tuple operands
  /// Of an opcode that changes sizes: whether the size of dimension `dim` of the input, or to the output of
  /// the output, may differ from that of an equal bound on the other side, as under a window.
  bool (*changes_size)(const OpQuery&, bool to_input, std::size_t dim) = nullptr;
  Pairing pairing = Pairing::all;
  /// Of an opcode that only forwards: the leaf of an operand that is output `leaf`. See forwarding.h.
  std::optional<ForwardedLeaf> (*forwards)(const Instruction&, std::uint32_t leaf, Leaves&) = nullptr;
  /// Whether output k reads only leaf k of the only operand, a tuple, so that the rule answers for one leaf.
  bool (*leafwise)(const Instruction&) = nullptr;
};

/// The rule of an opcode. O(1).
const OpRule& rule_of(Opcode opcode);

/// The value that the instruction keeps or, if it was not checked, one read now. Null if that finds a
/// problem, whose message `reason` receives, or if the family has no values. A kept value: O(1).
OpValuePtr value_of(const Instruction& op, std::string* reason = nullptr);
/// As above, with the type of the family's values.
template <class Op>
std::shared_ptr<const Op> value_of(const Instruction& op) {
  return std::static_pointer_cast<const Op>(value_of(op));
}

/// Unknown, for this reason.
IndexingSet unknown_set(std::string reason);
/// Unknown because of a bad attribute; the diagnostic's message is the reason.
IndexingSet unknown_set(const Diagnostic& diagnostic);
/// Unknown because the shapes do not match, as unbounded dimensions may not.
IndexingSet bad_shape(const OpQuery& query);

/// The maps of a family, from its value. Without a value, which only an instruction with an error or with
/// unbounded dimensions lacks, the answer is unknown.
template <class Op, IndexingSet (*kMaps)(const OpQuery&, const Op&)>
IndexingSet with_value(const OpQuery& q) {
  const OpValue* const value = q.facts.value();
  return value == nullptr ? unknown_set(q.facts.reason()) : kMaps(q, static_cast<const Op&>(*value));
}

/// The rule of a family with values of type `Op`. `rest`: its other fields.
template <class Op, auto kRead, auto kToInput, auto kToOutput>
constexpr OpRule family_rule(OpRule rest = {}) {
  rest.read = read_into<Op, kRead>;
  rest.output_to_input = with_value<Op, kToInput>;
  rest.input_to_output = with_value<Op, kToOutput>;
  return rest;
}

// The rules that the table of opcodes names.
#define TESSERA_OPCODE(identifier, text, trait, kind, rule, keys) extern const OpRule k##rule##Rule;
TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
extern const OpRule kUnknownRule;

}  // namespace tessera::detail
