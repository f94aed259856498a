// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/data_sources.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "hlo/limits.h"
#include "hlo/module/leaves.h"
#include "hlo/ops/forwarding.h"

namespace tessera::detail {
namespace {

/// Of how many of its operands the result holds elements. 0 if the opcode computes.
std::size_t sources_of(const Instruction& op) {
  const bool copies = op.opcode == Opcode::copy || op.opcode == Opcode::copy_start;
  return copies ? 1 : moved_operands(op.opcode, op.operands.size());
}

/// A computation that a fusion or a call runs, inside another one.
struct Frame {
  const Instruction* caller = nullptr;
  const Frame* outer = nullptr;
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

class Walk {
 public:
  Walk(const Instruction& step, ProgramIndexing& program) : step_(step), program_(program) {}

  std::optional<DataMovement> run() {
    const std::size_t outputs = step_.opcode == Opcode::copy_start ? 1 : step_.type.leaf_count();
    if (outputs == 0 || outputs > kHloLimits.analysis.source_values) return std::nullopt;
    bool moves = false;
    for (std::uint32_t output = 0; output < outputs; ++output) {
      if (!leaves_.type(step_.type, output).is_array()) return std::nullopt;
      current_ = {.output = output, .sources = {}};
      pending_ = {{&step_, output, nullptr}};
      seen_.clear();
      reached_.clear();
      while (!pending_.empty()) {
        const Value value = pending_.back();
        pending_.pop_back();
        if (!seen_.insert({value.op, value.leaf, value.frame}).second) continue;
        if (++visited_ > kHloLimits.analysis.source_values || !(follow(value) || is_unused(value)))
          return std::nullopt;
      }
      std::ranges::sort(current_.sources);
      moves = moves || !current_.sources.empty();
      out_.outputs.push_back(std::move(current_));
    }
    if (!moves) return std::nullopt;
    std::ranges::reverse(out_.by);
    return std::move(out_);
  }

 private:
  struct Value {
    const Instruction* op = nullptr;
    std::uint32_t leaf = 0;
    const Frame* frame = nullptr;
  };

  // Whether no element of a value inside the fusion is left in the output: it was sliced away.
  bool is_unused(const Value& value) {
    if (value.frame == nullptr || value.frame->outer != nullptr) return false;
    if (reached_.empty()) {
      auto all = program_.grouped({.value = {step_.called[0]->root, current_.output}});
      if (!all) return false;
      reached_ = *std::move(all);
    }
    const HloValue wanted{value.op, value.leaf};
    const auto found = std::ranges::find(reached_, wanted, &ValueIndexing::value);
    return found == reached_.end() || std::ranges::all_of(found->maps, [](const Indexing& x) {
             return x.exactness != Exactness::unknown && x.map.known_empty();
           });
  }

  bool follow(const Value& value) {
    const Instruction& op = *value.op;
    if (!op.sound) return false;
    if (op.opcode == Opcode::constant) {
      current_.fills = true;
      return &op != &step_;
    }
    if (op.opcode == Opcode::parameter) return value.frame != nullptr && follow_argument(op, value);
    if (op.opcode == Opcode::call || op.opcode == Opcode::fusion) {
      if (op.called.size() != 1 || op.called[0]->root == nullptr) return false;
      pending_.push_back({op.called[0]->root, value.leaf, frame_of(op, value.frame)});
      return true;
    }
    const bool passes = op.opcode == Opcode::tuple || op.opcode == Opcode::get_tuple_element ||
                        op.opcode == Opcode::opt_barrier || op.opcode == Opcode::domain;
    if (!passes) return follow_operands(op, value.frame);
    const auto from = forwarded(op, value.leaf, leaves_);
    return from && add(op, from->operand, from->leaf, value.frame);
  }

  // One frame for each call path, so that a value that two users share is visited once.
  const Frame* frame_of(const Instruction& caller, const Frame* outer) {
    return &*frames_.insert({&caller, outer}).first;
  }

  bool follow_operands(const Instruction& op, const Frame* frame) {
    const std::size_t count = sources_of(op);
    if (count == 0 || count > op.operands.size()) return false;
    if (op.opcode != Opcode::bitcast && std::ranges::find(out_.by, op.opcode) == out_.by.end())
      out_.by.push_back(op.opcode);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!op.operand_type(i).is_array() || !add(op, i, 0, frame)) return false;
    }
    return true;
  }

  // The operand that the caller passes for a parameter.
  bool follow_argument(const Instruction& parameter, const Value& value) {
    const Instruction& caller = *value.frame->caller;
    const auto number = static_cast<std::size_t>(parameter.parameter_number);
    if (parameter.parameter_number < 0 || number >= caller.operands.size()) return false;
    return add(caller, static_cast<std::uint32_t>(number), value.leaf, value.frame->outer);
  }

  // Leaf `leaf` of an operand: a source if the operand is one of the step itself.
  bool add(const Instruction& op, std::uint32_t operand, std::uint32_t leaf, const Frame* frame) {
    if (operand >= op.operands.size()) return false;
    if (&op == &step_ && frame == nullptr) {
      const DataSource source{operand, leaf};
      if (std::ranges::find(current_.sources, source) == current_.sources.end())
        current_.sources.push_back(source);
      return true;
    }
    const Operand& read = op.operands[operand];
    if (read.instruction == nullptr) return false;
    pending_.push_back({read.instruction, leaves_.first(read) + leaf, frame});
    return true;
  }

  const Instruction& step_;
  ProgramIndexing& program_;
  std::vector<ValueIndexing> reached_;  // what the current output depends on, once that matters
  Leaves leaves_;
  std::set<Frame> frames_;
  std::vector<Value> pending_;
  std::set<std::tuple<const Instruction*, std::uint32_t, const Frame*>> seen_;
  std::size_t visited_ = 0;
  MovedOutput current_;
  DataMovement out_;
};

}  // namespace

std::optional<DataMovement> data_movement(const Instruction& op, ProgramIndexing& program) {
  const bool calls = op.opcode == Opcode::call || op.opcode == Opcode::fusion;
  if (!calls && sources_of(op) == 0) return std::nullopt;
  return Walk(op, program).run();
}

}  // namespace tessera::detail
