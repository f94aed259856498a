// SPDX-License-Identifier: Apache-2.0
// Elements that an instruction passes on: where they come from.
#include <algorithm>
#include <utility>

#include "hlo/limits.h"
#include "hlo/ops/element_value.h"
#include "hlo/ops/forwarding.h"
#include "hlo/ops/rule.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

bool keeps_values(const Instruction& op) {
  const auto from = integers_of(op.operand_type(0).array().dtype);
  const auto to = values_of(op.type.array().dtype);
  return from && to && to->contains(*from);
}

/// How many operands the elements of the result may come from.
std::size_t sources_of(const Instruction& op) {
  // The bits of a bitcast-convert mean other values, and the extents of a dynamic-reshape are known only at
  // run time. The value of a padding has no index.
  if (op.opcode == Opcode::bitcast_convert || op.opcode == Opcode::dynamic_reshape) return 0;
  return op.opcode == Opcode::pad
             ? 1
             : std::min(moved_operands(op.opcode, op.operands.size()), kHloLimits.ops.moved_operands);
}

}  // namespace

TracedElement ElementTrace::origin(TracedElement element, bool& moved) {
  while (steps_++ < kHloLimits.ops.value_steps && step(element)) moved = true;
  return element;
}

// The element of the root that a call or a fusion returns.
std::optional<TracedElement> ElementTrace::into_call(const TracedElement& element) const {
  const Instruction& call = *element.value.instruction;
  if ((call.opcode != Opcode::call && call.opcode != Opcode::fusion) || call.called.size() != 1)
    return std::nullopt;
  Instruction* const root = call.called[0]->root;
  if (root == nullptr || !root->sound || root->type.is_tuple() != call.type.is_tuple()) return std::nullopt;
  if (call.type.is_array() && call.type.array().dims != root->type.array().dims) return std::nullopt;
  TracedElement inside{
      {root, element.value.tuple_index, element.value.span, element.value.inner}, element.at, element.calls};
  inside.calls.push_back({&call, 0});
  return inside;
}

// Follows the element to an operand. False if the instruction computes it.
bool ElementTrace::step(TracedElement& element) {
  const Operand& value = element.value;
  const Instruction& op = *value.instruction;
  if (!op.sound) return false;
  if (forward(element)) return true;
  if (value.tuple_index >= 0) return false;
  if (op.opcode == Opcode::convert) {
    if (options_.modular || !keeps_values(op)) return false;
    element.value = op.operands[0];
    return true;
  }
  return sources_of(op) > 0 && through_maps(element, op);
}

// Follows the element through an instruction that passes whole values on, whatever the index is.
bool ElementTrace::forward(TracedElement& element) const {
  Operand& value = element.value;
  const Instruction& op = *value.instruction;
  const auto replace = [&](const Operand& operand) {
    value = operand;
    return true;
  };
  // The same part of the tuple, or the whole value, of an operand.
  const auto same_part = [&](const Operand& operand) {
    if (value.tuple_index < 0) return replace(operand);
    if (operand.tuple_index >= 0) return false;
    value = {operand.instruction, value.tuple_index, operand.span, value.inner};
    return true;
  };
  const Opcode opcode = op.opcode;
  if (opcode == Opcode::parameter) return out_of_parameter(element);
  if (opcode == Opcode::copy || opcode == Opcode::opt_barrier || opcode == Opcode::domain)
    return same_part(op.operands[0]);
  if (opcode == Opcode::add_dependency) return value.tuple_index < 0 && replace(op.operands[0]);
  if (opcode == Opcode::tuple) {
    if (value.tuple_index < 0 || static_cast<std::size_t>(value.tuple_index) >= op.operands.size())
      return false;
    const Operand& part = op.operands[static_cast<std::size_t>(value.tuple_index)];
    if (value.inner == nullptr) return replace(part);
    if (part.tuple_index >= 0) return false;
    value = {part.instruction, value.inner->index, part.span, value.inner->next};
    return true;
  }
  if (opcode == Opcode::get_tuple_element) {
    const auto index = taken_element(op);
    if (value.tuple_index >= 0 || op.operands[0].tuple_index >= 0 || !index) return false;
    value = {op.operands[0].instruction, static_cast<std::int32_t>(*index), op.operands[0].span};
    return true;
  }
  if (opcode == Opcode::copy_start) {
    // The copy and the original, followed by a context.
    return (value.tuple_index == 0 || value.tuple_index == 1) && value.inner == nullptr &&
           op.operands[0].type().is_array() && replace(op.operands[0]);
  }
  if (opcode != Opcode::copy_done) return false;
  const Operand& start = op.operands[0];
  const bool copies = value.tuple_index < 0 && start.tuple_index < 0 &&
                      start.instruction->opcode == Opcode::copy_start && start.instruction->sound;
  return copies && op.type.is_array() && replace(start.instruction->operands[0]);
}

bool ElementTrace::out_of_parameter(TracedElement& element) const {
  Operand& value = element.value;
  const Instruction& parameter = *value.instruction;
  std::optional<Operand> outside;
  if (element.calls.empty()) {
    outside = options_.resolve ? options_.resolve(value) : std::nullopt;
  } else {
    const auto [caller, first_operand] = element.calls.back();
    const auto number = first_operand + static_cast<std::size_t>(parameter.parameter_number);
    const bool called = std::ranges::find(caller->called, parameter.parent) != caller->called.end();
    if (called && parameter.parameter_number >= 0 && number < caller->operands.size())
      outside = caller->operands[number];
  }
  if (!outside || outside->instruction == nullptr) return false;
  if (value.tuple_index >= 0 && outside->tuple_index >= 0) return false;
  value = {outside->instruction, std::max(outside->tuple_index, value.tuple_index), outside->span,
           value.tuple_index >= 0 ? value.inner : outside->inner};
  if (!element.calls.empty()) element.calls.pop_back();
  return true;
}

// Follows the element through an instruction that moves elements, to the operand that holds it at every point
// of the domain.
bool ElementTrace::through_maps(TracedElement& element, const Instruction& op) {
  if (!op.type.is_array()) return false;
  Leaves leaves;
  OpFacts facts(op, leaves);
  const std::size_t count = std::min(sources_of(op), op.operands.size());
  for (std::size_t j = 0; j < count; ++j) {
    // A bitcast to another element type changes the value.
    if (!op.operand_type(j).is_array() || op.type.array().dtype != op.operand_type(j).array().dtype)
      return false;
    for (const Indexing& x :
         rule_of(op.opcode).output_to_input({.facts = facts, .operand = j, .known_starts = false})) {
      if (auto at = index_through(x, element)) {
        element.value = op.operands[j];
        element.at = *std::move(at);
        return true;
      }
    }
  }
  return false;
}

// The index to which the map leads from the element, if it leads to one at every point of the domain.
std::optional<std::vector<Expr>> ElementTrace::index_through(const Indexing& x,
                                                             const TracedElement& element) {
  const IndexMap& map = x.map;
  if (x.exactness != Exactness::exact || map.known_empty() || map.range_count() != 0 ||
      map.dim_count() != element.at.size() || (options_.modular && !x.runtime.empty())) {
    return std::nullopt;  // a start that wraps is not known before it is clamped
  }
  std::vector<Expr> point = element.at;
  for (const RuntimeValue& start : x.runtime) {
    if (start.source == nullptr) return std::nullopt;
    TracedElement from{
        {const_cast<Instruction*>(start.source), start.tuple_index, {}, start.inner}, {}, element.calls};
    from.calls.insert(from.calls.end(), start.calls.begin(), start.calls.end());
    for (const Expr& e : start.map.results()) from.at.push_back(substitute(e, element.at));
    const auto known = value(std::move(from));
    if (!known) return std::nullopt;
    point.push_back(clamped(*known, start.clamp, domain_));
  }
  const auto is_inside = [&](Expr e, Interval interval) {
    return interval.contains(range(simplify(e, domain_), domain_));
  };
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!is_inside(point[i], map.variables()[i].bounds)) return std::nullopt;
  }
  for (const Constraint& c : map.constraints()) {
    if (!is_inside(substitute(c.expr, point), c.range)) return std::nullopt;
  }
  std::vector<Expr> at;
  at.reserve(map.results().size());
  for (const Expr& result : map.results()) at.push_back(simplify(substitute(result, point), domain_));
  return at;
}

}  // namespace tessera::detail
