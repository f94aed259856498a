// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/held_arrays.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "hlo/check/started.h"
#include "hlo/devices/collective.h"
#include "hlo/limits.h"
#include "hlo/module/leaves.h"
#include "hlo/ops/forwarding.h"
#include "hlo/syntax/attributes.h"
#include "notation/sharding/read_shardings.h"

namespace tessera::detail {
namespace {

constexpr HeldArray kNothing = {DeviceClasses::kApart, false};

using Leaf = HeldArray;
using Value = std::vector<Leaf>;  ///< of each leaf of a type

// Whether equal operands may give different results on two devices, in a way that the program does not say.
bool may_differ(Opcode opcode) {
  const OpcodeKind kind = kind_of(opcode);
  return kind == OpcodeKind::custom || kind == OpcodeKind::transfer || kind == OpcodeKind::random ||
         kind == OpcodeKind::state || kind == OpcodeKind::unknown;
}

class HeldFinder {
 public:
  explicit HeldFinder(std::size_t devices) : classes_(std::make_shared<DeviceClasses>(devices)) {}

  HeldArrays find(const Computation& start) && {
    std::vector<Value> arguments;
    for (const Instruction* parameter : start.parameters)
      arguments.push_back(parameter != nullptr ? stated(*parameter) : Value{});
    run(start, arguments, 0);
    if (too_deep_ || steps_ > kHloLimits.devices.steps) return {};
    return {std::move(classes_), std::move(operands_)};
  }

 private:
  Value stated(const Instruction& parameter) {
    const std::size_t count = parameter.type.leaf_count();
    const Attribute* const attribute = parameter.attribute("sharding");
    if (attribute == nullptr) return Value(count, kNothing);
    const ReadShardings read = read_shardings(attribute->value);
    if (read.error || read.shardings.empty()) return Value(count, kNothing);
    Value out;
    for (std::size_t leaf = 0; leaf < count; ++leaf) {
      const std::size_t own = read.tuple ? leaf : 0;
      if (own >= read.shardings.size()) return Value(count, kNothing);
      const Sharding& sharding = read.shardings[own];
      const bool known = sharding.kind() == Sharding::Kind::replicated ||
                         (sharding.kind() == Sharding::Kind::tiled &&
                          sharding.device_count() == static_cast<Index>(classes_->devices()));
      out.push_back(known ? Leaf{classes_->of_sharding(sharding), true} : kNothing);
    }
    return out;
  }

  Leaf both(const Leaf& a, const Leaf& b) {
    return {classes_->both(a.classes, b.classes), a.stated && b.stated};
  }

  Leaf all_of(const std::vector<Value>& values) {
    Leaf out;
    for (const Value& value : values)
      for (const Leaf& leaf : value) out = both(out, leaf);
    return out;
  }

  // The result of a computation for these arguments.
  Value run(const Computation& computation, const std::vector<Value>& arguments, int depth) {
    if (computation.root == nullptr) return {};
    const std::size_t count = leaves_.count(computation.root->type);
    // Another call may reach the same collectives with fewer devices apart, and would then speak for this
    // one.
    if (depth > kHloLimits.devices.depth) too_deep_ = true;
    if (too_deep_ || steps_ > kHloLimits.devices.steps) return Value(count, kNothing);
    std::unordered_map<const Instruction*, Value> values;
    for (const auto& op : computation.instructions) {
      ++steps_;
      Value own = value_of(*op, values, arguments, depth);
      own.resize(leaves_.count(op->type), kNothing);
      values.emplace(op.get(), std::move(own));
    }
    return values.at(computation.root);
  }

  Value value_of(const Instruction& op, const std::unordered_map<const Instruction*, Value>& values,
                 const std::vector<Value>& arguments, int depth) {
    const std::uint32_t count = leaves_.count(op.type);
    if (op.opcode == Opcode::parameter) {
      const auto number = static_cast<std::size_t>(op.parameter_number);
      return op.parameter_number >= 0 && number < arguments.size() ? arguments[number]
                                                                   : Value(count, kNothing);
    }
    if (!op.sound) return Value(count, kNothing);
    std::vector<Value> operands;
    for (const Operand& operand : op.operands) {
      const Value& whole = values.at(operand.instruction);
      const std::uint32_t first = leaves_.first(operand);
      const std::uint32_t size = leaves_.count(operand);
      if (first + size > whole.size()) return Value(count, kNothing);
      operands.emplace_back(whole.begin() + first, whole.begin() + first + size);
    }
    if (const auto collective = collective_of(op)) return of_collective(op, *collective, operands);
    if (only_forwards(op.opcode)) {
      Value out;
      for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
        const auto from = forwarded(op, leaf, leaves_);
        const bool known =
            from && from->operand < operands.size() && from->leaf < operands[from->operand].size();
        const bool empty = !from && leaves_.type(op.type, leaf).is_token();
        out.push_back(known ? operands[from->operand][from->leaf] : empty ? Leaf{} : kNothing);
      }
      return out;
    }
    return of_step(op, operands, depth);
  }

  Value of_step(const Instruction& op, const std::vector<Value>& operands, int depth) {
    const std::uint32_t count = leaves_.count(op.type);
    if (may_differ(op.opcode)) return Value(count, kNothing);
    if (op.opcode == Opcode::partition_id) return Value(count, {DeviceClasses::kApart, true});
    if (op.opcode == Opcode::replica_id || op.opcode == Opcode::constant || op.opcode == Opcode::iota)
      return Value(count);
    const OpcodeTrait trait = trait_of(op.opcode);
    if (trait == OpcodeTrait::calls)
      return op.called.size() == 1 ? run(*op.called[0], operands, depth + 1) : Value(count, kNothing);
    if (trait == OpcodeTrait::branches) return of_conditional(op, operands, depth);
    if (trait == OpcodeTrait::loops) return of_loop(op, operands, depth);
    if (trait == OpcodeTrait::starts) return of_start(op, operands, depth);
    // Computations that are called for each element have no collectives and no device numbers.
    for (const Computation* called : op.called)
      if (!is_pure(*called)) return Value(count, kNothing);
    return Value(count, all_of(operands));
  }

  Value of_conditional(const Instruction& op, const std::vector<Value>& operands, int depth) {
    Value out;
    for (std::size_t k = 0; k < op.called.size(); ++k) {
      if (k + 1 >= operands.size()) return {};
      Value branch = run(*op.called[k], {operands[k + 1]}, depth + 1);
      if (k == 0) out = branch;
      for (std::size_t leaf = 0; leaf < std::min(out.size(), branch.size()); ++leaf)
        out[leaf] = both(out[leaf], branch[leaf]);
    }
    for (Leaf& leaf : out) leaf = both(leaf, operands[0].at(0));
    return out;
  }

  // The state in all iterations: what it is at first, and after each.
  Value of_loop(const Instruction& op, const std::vector<Value>& operands, int depth) {
    const Computation* const body = called_by(op, "body");
    const Computation* const condition = called_by(op, "condition");
    if (body == nullptr || condition == nullptr || operands.size() != 1) return {};
    Value state = operands[0];
    for (int round = 0;; ++round) {
      Value next = run(*body, {state}, depth + 1);
      next.resize(state.size(), kNothing);
      // Devices leave the loop together if they decide alike.
      Value decided = run(*condition, {state}, depth + 1);
      const Leaf decision = decided.empty() ? kNothing : decided[0];
      bool changed = false;
      for (std::size_t leaf = 0; leaf < state.size(); ++leaf) {
        Leaf own = both(both(state[leaf], next[leaf]), decision);
        if (round >= kHloLimits.devices.rounds) own = kNothing;
        changed = changed || own.classes != state[leaf].classes || own.stated != state[leaf].stated;
        state[leaf] = own;
      }
      if (!changed) return state;
    }
  }

  Value of_start(const Instruction& op, const std::vector<Value>& operands, int depth) {
    const Computation* const started = started_computation(op);
    Value result;
    if (started != nullptr) {
      if (started->parameters.size() != operands.size()) return {};
      result = run(*started, operands, depth + 1);
    } else {
      const auto inner = started_operation(op);
      if (!inner || inner->opcode == Opcode::async_start) return {};
      result = of_step(*inner, operands, depth);
    }
    return chain_of(op, operands, result);
  }

  // The leaves of a start: operands, results, and contexts, which have no data.
  Value chain_of(const Instruction& op, const std::vector<Value>& operands, const Value& result) {
    Value out;
    for (const Value& operand : operands) out.insert(out.end(), operand.begin(), operand.end());
    const std::span<const std::uint32_t> offsets = leaves_.offsets(op.type);
    const bool whole = op.type.is_tuple() && offsets.size() > 2 && out.size() == offsets[1] &&
                       result.size() == offsets[2] - offsets[1];
    if (!whole) return Value(offsets.back(), kNothing);
    out.insert(out.end(), result.begin(), result.end());
    out.resize(offsets.back());
    return out;
  }

  Value of_collective(const Instruction& op, Collective collective, const std::vector<Value>& operands) {
    std::vector<Leaf>& seen = operands_[&op];
    Value before;
    for (const Value& operand : operands) before.insert(before.end(), operand.begin(), operand.end());
    seen.resize(before.size());
    for (std::size_t k = 0; k < before.size(); ++k) seen[k] = both(seen[k], before[k]);
    const auto inner = started_operation(op);
    const Instruction& plain = inner ? *inner : op;
    Value result;
    for (const Leaf& leaf : before) result.push_back(after(plain, collective, leaf));
    // An all-to-all of a tuple mixes its operands.
    if (collective == Collective::all_to_all && plain.type.is_tuple())
      result.assign(result.size(), all_of({result}));
    return returns_operands(op.opcode) && op.type.is_tuple() ? chain_of(op, operands, result) : result;
  }

  // What a collective makes of an array.
  Leaf after(const Instruction& op, Collective collective, const Leaf& operand) {
    if (collective == Collective::permute) {
      if (op.operands.size() != 1) return kNothing;
      const auto sources = permute_sources(op, classes_->devices());
      return sources ? Leaf{classes_->sent(operand.classes, *sources), operand.stated} : kNothing;
    }
    const auto groups = partition_groups(op);
    if (!groups || collective == Collective::ragged_all_to_all) return kNothing;
    const bool by_position = collective == Collective::all_to_all || collective == Collective::reduce_scatter;
    if (collective == Collective::broadcast) {
      std::vector<Index> sources(classes_->devices(), -1);
      for (const auto& group : *groups) {
        for (const Index member : group) {
          if (member < 0 || member >= static_cast<Index>(sources.size())) return kNothing;
          sources[static_cast<std::size_t>(member)] = group[0];
        }
      }
      return {classes_->sent(operand.classes, sources), operand.stated};
    }
    return {classes_->gathered(operand.classes, *groups, by_position), operand.stated};
  }

  // Whether a computation gives equal results for equal arguments on every device.
  bool is_pure(const Computation& computation) {
    const auto known = pure_.find(&computation);
    if (known != pure_.end()) return known->second;
    const bool out = std::ranges::all_of(computation.instructions, [&](const auto& op) {
      ++steps_;
      return op->sound && op->opcode != Opcode::partition_id && !may_differ(op->opcode) &&
             !collective_of(*op) &&
             std::ranges::all_of(op->called, [&](const Computation* called) { return is_pure(*called); });
    });
    pure_.emplace(&computation, out);
    return out;
  }

  std::shared_ptr<DeviceClasses> classes_;
  std::unordered_map<const Instruction*, std::vector<Leaf>> operands_;
  std::unordered_map<const Computation*, bool> pure_;
  Leaves leaves_;
  std::size_t steps_ = 0;
  bool too_deep_ = false;
};

}  // namespace

HeldArrays held_arrays(const Computation& start) {
  const DeviceCounts& devices = start.devices;
  if (devices.replicas > 1 || devices.partitions < 2 || devices.partitions > kHloLimits.devices.partitions)
    return {};
  return HeldFinder(static_cast<std::size_t>(devices.partitions)).find(start);
}

}  // namespace tessera::detail
