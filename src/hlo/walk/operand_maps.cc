// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/operand_maps.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/plural.h"
#include "hlo/ops/rule.h"

namespace tessera {

OperandIndexing OperandIndexing::unknown(std::string reason) {
  return {.map = {}, .exactness = Exactness::unknown, .reason = std::move(reason)};
}

namespace {

using detail::OpFacts;
using detail::OpQuery;
using detail::OpRule;

// Why a value of this type has no maps; empty if it may have maps.
std::optional<std::string> obstacle(const HloType& type) {
  if (type.is_tuple()) return "the operand is a tuple";
  if (!type.is_array()) return "the value is not an array";
  if (std::ranges::any_of(type.dims(), [](Index extent) { return extent < 0; })) {
    return "a dimension is unbounded (?): replace ? with a number";
  }
  return std::nullopt;
}

using Direction = IndexingSet (*OpRule::*)(const OpQuery&);

// The maps of one output of an opcode that treats the leaves of its tuple operand separately.
IndexingSet one_array(OpFacts& facts, std::size_t output, IndexingSet (*direction)(const OpQuery&)) {
  const OpQuery query{facts, output, 0, output};
  // The result has more leaves than the operand.
  if (output >= facts.arrays_of(0)) return detail::bad_shape({facts, output, 0});
  const HloType& out = query.output_type();
  const HloType& in = query.operand_type();
  if (out.is_token() && in.is_token()) return {};
  auto reason = obstacle(out);
  if (!reason) reason = obstacle(in);
  IndexingSet maps = reason ? detail::unknown_set(*std::move(reason)) : direction(query);
  for (OperandIndexing& x : maps) x.element = static_cast<std::int32_t>(output);
  return maps;
}

IndexingSet by_rule(OpFacts& facts, std::size_t output, std::size_t operand, Direction direction) {
  const Instruction& instruction = facts.op();
  const OpRule& rule = detail::rule_of(instruction.opcode);
  if (!instruction.sound && &rule != &detail::kUnknownRule) {
    return detail::unknown_set("the instruction has an error");
  }
  if (facts.is_leafwise()) return one_array(facts, output, rule.*direction);
  const OpQuery query{facts, output, operand};
  // Tokens hold no data, but transfers are unknown, even if their only result is a token: it is not known
  // where received data comes from, or who reads an outfeed.
  const HloType& out = query.output_type();
  const bool leaves = instruction.opcode == Opcode::outfeed && !instruction.operand_type(operand).is_token();
  if (out.is_token() && !leaves) return {};
  // These rules need no extents.
  if (&rule == &detail::kBoundaryRule || &rule == &detail::kCustomCallRule ||
      &rule == &detail::kUnknownRule || &rule == &detail::kNoElementsRule)
    return (rule.*direction)(query);
  const HloType& in = instruction.operand_type(operand);
  if (in.is_token()) return {};
  if (auto reason = obstacle(out)) return detail::unknown_set(std::move(*reason));
  if (!rule.tuple_operands || !in.is_tuple()) {
    if (auto reason = obstacle(in.is_tuple() ? in : query.operand_type()))
      return detail::unknown_set(std::move(*reason));
  }
  return (rule.*direction)(query);
}

// Whether the map has the ranks of the two arrays.
bool fits(const OpQuery& query, const OperandIndexing& x, Direction direction) {
  if (x.exactness == Exactness::unknown) return true;
  const std::size_t leaf = x.element < 0 ? query.leaf : static_cast<std::size_t>(x.element);
  if (leaf >= query.facts.arrays_of(query.operand)) return false;
  const HloType& out = query.output_type();
  const HloType& in = query.facts.operand_type(query.operand, leaf);
  const bool to_input = direction == &OpRule::output_to_input;
  const auto ranked = [](const HloType& type, std::size_t rank) {
    return !type.is_array() || type.rank() == rank;
  };
  return ranked(to_input ? out : in, x.map.dim_count()) &&
         ranked(to_input ? in : out, x.map.results().size());
}

IndexingSet answer(OpFacts& facts, std::size_t output, std::size_t operand, Direction direction) {
  IndexingSet maps = by_rule(facts, output, operand, direction);
  // The check of shapes skips unbounded dimensions, so ranks may differ.
  const OpQuery query{facts, output, operand};
  if (std::ranges::all_of(maps, [&](const OperandIndexing& x) { return fits(query, x, direction); }))
    return maps;
  return detail::bad_shape(query);
}

// A single query about an instruction.
Result<IndexingSet> asked_once(const Instruction& instruction, std::size_t output, std::size_t operand,
                               Direction direction) {
  detail::Leaves leaves;
  OpFacts facts(instruction, leaves);
  if (output >= facts.outputs()) {
    return fail(Code::index_out_of_range,
                fmt::format("{} {} has {}, but output {} was requested", instruction.opcode_text,
                            instruction.name, detail::plural(facts.outputs(), "output"), output));
  }
  if (operand >= instruction.operands.size()) {
    return fail(
        Code::index_out_of_range,
        fmt::format("{} {} has {}, but operand {} was requested", instruction.opcode_text, instruction.name,
                    detail::plural(instruction.operands.size(), "operand"), operand));
  }
  return answer(facts, output, operand, direction);
}

}  // namespace

namespace detail {

IndexingSet output_to_input(OpFacts& facts, std::size_t output, std::size_t operand) {
  return answer(facts, output, operand, &OpRule::output_to_input);
}

IndexingSet input_to_output(OpFacts& facts, std::size_t operand, std::size_t output) {
  return answer(facts, output, operand, &OpRule::input_to_output);
}

}  // namespace detail

Result<IndexingSet> output_to_input(const Instruction& instruction, std::size_t output, std::size_t operand) {
  return asked_once(instruction, output, operand, &OpRule::output_to_input);
}

Result<IndexingSet> input_to_output(const Instruction& instruction, std::size_t operand, std::size_t output) {
  return asked_once(instruction, output, operand, &OpRule::input_to_output);
}

}  // namespace tessera
