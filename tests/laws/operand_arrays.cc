// SPDX-License-Identifier: Apache-2.0
#include "laws/operand_arrays.h"

#include <algorithm>

#include "hlo/syntax/attributes.h"
#include "laws/step_bytes.h"
#include "laws/tuple_leaves.h"
#include "tessera/base/index.h"

namespace tessera::laws {
namespace {

class ArrayRun {
 public:
  using Value = std::vector<Index>;  ///< the number of the array of each leaf

  std::map<const Instruction*, std::set<EqualOperands>> steps;

  Value run(const Computation& computation, const std::vector<Value>& parameters) {
    std::map<const Instruction*, Value> values;
    for (const auto& op : computation.instructions) {
      std::vector<Value> operands;
      for (const Operand& operand : op->operands) operands.push_back(values.at(operand.instruction));
      values[op.get()] = op->opcode == Opcode::parameter
                             ? parameters.at(static_cast<std::size_t>(op->parameter_number))
                             : one(*op, operands);
    }
    return values.at(computation.root);
  }

  Value new_value(const HloType& type) {
    Value out(type.leaf_count());
    for (Index& array : out) array = arrays_++;
    return out;
  }

 private:
  Value one(const Instruction& op, const std::vector<Value>& operands) {
    switch (op.opcode) {
      case Opcode::tuple: {
        Value out;
        for (const Value& operand : operands) out.insert(out.end(), operand.begin(), operand.end());
        return out;
      }
      case Opcode::get_tuple_element:
        return leaves_of_element(op, operands[0]);
      case Opcode::opt_barrier:
      case Opcode::bitcast:
        return operands[0];
      case Opcode::call:
        return run(*op.called[0], operands);
      case Opcode::conditional:
        for (std::size_t branch = 0; branch < op.called.size(); ++branch)
          run(*op.called[branch], {operands[branch + 1]});
        return new_value(op.type);
      case Opcode::while_:
        return loop(op, operands[0]);
      default:
        break;
    }
    if (op.opcode == Opcode::reshape && !is_step(op)) return operands[0];
    if (is_step(op)) {
      EqualOperands equal;
      for (const Value& operand : operands)
        equal.push_back(static_cast<std::size_t>(std::ranges::find(operands, operand) - operands.begin()));
      steps[&op].insert(std::move(equal));
    }
    return new_value(op.type);
  }

  Value loop(const Instruction& op, const Value& start) {
    const Computation* body = nullptr;
    const Computation* test = nullptr;
    for (const Computation* called : op.called)
      (op.attribute("body")->value.ends_with(called->name) ? body : test) = called;
    // What the body returns as it is, is so whatever the arrays are.
    const Value any = new_value(op.type);
    const auto kept = steps;
    const Value returned = run(*body, {any});
    steps = kept;
    Value state = new_value(op.type);
    for (std::size_t leaf = 0; leaf < state.size(); ++leaf)
      if (returned[leaf] == any[leaf]) state[leaf] = start[leaf];
    if (test != nullptr) run(*test, {state});
    run(*body, {state});
    return state;
  }

  Index arrays_ = 0;
};

}  // namespace

std::map<const Instruction*, std::set<EqualOperands>> operand_arrays(const Computation& start) {
  ArrayRun out;
  std::vector<ArrayRun::Value> parameters;
  for (const Instruction* parameter : start.parameters) parameters.push_back(out.new_value(parameter->type));
  out.run(start, parameters);
  return out.steps;
}

}  // namespace tessera::laws
