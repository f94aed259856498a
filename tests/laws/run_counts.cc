// SPDX-License-Identifier: Apache-2.0
#include "laws/run_counts.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "hlo/syntax/literal.h"
#include "laws/tuple_leaves.h"

namespace tessera::laws {
namespace {

constexpr int kMostTrips = 1000;

/// Runs a program, but only its integers, and counts the runs of each computation.
class IntegerRun {
 public:
  /// A value for each leaf: known integers.
  using Value = std::vector<std::optional<Index>>;

  std::map<const Computation*, Runs> counts;
  bool known = true;

  Value run(const Computation& computation, const std::vector<Value>& parameters, Runs times) {
    counts[&computation].least += times.least;
    counts[&computation].most += times.most;
    std::map<const Instruction*, Value> values;
    for (const auto& op : computation.instructions) {
      std::vector<Value> operands;
      for (const Operand& operand : op->operands) operands.push_back(values.at(operand.instruction));
      values[op.get()] = op->opcode == Opcode::parameter
                             ? parameters.at(static_cast<std::size_t>(op->parameter_number))
                             : one(*op, operands, times);
    }
    return values.at(computation.root);
  }

 private:
  Value one(const Instruction& op, const std::vector<Value>& operands, Runs times) {
    const Value unknown(op.type.leaf_count());
    switch (op.opcode) {
      case Opcode::constant:
        return op.type.rank() == 0 ? Value{integer_element(op, {})} : unknown;
      case Opcode::tuple: {
        Value out;
        for (const Value& operand : operands) out.insert(out.end(), operand.begin(), operand.end());
        return out;
      }
      case Opcode::get_tuple_element:
        return leaves_of_element(op, operands[0]);
      case Opcode::opt_barrier:
      case Opcode::copy:
        return operands[0];
      case Opcode::add:
      case Opcode::compare: {
        const std::optional<Index>& a = operands[0][0];
        const std::optional<Index>& b = operands[1][0];
        if (!a || !b || op.type.rank() > 0) return unknown;
        if (op.opcode == Opcode::add) return {*a + *b};
        const Attribute* const direction = op.attribute("direction");
        if (direction == nullptr || direction->value != "LT") return unknown;
        return {*a < *b ? 1 : 0};
      }
      case Opcode::call:
        return run(*op.called[0], operands, times);
      case Opcode::conditional: {
        // Of a computation in several branches at most one branch runs, and one does if it is in all.
        std::set<const Computation*> branches(op.called.begin(), op.called.end());
        for (std::size_t i = 0; i < op.called.size(); ++i) {
          if (branches.erase(op.called[i]) == 0) continue;
          const bool all = std::ranges::count(op.called, op.called[i]) == std::ssize(op.called);
          run(*op.called[i], {operands.at(i + 1)}, {all ? times.least : 0, times.most});
        }
        return unknown;
      }
      case Opcode::while_:
        return loop(op, operands[0], times);
      default:
        return unknown;
    }
  }

  Value loop(const Instruction& op, Value state, Runs times) {
    const Computation* condition = nullptr;
    const Computation* body = nullptr;
    for (const Computation* called : op.called) (called->root->type.is_tuple() ? body : condition) = called;
    for (int trips = 0; trips < kMostTrips; ++trips) {
      const Value more = run(*condition, {state}, times);
      if (!more[0]) break;
      if (*more[0] == 0) return state;
      state = run(*body, {state}, times);
    }
    known = false;
    return state;
  }
};

}  // namespace

std::optional<std::map<const Computation*, Runs>> count_runs(const Computation& start) {
  IntegerRun runner;
  std::vector<IntegerRun::Value> parameters;
  for (const Instruction* parameter : start.parameters)
    parameters.push_back(IntegerRun::Value(parameter->type.leaf_count()));
  runner.run(start, parameters, {1, 1});
  if (!runner.known) return std::nullopt;
  return std::move(runner.counts);
}

}  // namespace tessera::laws
