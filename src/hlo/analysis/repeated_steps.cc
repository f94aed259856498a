// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/repeated_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tessera/hlo/opcode.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {
namespace {

// Opcodes whose results follow from their operands alone.
bool is_function(Opcode opcode) {
  switch (trait_of(opcode)) {
    case OpcodeTrait::unary:
      return opcode != Opcode::copy;
    case OpcodeTrait::binary:
    case OpcodeTrait::ternary:
    case OpcodeTrait::moves_one:
    case OpcodeTrait::moves_two:
    case OpcodeTrait::moves_all:
      return true;
    case OpcodeTrait::makes:
      return opcode == Opcode::constant || opcode == Opcode::iota;
    case OpcodeTrait::forwards:
      return opcode == Opcode::tuple || opcode == Opcode::get_tuple_element;
    case OpcodeTrait::calls:
      return opcode == Opcode::fusion;
    case OpcodeTrait::none:
      return opcode == Opcode::convolution || opcode == Opcode::dot || opcode == Opcode::reduce ||
             opcode == Opcode::reduce_window || opcode == Opcode::sort;
    case OpcodeTrait::variadic:
    case OpcodeTrait::exchanges:
    case OpcodeTrait::starts:
    case OpcodeTrait::branches:
    case OpcodeTrait::loops:
      return false;
  }
  return false;
}

bool is_about_code(std::string_view key) { return key == "metadata" || key == "frontend_attributes"; }

// Numbers values and computations so that equal numbers mean equal values.
class Numbers {
 public:
  explicit Numbers(const HloModule& module) {
    for (const auto& computation : module.computations) add(*computation);
  }
  std::unordered_map<const Instruction*, const Instruction*> take() && { return std::move(repeated_); }

 private:
  std::size_t number_of(std::string text) {
    return texts_.try_emplace(std::move(text), texts_.size()).first->second;
  }

  std::string key_of(const Instruction& op) const {
    std::string out = fmt::format("{} {} {}", op.opcode_text, to_string(op.type), op.literal);
    for (const Operand& operand : op.operands) {
      out += fmt::format(" {}", values_.at(operand.instruction));
      if (operand.tuple_index >= 0) out += fmt::format("#{}", operand.tuple_index);
      for (const TupleStep* step = operand.inner; step != nullptr; step = step->next)
        out += fmt::format("#{}", step->index);
    }
    for (const Attribute& attribute : op.attributes) {
      const bool names = attribute.key == "calls" || attribute.key == "to_apply";
      if (!is_about_code(attribute.key))
        out += fmt::format(" {}={}", attribute.key, names ? "" : attribute.value);
    }
    for (const Computation* called : op.called) out += fmt::format(" ({})", bodies_.at(called));
    return out;
  }

  // Computations come before those that call them.
  void add(const Computation& computation) {
    std::unordered_map<std::string, const Instruction*> own;
    bool known = true;
    std::string body;
    for (const auto& op : computation.instructions) {
      // Dumps may leave the elements of a large constant out: `{...}`.
      const bool pure = op->sound && is_function(op->opcode) &&
                        op->literal.find("...") == std::string_view::npos &&
                        std::ranges::all_of(
                            op->called, [&](const Computation* called) { return bodies_.contains(called); });
      if (op->opcode == Opcode::parameter) {
        values_[op.get()] = number_of(fmt::format("parameter {}", op->parameter_number));
      } else if (pure) {
        const std::string key = key_of(*op);
        values_[op.get()] = number_of(key);
        const auto [found, is_new] = own.try_emplace(key, op.get());
        if (!is_new) repeated_.emplace(op.get(), found->second);
      } else {
        values_[op.get()] = number_of(fmt::format("only {}", texts_.size()));
        known = false;
      }
      if (op.get() == computation.root) body = fmt::format("root {}", values_[op.get()]);
    }
    if (known && computation.root != nullptr) bodies_[&computation] = number_of(body);
  }

  std::unordered_map<std::string, std::size_t> texts_;
  std::unordered_map<const Instruction*, std::size_t> values_;
  std::unordered_map<const Computation*, std::size_t> bodies_;  // of those that are functions
  std::unordered_map<const Instruction*, const Instruction*> repeated_;
};

}  // namespace

std::unordered_map<const Instruction*, const Instruction*> repeated_steps(const HloModule& module) {
  return Numbers(module).take();
}

}  // namespace tessera::detail
