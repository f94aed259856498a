// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/array_origin.h"

#include <algorithm>
#include <utility>

#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/loop_slots.h"
#include "hlo/check/started.h"
#include "hlo/limits.h"
#include "hlo/ops/forwarding.h"
#include "hlo/syntax/attributes.h"
#include "tessera/hlo/walk.h"

namespace tessera::detail {
namespace {

// Whether the operands become parameters of the called computations. A reducer gets elements, and
// a fusion is not a caller.
bool passes_operands(const Instruction& op) {
  return op.opcode == Opcode::call || op.opcode == Opcode::while_ || op.opcode == Opcode::conditional ||
         started_steps(op) != nullptr;
}

// The one exact map from the elements of a bitcast to those of its operand.
std::optional<Indexing> map_of_name(const Instruction& op) {
  const HloType& from = op.operand_type(0);
  const HloType& to = op.type;
  if (!from.is_array() || !to.is_array() || element_bits(from.array()) != element_bits(to.array()))
    return std::nullopt;
  auto maps = output_to_input(op, {});
  if (!maps || maps->size() != 1 || maps->front().exactness != Exactness::exact) return std::nullopt;
  return std::move(maps->front());
}

// The origin of a name of a name.
ArrayAlias renamed(const ArrayAlias& name, const ArrayAlias& origin) {
  ArrayAlias out{origin.array, std::nullopt, name.elementwise && origin.elementwise};
  if (!out.elementwise) return out;
  out.map = name.map ? name.map : origin.map;
  if (name.map && origin.map) out.map = compose(*name.map, *origin.map);
  return out;
}

}  // namespace

bool is_renamed(const Instruction& op) {
  if (op.operands.size() != 1) return false;
  if (op.opcode == Opcode::bitcast) return true;
  if (op.opcode != Opcode::reshape && op.opcode != Opcode::bitcast_convert) return false;
  const auto answer = bitcast_answer(op);
  return answer && answer->verdict == Verdict::yes;
}

ArrayOrigins::ArrayOrigins(const std::vector<const Computation*>& computations) {
  for (const Computation* computation : computations) {
    for (const auto& op : computation->instructions) {
      if (op->opcode == Opcode::async_update) {
        if (const Instruction* start = chain_start(*op)) updates_[start].push_back(op.get());
      }
      if (!passes_operands(*op)) continue;
      for (std::size_t i = 0; i < op->called.size(); ++i)
        callers_[op->called[i]].push_back({op.get(), op->opcode == Opcode::conditional ? i + 1 : 0});
    }
  }
}

ArrayOrigins::~ArrayOrigins() = default;

const std::vector<ComputationCaller>& ArrayOrigins::callers(const Computation& computation) const {
  static const std::vector<ComputationCaller> kNobody;
  const auto found = callers_.find(&computation);
  return found == callers_.end() ? kNobody : found->second;
}

ArrayAlias ArrayOrigins::of(const Operand& operand, std::uint32_t leaf) {
  return of({operand.instruction, leaves_.first(operand) + leaf});
}

ArrayAlias ArrayOrigins::of(ProgramArray array) {
  const ArrayAlias own = inside(array);
  if (own.array.instruction->opcode != Opcode::parameter) return own;
  const auto found = known_.find(own.array);
  if (found != known_.end()) return renamed(own, found->second);
  return renamed(own, known_.try_emplace(own.array, of_parameter(own.array)).first->second);
}

// What a call returns does not depend on what other calls of its computation pass, which may be results of
// this call.
ArrayAlias ArrayOrigins::inside(ProgramArray array) {
  if (const auto found = inside_.find(array); found != inside_.end()) return found->second;
  if (depth_ >= kHloLimits.analysis.origin_names) return {array};
  ++depth_;
  ArrayAlias origin = find(array);
  --depth_;
  return inside_.try_emplace(array, std::move(origin)).first->second;
}

std::optional<ProgramArray> ArrayOrigins::operand_leaf(const Operand& operand, std::uint32_t leaf) {
  if (operand.instruction == nullptr || leaf >= leaves_.count(operand)) return std::nullopt;
  return ProgramArray{operand.instruction, leaves_.first(operand) + leaf};
}

// The operand's array that the instruction returns as it is.
std::optional<ProgramArray> ArrayOrigins::forwarded_from(ProgramArray array) {
  const Instruction& op = *array.instruction;
  if (!op.sound || !only_forwards(op.opcode) || op.opcode == Opcode::copy_start) return std::nullopt;
  const auto from = forwarded(op, array.leaf, leaves_);
  if (!from || from->operand >= op.operands.size()) return std::nullopt;
  return operand_leaf(op.operands[from->operand], from->leaf);
}

ArrayAlias ArrayOrigins::find(ProgramArray array) {
  const Instruction& op = *array.instruction;
  if (op.opcode == Opcode::parameter) return {array};
  if (const auto from = forwarded_from(array)) return inside(*from);
  if (op.sound && is_renamed(op)) {
    const auto from = operand_leaf(op.operands[0], 0);
    if (!from) return {array};
    auto map = map_of_name(op);
    const bool elementwise = map.has_value();
    if (elementwise && map->map.is_identity()) map.reset();
    return renamed({*from, std::move(map), elementwise}, inside(*from));
  }
  if (const auto alias = of_called_root(array)) return *alias;
  const auto from = of_loop_state(array);
  return from && *from != array ? inside(*from) : ArrayAlias{array};
}

// A call that returns its parameter, or one array in two places.
std::optional<ArrayAlias> ArrayOrigins::of_called_root(ProgramArray array) {
  const Instruction& op = *array.instruction;
  if (op.opcode != Opcode::call || !op.sound || op.called.size() != 1 || op.called[0]->root == nullptr)
    return std::nullopt;
  const Instruction& root = *op.called[0]->root;
  const ArrayAlias own = inside({&root, array.leaf});
  const Instruction& made = *own.array.instruction;
  if (made.parent == op.called[0] && made.opcode == Opcode::parameter &&
      std::cmp_less(made.parameter_number, op.operands.size())) {
    const auto from =
        operand_leaf(op.operands[static_cast<std::size_t>(made.parameter_number)], own.array.leaf);
    return from ? std::optional(renamed(own, inside(*from))) : std::nullopt;
  }
  // All are names of the first place that has the array's own indices or, without one, of the first place.
  std::optional<std::uint32_t> first;
  std::optional<ArrayAlias> there;
  const std::uint32_t count = leaves_.count(op.type);
  for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
    ArrayAlias other = inside({&root, leaf});
    const bool plain = other.elementwise && !other.map;
    if (other.array != own.array || (first && !plain)) continue;
    first = leaf;
    there = std::move(other);
    if (plain) break;
  }
  if (!first || *first == array.leaf) return std::nullopt;
  const bool plain = there->elementwise && !there->map;
  return ArrayAlias{{&op, *first}, plain ? own.map : std::nullopt, plain && own.elementwise};
}

// A part of the state of a loop that its body returns as it is.
std::optional<ProgramArray> ArrayOrigins::of_loop_state(ProgramArray array) {
  const Instruction& op = *array.instruction;
  if (op.opcode != Opcode::while_ || !op.sound || op.operands.size() != 1) return std::nullopt;
  const Computation* const body = called_by(op, "body");
  if (body == nullptr || body->root == nullptr || body->parameters.size() != 1 ||
      body->parameters[0] == nullptr)
    return std::nullopt;
  // Looks for a way through names only: what a call inside returns may depend on the state.
  ProgramArray at{body->root, array.leaf};
  while (const auto from = forwarded_from(at)) at = *from;
  if (at.instruction != body->parameters[0] || at.leaf != array.leaf) return std::nullopt;
  return operand_leaf(op.operands[0], array.leaf);
}

std::optional<ArrayOrigins::CalledWith> ArrayOrigins::called_with(ProgramArray array) {
  const Instruction& op = *array.instruction;
  const auto& sites = callers(*op.parent);
  if (sites.empty() || op.parameter_number < 0) return std::nullopt;
  CalledWith out;
  for (const ComputationCaller& site : sites) {
    const std::size_t operand = site.first_operand + static_cast<std::size_t>(op.parameter_number);
    if (!site.caller->sound || operand >= site.caller->operands.size()) return std::nullopt;
    if (site.caller->opcode == Opcode::while_ && !of_loop_state({site.caller, array.leaf}))
      return std::nullopt;
    const auto passed = operand_leaf(site.caller->operands[operand], array.leaf);
    if (!passed) return std::nullopt;
    const ArrayAlias& origin = of(*passed);
    if (origin.map || !origin.elementwise) {
      // A name with other indices: parameters with this name are one array, index by index.
      ProgramArray name = *passed;
      while (const auto from = forwarded_from(name)) name = *from;
      out.push_back(name);
      continue;
    }
    out.push_back(origin.array);
  }
  return out;
}

// The first parameter that is the same array in every call.
ArrayAlias ArrayOrigins::of_parameter(ProgramArray array) {
  const Computation& computation = *array.instruction->parent;
  const auto own = called_with(array);
  if (!own) return {array};
  const auto [found, is_new] = parameters_.try_emplace(&computation);
  if (is_new) {
    for (const Instruction* parameter : computation.parameters) {
      const std::uint32_t count = parameter == nullptr ? 0 : leaves_.count(parameter->type);
      for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
        const ProgramArray other{parameter, leaf};
        if (auto with = called_with(other)) found->second.try_emplace(*std::move(with), other);
      }
    }
  }
  const auto first = found->second.find(*own);
  return {first == found->second.end() ? array : first->second};
}

}  // namespace tessera::detail
