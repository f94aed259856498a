// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/calls.h"

#include <fmt/core.h>

#include "hlo/check/types.h"

namespace tessera::detail {

Problem check_parameter(const OpReader& reader, std::string_view key, const Computation& called,
                        std::size_t number, std::size_t operand) {
  const HloType& type = reader.operand(operand);
  const Instruction* parameter = called.parameters[number];
  if (parameter == nullptr || compatible(parameter->type, type)) return std::nullopt;
  return reader.wrong_operand(
      Code::shape_mismatch, operand,
      fmt::format("operand {} is {}, but parameter {} of '{}' ({}) is {}", operand, short_text(type), number,
                  called.name, key, short_text(parameter->type)));
}

Problem check_bound(const OpReader& reader, const Computation& called, std::size_t first,
                    std::size_t first_operand, std::size_t count) {
  const std::string_view binder = reader.instruction().opcode_text;
  if (first + count > called.parameters.size()) {
    return reader.wrong(
        Code::operand_count,
        fmt::format("{} binds {} to {} of '{}', which has {}", binder, plural(count, "operand"),
                    first == 0 ? "parameters" : fmt::format("parameters from {}", first), called.name,
                    plural(called.parameters.size(), "parameter")),
        reader.instruction().opcode_span, "each parameter takes one operand");
  }
  const std::string_view key = binder.starts_with("call-") ? "to_apply" : "calls";
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t operand = first_operand + i;
    TESSERA_RULE(check_parameter(reader, key, called, first + i, operand));
  }
  return std::nullopt;
}

Problem gives_root(const OpReader& reader, const Computation& called) {
  if (called.root == nullptr || called.root->type.kind() == HloType::Kind::unreadable) return std::nullopt;
  const HloType& root = called.root->type;
  if (reader.written_type() == nullptr) return reader.gives(root);
  if (compatible(root, reader.instruction().type)) return std::nullopt;
  return reader.wrong_type(Code::shape_mismatch,
                           fmt::format("'{}' returns {}, but the written type is {}", called.name,
                                       short_text(root), short_text(reader.instruction().type)));
}

}  // namespace tessera::detail
