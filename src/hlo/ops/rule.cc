// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/rule.h"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace tessera::detail {

IndexingSet unknown_set(std::string reason) { return just(Indexing::unknown(std::move(reason))); }

IndexingSet unknown_set(const Diagnostic& diagnostic) { return unknown_set(std::string(diagnostic.message)); }

IndexingSet bad_shape(const OpQuery& q) {
  return unknown_set(fmt::format("the shapes of this {} do not match", to_string(q.op.opcode)));
}

namespace {

Problem check_unknown(const OpReader& reader) { return reader.must_be_written(); }

IndexingSet nothing_known(const OpQuery& q) {
  return unknown_set(fmt::format("unknown opcode {}", q.op.opcode_text));
}

constexpr std::array kRules = {
#define TESSERA_OPCODE(identifier, text, trait, kind, rule, keys) &k##rule##Rule,
    TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
        & kUnknownRule,
};

}  // namespace

constinit const OpRule kUnknownRule{.read = check_only<check_unknown>,
                                    .output_to_input = nothing_known,
                                    .input_to_output = nothing_known,
                                    .kind = RuleKind::unknown,
                                    .tuple_operands = true};

const OpRule& rule_of(Opcode opcode) { return *kRules[static_cast<std::size_t>(opcode)]; }

OpValuePtr value_of(const Instruction& op, std::string* reason) {
  if (op.value != nullptr && op.value->opcode == op.opcode) return op.value;
  OpValuePtr value;
  if (const auto problem = rule_of(op.opcode).read(OpReader(op), value)) {
    if (reason != nullptr) *reason = problem->message;
    return nullptr;
  }
  return value;
}

}  // namespace tessera::detail
