// SPDX-License-Identifier: Apache-2.0
// Operations that run computations: the signatures must match the operands and the result.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/syntax/spelling.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/started.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

// Checks that parameter `number` of the called computation takes the type.
Problem check_parameter(const Rule& rule, std::string_view key, const Computation& called, std::size_t number,
                        const HloType& type, std::size_t operand) {
  const Instruction* parameter = called.parameters[number];
  if (parameter == nullptr || compatible(parameter->type, type)) return std::nullopt;
  return rule.wrong_operand(
      Code::shape_mismatch, operand,
      fmt::format("operand {} is {}, but parameter {} of '{}' ({}) is {}", operand, short_text(type), number,
                  called.name, key, short_text(parameter->type)));
}

Problem check_parameter_count(const Rule& rule, std::string_view key, const Computation& called,
                              std::size_t count) {
  if (called.parameters.size() == count) return std::nullopt;
  return rule.wrong(
      Code::operand_count,
      fmt::format("{} passes {} to '{}' ({}), which has {}", rule.instruction().opcode_text,
                  plural(count, "operand"), called.name, key, plural(called.parameters.size(), "parameter")),
      rule.instruction().opcode_span, "a computation takes one parameter for each operand");
}

Problem check_call(const Rule& rule, std::string_view key) {
  const Computation* called = called_by(rule.instruction(), key);
  if (called == nullptr) {
    return missing_attribute(rule.instruction(), key);
  }
  TESSERA_RULE(check_parameter_count(rule, key, *called, rule.operand_count()));
  for (std::size_t i = 0; i < rule.operand_count(); ++i) {
    TESSERA_RULE(check_parameter(rule, key, *called, i, rule.operand(i), i));
  }
  return gives_root(rule, *called);
}

Problem check_kind(const Rule& rule) {
  const Attribute* kind = rule.instruction().attribute("kind");
  static constexpr std::string_view kKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
  if (kind == nullptr) {
    return rule.wrong(Code::missing_attribute, "fusion needs the attribute 'kind'",
                      rule.instruction().opcode_span, "write kind=kLoop, kInput, kOutput or kCustom");
  }
  if (std::ranges::find(kKinds, kind->value) == std::end(kKinds)) {
    return rule.wrong_attribute(
        Code::bad_attribute, "kind",
        fmt::format("kind '{}' is not one of kLoop, kInput, kOutput, kCustom", kind->value));
  }
  return std::nullopt;
}

Problem check_fusion(const Rule& rule) {
  TESSERA_RULE(check_kind(rule));
  return check_call(rule, "calls");
}

Problem check_while(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  for (const std::string_view key : {"condition", "body"}) {
    const Computation* called = called_by(rule.instruction(), key);
    if (called == nullptr) {
      return missing_attribute(rule.instruction(), key);
    }
    TESSERA_RULE(check_parameter_count(rule, key, *called, 1));
    TESSERA_RULE(check_parameter(rule, key, *called, 0, rule.operand(0), 0));
    if (called->root == nullptr || called->root->type.kind() == HloType::Kind::unreadable) continue;
    const HloType& root = called->root->type;
    const bool matches = key == "condition"
                             ? root.is_array() && root.rank() == 0 && root.array().dtype == DType::pred
                             : compatible(root, rule.operand(0));
    if (!matches) {
      return rule.wrong_attribute(
          Code::shape_mismatch, key,
          fmt::format("'{}' returns {}, but the {} of a while over {} must return {}", called->name,
                      short_text(root), key, short_text(rule.operand(0)),
                      key == "condition" ? "pred[]" : "the same"));
    }
  }
  return rule.gives(rule.operand(0));
}

Problem check_conditional(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2, static_cast<std::size_t>(-1)));
  TESSERA_RULE(rule.operand_is_scalar(0, "the selector"));
  const auto& branches = rule.instruction().called;
  const bool two = rule.instruction().attribute("branch_computations") == nullptr;
  const DType selector = two ? DType::pred : DType::s32;
  if (rule.dtype(0) != selector && !(two ? false : rule.dtype(0) == DType::pred)) {
    return rule.wrong_operand(
        Code::shape_mismatch, 0,
        fmt::format("the selector of {} must be {}[], but it is {}",
                    two ? "true_computation and false_computation" : "branch_computations",
                    to_string(selector), short_text(rule.operand(0))),
        two ? "a numeric selector needs branch_computations={f, g}"
            : "a pred[] selector needs true_computation=f, false_computation=g");
  }
  if (branches.size() != rule.operand_count() - 1) {
    return rule.wrong(
        Code::operand_count,
        fmt::format("conditional has {}, but {} after the selector",
                    branches.size() == 1 ? "1 branch" : fmt::format("{} branches", branches.size()),
                    plural(rule.operand_count() - 1, "operand")),
        rule.instruction().opcode_span, "one operand for each branch follows the selector");
  }
  for (std::size_t i = 0; i < branches.size(); ++i) {
    TESSERA_RULE(check_parameter_count(rule, fmt::format("branch {}", i), *branches[i], 1));
    TESSERA_RULE(
        check_parameter(rule, fmt::format("branch {}", i), *branches[i], 0, rule.operand(i + 1), i + 1));
    if (i == 0 || rule.written_type() != nullptr) TESSERA_RULE(gives_root(rule, *branches[i]));
  }
  return std::nullopt;
}

// Whether the type of a start is ((operands), result, contexts...).
bool hands_operands_on(const Rule& rule) {
  const HloType& type = rule.instruction().type;
  if (!type.is_tuple() || type.elements().size() < 2) return false;
  const HloType& held = type.elements()[0];
  if (held.kind() == HloType::Kind::unreadable) return true;
  bool fit = held.is_tuple() && held.elements().size() == rule.operand_count();
  for (std::size_t i = 0; fit && i < rule.operand_count(); ++i)
    fit = compatible(held.elements()[i], rule.operand(i));
  return fit;
}

// Checks that the type of a start is ((operands), result, contexts...), and then what it starts: the
// operation of slice-start and similar opcodes, or the computation that async-start calls.
Problem check_start(const Rule& rule) {
  TESSERA_RULE(rule.must_be_written());
  const Instruction& start = rule.instruction();
  if (!hands_operands_on(rule)) {
    std::string operands;
    for (std::size_t i = 0; i < rule.operand_count(); ++i)
      operands += fmt::format("{}{}", i == 0 ? "" : ", ", short_text(rule.operand(i)));
    return rule.wrong_type(Code::shape_mismatch,
                           fmt::format("{} gives (({}), result, contexts...), but the written type is {}",
                                       start.opcode_text, operands, short_text(start.type)),
                           "a start returns its operands, its result and contexts");
  }
  const Computation* const called = started_computation(start);
  if (called == nullptr) {
    if (const auto op = started_operation(start)) return check_instruction(Rule(*op));
    return missing_attribute(start, "calls");
  }
  if (start.opcode_text == "fusion-start") TESSERA_RULE(check_kind(rule));
  TESSERA_RULE(check_bound(rule, *called, 0, 0, rule.operand_count()));
  // Without a result, an update or the end binds it.
  const HloType& result = start.type.elements()[1];
  if (result.is_tuple() && result.elements().empty()) return std::nullopt;
  Instruction call = start;
  call.type = HloType(result);
  return gives_root(Rule(call), *called);
}

}  // namespace

Problem check_bound(const Rule& rule, const Computation& called, std::size_t first, std::size_t first_operand,
                    std::size_t count) {
  const std::string_view binder = rule.instruction().opcode_text;
  if (first + count > called.parameters.size()) {
    return rule.wrong(Code::operand_count,
                      fmt::format("{} binds {} to {} of '{}', which has {}", binder, plural(count, "operand"),
                                  first == 0 ? "parameters" : fmt::format("parameters from {}", first),
                                  called.name, plural(called.parameters.size(), "parameter")),
                      rule.instruction().opcode_span, "each parameter takes one operand");
  }
  const std::string_view key = binder.starts_with("call-") ? "to_apply" : "calls";
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t operand = first_operand + i;
    TESSERA_RULE(check_parameter(rule, key, called, first + i, rule.operand(operand), operand));
  }
  return std::nullopt;
}

Problem gives_root(const Rule& rule, const Computation& called) {
  if (called.root == nullptr || called.root->type.kind() == HloType::Kind::unreadable) return std::nullopt;
  const HloType& root = called.root->type;
  if (rule.written_type() == nullptr) return rule.gives(root);
  if (compatible(root, rule.instruction().type)) return std::nullopt;
  return rule.wrong_type(Code::shape_mismatch,
                         fmt::format("'{}' returns {}, but the written type is {}", called.name,
                                     short_text(root), short_text(rule.instruction().type)));
}

Problem check_calls(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::call:
      return check_call(rule, "to_apply");
    case Opcode::fusion:
      return check_fusion(rule);
    case Opcode::while_:
      return check_while(rule);
    case Opcode::conditional:
      return check_conditional(rule);
    case Opcode::async_start:
      return check_start(rule);
    default:  // custom-call
      if (rule.instruction().attribute("custom_call_target") == nullptr) {
        return missing_attribute(rule.instruction(), "custom_call_target");
      }
      return rule.must_be_written();
  }
}

}  // namespace tessera::detail
