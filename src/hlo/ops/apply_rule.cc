// SPDX-License-Identifier: Apache-2.0
// What all rules share: instructions with errors, tokens, tuples, unbounded dimensions.
#include "hlo/ops/apply_rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/indexing/size_value.h"
#include "hlo/indexing/variables.h"
#include "map/variable_set.h"
#include "tessera/map/map_algebra.h"

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

// The runtime variable that is the size with this name, which is added if it is missing.
Expr size_variable(Indexing& x, std::string_view name, Index most) {
  const auto known = std::ranges::find_if(
      x.runtime, [&](const RuntimeValue& value) { return is_size(value) && value.text == name; });
  const auto place = static_cast<std::size_t>(known - x.runtime.begin());
  if (known != x.runtime.end())
    known->clamp.upper = std::min(known->clamp.upper, most);
  else
    add_runtime(x, {.text = std::string(name), .map = {}, .clamp = {0, most}}, {0, most});
  return Expr::variable(static_cast<Index>(x.map.dim_count() + x.map.range_count() + place));
}

// Where an index of a dynamic dimension does not follow from one that exists, as in a sum over the dimension,
// it ends at the size of the dimension, not at its bound. Without a name for the size, the map becomes a
// superset.
void end_at_sizes(const OpQuery& query, Indexing& x, bool to_input, const OpRule& rule) {
  if (x.exactness != Exactness::exact || x.map.known_empty()) return;
  const std::size_t leaf = x.leaf < 0 ? query.leaf : static_cast<std::size_t>(x.leaf);
  const HloType& type = to_input ? query.facts.operand_type(query.operand, leaf) : query.output_type();
  if (!type.is_array() || type.array().is_static()) return;
  const HloType& start = to_input ? query.output_type() : query.facts.operand_type(query.operand, leaf);
  VariableSet ranges;
  for (std::size_t r = 0; r < x.map.range_count(); ++r) ranges.insert(x.map.dim_count() + r);
  // Dimensions of the same bound have equal sizes if both are dynamic and the opcode does not change sizes.
  const auto same_bound = [&](std::size_t from, std::size_t d) {
    return from < x.map.dim_count() && start.is_array() && start.dims()[from] == type.dims()[d];
  };
  const auto follows = [&](Expr at, std::size_t d) {
    if (at.is_constant() || (rule.changes_size != nullptr && rule.changes_size(query, to_input, d)))
      return false;
    if (VariableSet(at).intersects(ranges)) {
      // A scan reads no step that comes after its own, which its map says in a constraint.
      if (rule.changes_size != nullptr || !same_bound(d, d) || start.array().dim_kind(d) == DimKind::fixed)
        return false;
      const Expr ahead = at - Expr::variable(static_cast<Index>(d));
      return range(ahead, x.map.domain(), false).upper > 0 && range(ahead, x.map.domain()).upper <= 0;
    }
    const auto from = at.is_variable() ? static_cast<std::size_t>(at.value()) : x.map.dim_count();
    if (same_bound(from, d)) return start.array().dim_kind(from) != DimKind::fixed;
    return rule.changes_size == nullptr;
  };
  const OpValue* const value = query.facts.value();
  std::vector<std::pair<Expr, Expr>> ends;  // indices and sizes
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const Expr at = x.map.results()[d];
    if (type.array().dim_kind(d) == DimKind::fixed) continue;
    if (follows(at, d)) continue;
    const std::string_view name = value == nullptr ? std::string_view()
                                  : to_input       ? value->operand_size(query.operand, d)
                                                   : value->result_size(d);
    if (name.empty()) {
      x = as_superset(std::move(x), kSizeIsData);
      return;
    }
    const Expr size = size_variable(x, name, type.dims()[d]);
    ends.emplace_back(at, size);
  }
  if (ends.empty()) return;
  std::vector<Expr> results(x.map.results().begin(), x.map.results().end());
  Domain domain = x.map.domain();
  for (const auto& [at, size] : ends) domain.constrain(at - size, {kNegInf, -1});
  x.map = simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)), Points::preserve);
}

}  // namespace

IndexingSet apply_rule(const OpRule& rule, OpFacts& facts, OutputOperand pair, RuleDirection direction) {
  IndexingSet maps = by_rule(rule, facts, pair, direction);
  // The check of shapes skips unbounded dimensions, so ranks may differ.
  const OpQuery query{.facts = facts, .output = pair.output, .operand = pair.operand};
  if (!std::ranges::all_of(maps, [&](const Indexing& x) { return has_ranks(query, x, direction); }))
    return bad_shape(query);
  for (Indexing& x : maps) end_at_sizes(query, x, direction == &OpRule::output_to_input, rule);
  return maps;
}

IndexingSet output_to_input(OpFacts& facts, OutputOperand pair) {
  return apply_rule(rule_of(facts.op().opcode), facts, pair, &OpRule::output_to_input);
}

IndexingSet input_to_output(OpFacts& facts, OutputOperand pair) {
  return apply_rule(rule_of(facts.op().opcode), facts, pair, &OpRule::input_to_output);
}

}  // namespace tessera::detail
