// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations that run computations: the signatures must match the operands and the result. Their maps are
/// those of the computations.
#include "hlo/check/calls.h"

#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/started.h"
#include "hlo/check/types.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "hlo/syntax/spelling.h"

namespace tessera::detail {
namespace {

constexpr OpRule calling(OpRead read) {
  return {.read = read, .kind = RuleKind::computations, .tuple_operands = true};
}

Problem check_parameter_count(const OpReader& reader, std::string_view key, const Computation& called,
                              std::size_t count) {
  if (called.parameters.size() == count) return std::nullopt;
  return reader.wrong(
      Code::operand_count,
      fmt::format("{} passes {} to '{}' ({}), which has {}", reader.instruction().opcode_text,
                  plural(count, "operand"), called.name, key, plural(called.parameters.size(), "parameter")),
      reader.instruction().opcode_span, "a computation takes one parameter for each operand");
}

Problem check_callee(const OpReader& reader, std::string_view key) {
  const Computation* called = called_by(reader.instruction(), key);
  if (called == nullptr) {
    return missing_attribute(reader.instruction(), key);
  }
  TESSERA_RULE(check_parameter_count(reader, key, *called, reader.operand_count()));
  for (std::size_t i = 0; i < reader.operand_count(); ++i) {
    TESSERA_RULE(check_parameter(reader, key, *called, i, i));
  }
  return gives_root(reader, *called);
}

Problem check_kind(const OpReader& reader) {
  const Attribute* kind = reader.instruction().attribute("kind");
  static constexpr std::string_view kKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
  if (kind == nullptr) {
    return reader.wrong(Code::missing_attribute, "fusion needs the attribute 'kind'",
                        reader.instruction().opcode_span, "write kind=kLoop, kInput, kOutput or kCustom");
  }
  if (std::ranges::find(kKinds, kind->value) == std::end(kKinds)) {
    return reader.wrong_attribute(
        Code::bad_attribute, "kind",
        fmt::format("kind '{}' is not one of kLoop, kInput, kOutput, kCustom", kind->value));
  }
  return std::nullopt;
}

Problem read_fusion(const OpReader& reader, FusionOp& op) {
  TESSERA_RULE(check_kind(reader));
  if (const Attribute* const aliasing = reader.instruction().attribute("output_to_operand_aliasing")) {
    auto aliases = read_output_aliases(*aliasing);
    if (!aliases) return aliases.error();
    op.aliases = *std::move(aliases);
  }
  return check_callee(reader, "calls");
}

Problem check_while(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  for (const std::string_view key : {"condition", "body"}) {
    const Computation* called = called_by(reader.instruction(), key);
    if (called == nullptr) {
      return missing_attribute(reader.instruction(), key);
    }
    TESSERA_RULE(check_parameter_count(reader, key, *called, 1));
    TESSERA_RULE(check_parameter(reader, key, *called, 0, 0));
    if (called->root == nullptr || called->root->type.kind() == HloType::Kind::unreadable) continue;
    const HloType& root = called->root->type;
    const bool matches = key == "condition"
                             ? root.is_array() && root.rank() == 0 && root.array().dtype == DType::pred
                             : compatible(root, reader.operand(0));
    if (!matches) {
      return reader.wrong_attribute(
          Code::shape_mismatch, key,
          fmt::format("'{}' returns {}, but the {} of a while over {} must return {}", called->name,
                      short_text(root), key, short_text(reader.operand(0)),
                      key == "condition" ? "pred[]" : "the same"));
    }
  }
  return reader.gives(reader.operand(0));
}

Problem check_conditional(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(2, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operand_is_scalar(0, "the selector"));
  const auto& branches = reader.instruction().called;
  const bool two = reader.instruction().attribute("branch_computations") == nullptr;
  const DType selector = two ? DType::pred : DType::s32;
  if (reader.dtype(0) != selector && !(two ? false : reader.dtype(0) == DType::pred)) {
    return reader.wrong_operand(
        Code::shape_mismatch, 0,
        fmt::format("the selector of {} must be {}[], but it is {}",
                    two ? "true_computation and false_computation" : "branch_computations",
                    to_string(selector), short_text(reader.operand(0))),
        two ? "a numeric selector needs branch_computations={f, g}"
            : "a pred[] selector needs true_computation=f, false_computation=g");
  }
  if (branches.size() != reader.operand_count() - 1) {
    return reader.wrong(
        Code::operand_count,
        fmt::format("conditional has {}, but {} after the selector",
                    branches.size() == 1 ? "1 branch" : fmt::format("{} branches", branches.size()),
                    plural(reader.operand_count() - 1, "operand")),
        reader.instruction().opcode_span, "one operand for each branch follows the selector");
  }
  for (std::size_t i = 0; i < branches.size(); ++i) {
    TESSERA_RULE(check_parameter_count(reader, fmt::format("branch {}", i), *branches[i], 1));
    TESSERA_RULE(check_parameter(reader, fmt::format("branch {}", i), *branches[i], 0, i + 1));
    if (i == 0 || reader.written_type() != nullptr) TESSERA_RULE(gives_root(reader, *branches[i]));
  }
  return std::nullopt;
}

Problem check_call(const OpReader& reader) { return check_callee(reader, "to_apply"); }

// Checks the operation of a start that has one.
Problem check_started(const Instruction& op) {
  OpValuePtr unused;
  return rule_of(op.opcode).read(OpReader(op), unused);
}

// Whether the type of a start is ((operands), result, contexts...).
bool hands_operands_on(const OpReader& reader) {
  const HloType& type = reader.instruction().type;
  if (!type.is_tuple() || type.elements().size() < 2) return false;
  const HloType& held = type.elements()[0];
  if (held.kind() == HloType::Kind::unreadable) return true;
  bool fit = held.is_tuple() && held.elements().size() == reader.operand_count();
  for (std::size_t i = 0; fit && i < reader.operand_count(); ++i)
    fit = compatible(held.elements()[i], reader.operand(i));
  return fit;
}

// Checks that the type of a start is ((operands), result, contexts...), and then what it starts: the
// operation of slice-start and similar opcodes, or the computation that async-start calls.
Problem check_start(const OpReader& reader) {
  TESSERA_RULE(reader.must_be_written());
  const Instruction& start = reader.instruction();
  if (!hands_operands_on(reader)) {
    std::string operands;
    for (std::size_t i = 0; i < reader.operand_count(); ++i)
      operands += fmt::format("{}{}", i == 0 ? "" : ", ", short_text(reader.operand(i)));
    return reader.wrong_type(Code::shape_mismatch,
                             fmt::format("{} gives (({}), result, contexts...), but the written type is {}",
                                         start.opcode_text, operands, short_text(start.type)),
                             "a start returns its operands, its result and contexts");
  }
  const Computation* const called = started_computation(start);
  if (called == nullptr) {
    if (const auto op = started_operation(start)) return check_started(*op);
    return missing_attribute(start, "calls");
  }
  if (start.opcode_text == "fusion-start") TESSERA_RULE(check_kind(reader));
  TESSERA_RULE(check_bound(reader, *called, 0, 0, reader.operand_count()));
  // Without a result, an update or the end binds it.
  const HloType& result = start.type.elements()[1];
  if (result.is_tuple() && result.elements().empty()) return std::nullopt;
  Instruction call = start;
  call.type = HloType(result);
  return gives_root(OpReader(call), *called);
}

}  // namespace

constinit const OpRule kCallRule = calling(check_only<check_call>);
constinit const OpRule kFusionRule = calling(read_into<FusionOp, read_fusion>);
constinit const OpRule kWhileRule = calling(check_only<check_while>);
constinit const OpRule kConditionalRule = calling(check_only<check_conditional>);
constinit const OpRule kAsyncStartRule = calling(check_only<check_start>);

}  // namespace tessera::detail
