// SPDX-License-Identifier: Apache-2.0
// Operations in two halves: the start returns a tuple, and the end extracts the result from it.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/verify/rules.h"
#include "hlo/verify/started.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

Problem gives_tuple(const Rule& rule, std::string_view what) {
  return rule.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} gives {}, but the written type is {}", rule.instruction().opcode_text, what,
                  short_text(rule.instruction().type)),
      "a start returns its operands, its result and contexts");
}

// (copy, original, contexts...)
Problem check_copy_start(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.must_be_written());
  const HloType& type = rule.instruction().type;
  const auto parts = type.elements();
  if (type.is_tuple() && parts.size() >= 2 && compatible(parts[0], rule.operand(0)) &&
      compatible(parts[1], rule.operand(0))) {
    return std::nullopt;
  }
  const std::string operand = short_text(rule.operand(0));
  return gives_tuple(rule, fmt::format("({}, {}, context)", operand, operand));
}

// (operands, results, contexts...): the results are those of the started operation.
Problem check_collective_start(const Rule& rule, Opcode operation) {
  TESSERA_RULE(rule.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(rule.must_be_written());
  const HloType& type = rule.instruction().type;
  if (!type.is_tuple() || type.elements().size() < 2)
    return gives_tuple(rule, "(operands, results, contexts...)");
  Instruction started = rule.instruction();
  started.opcode = operation;
  started.type = HloType(type.elements()[1]);
  TESSERA_RULE(check_instruction(Rule(started)));
  if (rule.instruction().attribute("slice_sizes") != nullptr) return std::nullopt;
  const HloType& operands = type.elements()[0];
  const bool one = rule.operand_count() == 1;
  bool fit = one ? compatible(operands, rule.operand(0))
                 : operands.is_tuple() && operands.elements().size() == rule.operand_count();
  for (std::size_t i = 0; fit && !one && i < rule.operand_count(); ++i)
    fit = compatible(operands.elements()[i], rule.operand(i));
  return fit ? std::nullopt : gives_tuple(rule, "its operands first");
}

// `slice` for slice-start and slice-update. Empty for async-start, which calls a computation.
std::string_view wrapped_name(std::string_view text) {
  text = text.substr(0, text.rfind('-'));
  return text == "async" ? std::string_view() : text;
}

// Checks that the operand is the result of one of these opcodes.
Problem operand_is_started(const Rule& rule, std::initializer_list<Opcode> starts, std::string_view name) {
  TESSERA_RULE(rule.operand_count_is(
      1, rule.instruction().opcode == Opcode::async_update ? static_cast<std::size_t>(-1) : 1));
  const Operand& operand = rule.instruction().operands[0];
  const Instruction& start = *operand.instruction;
  if (operand.tuple_index >= 0 || std::ranges::find(starts, start.opcode) == starts.end()) {
    return rule.wrong_operand(
        Code::shape_mismatch, 0,
        fmt::format("operand 0 of {} must be {}, but {}'{}' is not", rule.instruction().opcode_text, name,
                    operand.tuple_index >= 0 ? "an element of " : "", start.name),
        fmt::format("use the result of {} in this computation", name));
  }
  const std::string_view wanted = wrapped_name(rule.instruction().opcode_text);
  const std::string_view given = wrapped_name(start.opcode_text);
  if (wanted.empty() || given.empty() || wanted == given) return std::nullopt;
  return rule.wrong_operand(
      Code::shape_mismatch, 0,
      fmt::format("{} ends a {}, but operand 0 is a {}", rule.instruction().opcode_text, wanted, given),
      fmt::format("write {}{}", given, rule.instruction().opcode_text.substr(wanted.size())));
}

// The type is that of element `number` of the start.
Problem gives_element(const Rule& rule, std::size_t number) {
  const HloType& type = rule.operand(0);
  if (!type.is_tuple() || type.elements().size() <= number)
    return rule.must_be_written();  // reported at the start
  return rule.gives(HloType(type.elements()[number]));
}

bool is_empty_tuple(const HloType& type) { return type.is_tuple() && type.elements().empty(); }

// The type that an update with late binding must have; `bound` of its operands are parameters.
Problem gives_longer_chain(const Rule& rule, const HloType& before) {
  std::string held;
  for (const HloType& type : bound_operands(before)->elements()) held += short_text(type) + ", ";
  for (std::size_t i = 1; i < rule.operand_count(); ++i) held += short_text(rule.operand(i)) + ", ";
  if (!held.empty()) held.resize(held.size() - 2);
  return rule.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} gives (({}), result, contexts...), but the written type is {}",
                  rule.instruction().opcode_text, held, short_text(rule.instruction().type)),
      "an update adds its operands to those that the chain holds; buffers for the result are not added");
}

// With late binding, an update binds more parameters of the computation, or the result, or both. Operands
// that it does not add to those that the chain holds are buffers for the result.
Problem check_update(const Rule& rule) {
  TESSERA_RULE(
      operand_is_started(rule, {Opcode::async_start, Opcode::async_update}, "an asynchronous start"));
  const HloType& before = rule.operand(0);
  const HloType* const held = bound_operands(before);
  const Instruction* const start = chain_start(rule.instruction());
  const Computation* const called = start == nullptr ? nullptr : started_computation(*start);
  const HloType& after = rule.instruction().type;
  const bool same = rule.written_type() == nullptr || compatible(before, after);
  if (held == nullptr || called == nullptr || (same && rule.operand_count() == 1)) {
    TESSERA_RULE(rule.operand_count_is(1));
    return rule.gives(before);
  }
  TESSERA_RULE(rule.must_be_written());
  const HloType* const holds = bound_operands(after);
  const std::size_t own = rule.operand_count() - 1;
  const std::size_t first = held->elements().size();
  if (holds == nullptr || after.elements().size() != before.elements().size() ||
      holds->elements().size() < first || holds->elements().size() - first > own) {
    return gives_longer_chain(rule, before);
  }
  const std::size_t bound = holds->elements().size() - first;
  bool fit = true;
  for (std::size_t i = 0; fit && i < first + bound; ++i) {
    fit = compatible(holds->elements()[i], i < first ? held->elements()[i] : rule.operand(1 + i - first));
  }
  for (std::size_t i = 2; fit && i < after.elements().size(); ++i)
    fit = compatible(after.elements()[i], before.elements()[i]);
  const bool binds_result = is_empty_tuple(before.elements()[1]) && !is_empty_tuple(after.elements()[1]);
  if (!fit || (!binds_result && !compatible(after.elements()[1], before.elements()[1])))
    return gives_longer_chain(rule, before);
  if (bound < own && !binds_result) return gives_longer_chain(rule, before);
  TESSERA_RULE(check_bound(rule, *called, first, 1, bound));
  if (!binds_result) return std::nullopt;
  Instruction call = rule.instruction();
  call.type = HloType(after.elements()[1]);
  return gives_root(Rule(call), *called);
}

// The end returns the result that the chain holds or, if nothing bound it, that of the computation.
Problem check_done(const Rule& rule) {
  TESSERA_RULE(
      operand_is_started(rule, {Opcode::async_start, Opcode::async_update}, "an asynchronous start"));
  const HloType& chain = rule.operand(0);
  const Instruction* const start = chain_start(rule.instruction());
  const Computation* const called = start == nullptr ? nullptr : started_computation(*start);
  if (called == nullptr || bound_operands(chain) == nullptr) return gives_element(rule, 1);
  const std::size_t bound = bound_operands(chain)->elements().size();
  if (bound < called->parameters.size()) {
    return rule.wrong_operand(
        Code::operand_count, 0,
        fmt::format("'{}' has {}, but the chain binds only {} before {}", called->name,
                    plural(called->parameters.size(), "parameter"), bound, rule.instruction().opcode_text),
        "bind the others at the start or with an update");
  }
  return is_empty_tuple(*bound_result(chain)) ? gives_root(rule, *called) : gives_element(rule, 1);
}

}  // namespace

Problem check_asynchronous(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::copy_start:
      return check_copy_start(rule);
    case Opcode::copy_done:
      TESSERA_RULE(operand_is_started(rule, {Opcode::copy_start}, "a copy-start"));
      return gives_element(rule, 0);
    case Opcode::all_gather_start:
      return check_collective_start(rule, Opcode::all_gather);
    case Opcode::all_gather_done:
      TESSERA_RULE(operand_is_started(rule, {Opcode::all_gather_start}, "an all-gather-start"));
      return gives_element(rule, 1);
    case Opcode::collective_permute_start:
      return check_collective_start(rule, Opcode::collective_permute);
    case Opcode::collective_permute_done:
      TESSERA_RULE(
          operand_is_started(rule, {Opcode::collective_permute_start}, "a collective-permute-start"));
      return gives_element(rule, 1);
    case Opcode::all_reduce_done:
      TESSERA_RULE(operand_is_started(rule, {Opcode::all_reduce_start}, "an all-reduce-start"));
      return rule.gives(rule.operand(0));
    case Opcode::async_update:
      return check_update(rule);
    default:  // async-done
      return check_done(rule);
  }
}

}  // namespace tessera::detail
