// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/functions.h"

#include <fmt/core.h>

#include <utility>

#include "hlo/check/types.h"
#include "hlo/syntax/spelling.h"

namespace tessera::detail {
namespace {

// Checks that the named computation exists and has `count` parameters. `arguments`: what it is called with.
Problem check_computation(const OpReader& reader, std::string_view key, std::size_t count,
                          std::string_view arguments) {
  const Instruction& instruction = reader.instruction();
  if (instruction.attribute(key) == nullptr) {
    return missing_attribute(instruction, key);
  }
  const Computation* called = called_by(instruction, key);
  if (called == nullptr || called->parameters.size() == count) return std::nullopt;
  return reader.wrong_attribute(
      Code::operand_count, key,
      fmt::format("computation '{}' of {} must have {}, but it has {}", called->name, instruction.opcode_text,
                  plural(count, "parameter"), called->parameters.size()),
      fmt::format("it is called with {}", arguments));
}

bool same_kind(DType a, DType b) { return dtype_class(a) == dtype_class(b); }

bool is_element(const HloType& type, DType wanted) {
  return type.kind() == HloType::Kind::unreadable ||
         (type.is_array() && type.rank() == 0 && same_kind(type.array().dtype, wanted));
}

// The type that the named computation returns, or null if it is unknown.
const HloType* returned(const OpReader& reader, std::string_view key) {
  const Computation* called = called_by(reader.instruction(), key);
  if (called == nullptr || called->root == nullptr) return nullptr;
  return called->root->type.kind() == HloType::Kind::unreadable ? nullptr : &called->root->type;
}

Problem wrong_result(const OpReader& reader, std::string_view key, const HloType& root,
                     const std::string& wanted) {
  return reader.wrong_attribute(
      Code::shape_mismatch, key,
      fmt::format("'{}' returns {}, but {} needs {}", called_by(reader.instruction(), key)->name,
                  short_text(root), reader.instruction().opcode_text, wanted),
      fmt::format("make its root {}, or name another computation", wanted));
}

// Checks the parameters: see check_parameters.
Problem check_arguments(const OpReader& reader, std::string_view key, std::span<const std::size_t> operand_of,
                        std::string_view arguments) {
  TESSERA_RULE(check_computation(reader, key, operand_of.size(), arguments));
  const Computation* called = called_by(reader.instruction(), key);
  if (called == nullptr) return std::nullopt;
  for (std::size_t k = 0; k < operand_of.size(); ++k) {
    const Instruction* parameter = called->parameters[k];
    const DType wanted = reader.dtype(operand_of[k]);
    if (parameter == nullptr || is_element(parameter->type, wanted)) continue;
    return reader.wrong_attribute(
        Code::shape_mismatch, key,
        fmt::format("parameter {} of '{}' is {}, but operand {} of {} has elements of {}", k, called->name,
                    short_text(parameter->type), operand_of[k], reader.instruction().opcode_text,
                    to_string(wanted)));
  }
  return std::nullopt;
}

}  // namespace

Problem check_parameters(const OpReader& reader, std::string_view key,
                         std::span<const std::size_t> operand_of) {
  return check_arguments(reader, key, operand_of, "an element of each operand");
}

Problem check_function(const OpReader& reader, std::string_view key, std::span<const std::size_t> operand_of,
                       std::span<const std::size_t> gives) {
  TESSERA_RULE(
      check_arguments(reader, key, operand_of, "the values so far, and with an element of each input"));
  const HloType* const root = returned(reader, key);
  if (root == nullptr) return std::nullopt;
  const auto types = outputs(*root);
  bool matches = types.size() == gives.size();
  for (std::size_t k = 0; matches && k < gives.size(); ++k)
    matches = is_element(types[k], reader.dtype(gives[k]));
  if (matches) return std::nullopt;
  std::vector<HloType> wanted;
  for (const std::size_t i : gives) wanted.emplace_back(TensorType{.dtype = reader.dtype(i)});
  return wrong_result(reader, key, *root,
                      short_text(gives.size() == 1 ? wanted[0] : HloType::tuple(std::move(wanted))));
}

Problem check_reducer(const OpReader& reader, std::string_view key, std::size_t inputs) {
  std::vector<std::size_t> operand_of;
  for (std::size_t k = 0; k < 2 * inputs; ++k) operand_of.push_back(k % inputs);
  return check_function(reader, key, operand_of, std::span(operand_of).first(inputs));
}

Problem check_shared_reducer(const OpReader& reader, std::string_view key) {
  for (std::size_t i = 0; i < reader.operand_count(); ++i) {
    const std::size_t operand_of[] = {i, i};
    TESSERA_RULE(check_function(reader, key, operand_of, std::span(operand_of).first(1)));
  }
  return std::nullopt;
}

Problem check_predicate(const OpReader& reader, std::string_view key, std::size_t operands) {
  std::vector<std::size_t> operand_of;
  for (std::size_t k = 0; k < 2 * operands; ++k) operand_of.push_back(k / 2);
  TESSERA_RULE(check_arguments(reader, key, operand_of, "two elements of each operand"));
  const HloType* const root = returned(reader, key);
  if (root == nullptr || compatible(*root, HloType(TensorType{.dtype = DType::pred}))) return std::nullopt;
  return wrong_result(reader, key, *root, "pred[]");
}

Problem check_step(const OpReader& reader, std::string_view key) {
  TESSERA_RULE(
      check_computation(reader, key, reader.operand_count(), "a slice of each input and with the carries"));
  const Computation* called = called_by(reader.instruction(), key);
  if (called == nullptr) return std::nullopt;
  const auto matches = [](const HloType& type, const HloType& slices) {
    return type.kind() == HloType::Kind::unreadable || !slices.is_array() ||
           (type.is_array() && same_kind(type.array().dtype, slices.array().dtype));
  };
  for (std::size_t k = 0; k < reader.operand_count(); ++k) {
    const Instruction* parameter = called->parameters[k];
    if (parameter == nullptr || matches(parameter->type, reader.operand(k))) continue;
    return reader.wrong_attribute(
        Code::shape_mismatch, key,
        fmt::format("parameter {} of '{}' is {}, but operand {} of {} is {}", k, called->name,
                    short_text(parameter->type), k, reader.instruction().opcode_text,
                    short_text(reader.operand(k))));
  }
  const HloType* const root = returned(reader, key);
  if (root == nullptr || reader.written_type() == nullptr) return std::nullopt;
  const auto given = outputs(*root);
  const auto wanted = outputs(*reader.written_type());
  bool all = given.size() == wanted.size();
  for (std::size_t k = 0; all && k < given.size(); ++k) all = matches(given[k], wanted[k]);
  if (all) return std::nullopt;
  return wrong_result(reader, key, *root, fmt::format("slices of {}", short_text(*reader.written_type())));
}

}  // namespace tessera::detail
