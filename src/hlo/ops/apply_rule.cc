// SPDX-License-Identifier: Apache-2.0
// What all rules share: instructions with errors, tokens, tuples, unbounded dimensions.
#include "hlo/ops/apply_rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tessera::detail {
namespace {

// Why a value of this type has no maps; empty if it may have maps.
std::optional<std::string> obstacle(const HloType& type) {
  if (type.is_tuple()) return "the operand is a tuple";
  if (!type.is_array()) return "the value is not an array";
  if (std::ranges::any_of(type.dims(), [](Index extent) { return extent < 0; })) {
    return "a dimension is unbounded (?): replace ? with a number";
  }
  return std::nullopt;
}

// The maps of one output of an opcode that treats the leaves of its tuple operand separately.
IndexingSet one_array(OpFacts& facts, std::size_t output, IndexingSet (*direction)(const OpQuery&)) {
  const OpQuery query{.facts = facts, .output = output, .leaf = output};
  // The result has more leaves than the operand.
  if (output >= facts.leaves_of(0)) return bad_shape({.facts = facts, .output = output});
  const HloType& out = query.output_type();
  const HloType& in = query.operand_type();
  if (out.is_token() && in.is_token()) return {};
  auto reason = obstacle(out);
  if (!reason) reason = obstacle(in);
  IndexingSet maps = reason ? unknown_set(*std::move(reason)) : direction(query);
  for (Indexing& x : maps) x.leaf = static_cast<std::int32_t>(output);
  return maps;
}

IndexingSet by_rule(const OpRule& rule, OpFacts& facts, OutputOperand pair, RuleDirection direction) {
  const Instruction& instruction = facts.op();
  if (!instruction.sound && rule.kind != RuleKind::unknown) {
    return unknown_set("the instruction has an error");
  }
  if (facts.is_leafwise()) return one_array(facts, pair.output, rule.*direction);
  const OpQuery query{.facts = facts, .output = pair.output, .operand = pair.operand};
  // Tokens hold no data, but transfers are unknown, even if their only result is a token: it is not known
  // where received data comes from, or who reads an outfeed.
  const HloType& out = query.output_type();
  const bool leaves =
      instruction.opcode == Opcode::outfeed && !instruction.operand_type(pair.operand).is_token();
  if (out.is_token() && !leaves) return {};
  // These rules need no extents.
  if (rule.kind != RuleKind::maps) return (rule.*direction)(query);
  const HloType& in = instruction.operand_type(pair.operand);
  if (in.is_token()) return {};
  if (auto reason = obstacle(out)) return unknown_set(std::move(*reason));
  if (!rule.tuple_operands || !in.is_tuple()) {
    if (auto reason = obstacle(in.is_tuple() ? in : query.operand_type()))
      return unknown_set(std::move(*reason));
  }
  return (rule.*direction)(query);
}

// Whether the map has the ranks of the two arrays.
bool has_ranks(const OpQuery& query, const Indexing& x, RuleDirection direction) {
  if (x.exactness == Exactness::unknown) return true;
  const std::size_t leaf = x.leaf < 0 ? query.leaf : static_cast<std::size_t>(x.leaf);
  if (leaf >= query.facts.leaves_of(query.operand)) return false;
  const HloType& out = query.output_type();
  const HloType& in = query.facts.operand_type(query.operand, leaf);
  const bool to_input = direction == &OpRule::output_to_input;
  const auto ranked = [](const HloType& type, std::size_t rank) {
    return !type.is_array() || type.rank() == rank;
  };
  return ranked(to_input ? out : in, x.map.dim_count()) &&
         ranked(to_input ? in : out, x.map.results().size());
}

}  // namespace

IndexingSet apply_rule(const OpRule& rule, OpFacts& facts, OutputOperand pair, RuleDirection direction) {
  IndexingSet maps = by_rule(rule, facts, pair, direction);
  // The check of shapes skips unbounded dimensions, so ranks may differ.
  const OpQuery query{.facts = facts, .output = pair.output, .operand = pair.operand};
  if (std::ranges::all_of(maps, [&](const Indexing& x) { return has_ranks(query, x, direction); }))
    return maps;
  return bad_shape(query);
}

IndexingSet output_to_input(OpFacts& facts, OutputOperand pair) {
  return apply_rule(rule_of(facts.op().opcode), facts, pair, &OpRule::output_to_input);
}

IndexingSet input_to_output(OpFacts& facts, OutputOperand pair) {
  return apply_rule(rule_of(facts.op().opcode), facts, pair, &OpRule::input_to_output);
}

}  // namespace tessera::detail
