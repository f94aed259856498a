// SPDX-License-Identifier: Apache-2.0
#include "hlo/shares/step_parts.h"

#include <algorithm>
#include <utility>

#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/step_reads.h"
#include "hlo/analysis/written_leaves.h"
#include "hlo/check/started.h"
#include "hlo/module/leaves.h"
#include "hlo/ops/forwarding.h"

namespace tessera::detail {
namespace {

std::vector<const Computation*> executed_from(const Computation& start) {
  std::vector<const Computation*> out;
  for (const ComputationRuns& x : executed_computations(start)) out.push_back(x.computation);
  return out;
}

// Whether the instruction only names data.
bool only_names(const Instruction& op) { return only_forwards(op.opcode) || op.opcode == Opcode::bitcast; }

// The computation whose instructions are parts of the step, or null.
const Computation* computation_inside(const Instruction& op) {
  if (op.opcode == Opcode::fusion) return op.called.empty() ? nullptr : op.called.front();
  if (op.opcode != Opcode::async_start || started_steps(op) != nullptr) return nullptr;
  return started_computation(op);
}

// Takes at most what is left.
Count take(Count& left, const Count& wanted) {
  Count out{std::min(left.lower, wanted.lower), wanted.upper, wanted.reason};
  left.lower -= out.lower;
  if (left.upper) {
    out.upper = std::max(std::min(*left.upper, wanted.upper.value_or(*left.upper)), out.lower);
    *left.upper = std::max<Index>(*left.upper - *out.upper, 0);
  }
  if (out.exact()) out.reason.clear();
  return out;
}

void accumulate(Count& total, const Count& more) {
  if (total.reason.empty()) total.reason = more.reason;
  total.lower = checked_add(total.lower, more.lower).value_or(kIndexMax);
  total.upper = total.upper && more.upper ? checked_add(*total.upper, *more.upper) : std::nullopt;
}

}  // namespace

// For each instruction of a fused computation, the one that its bytes belong to if it only names data.
struct StepDivider::Fused {
  std::vector<const Instruction*> first_user;  // by position; null: none
};

StepDivider::StepDivider(const HloModule& module, const Computation& start)
    : module_(module), executed_(executed_from(start)), origins_(executed_), start_(start) {}

StepDivider::~StepDivider() = default;

const StepDivider::Fused& StepDivider::fused(const Computation& computation) {
  auto& out = fused_[&computation];
  if (out != nullptr) return *out;
  out = std::make_unique<Fused>();
  out->first_user.resize(computation.instructions.size());
  for (const auto& op : computation.instructions) {
    for (const Operand& operand : op->operands) {
      if (operand.instruction == nullptr || operand.instruction->parent != &computation) continue;
      const Instruction*& first = out->first_user[operand.instruction->index];
      if (first == nullptr) first = op.get();
    }
  }
  return *out;
}

// The get-tuple-element of a value whose element has this leaf, or null; `leaf` becomes that of the element.
const Instruction* StepDivider::element_with(const Computation& computation, const Instruction& value,
                                             std::size_t& leaf) {
  for (const auto& op : computation.instructions) {
    if (op->opcode != Opcode::get_tuple_element || op->operands.size() != 1 ||
        op->operands[0].instruction != &value || op->operands[0].tuple_index >= 0)
      continue;
    const auto taken = taken_element(*op);
    if (!taken) continue;
    std::size_t first = 0;
    for (std::size_t i = 0; i < *taken; ++i) first += value.type.elements()[i].leaf_count();
    if (leaf < first || leaf >= first + value.type.elements()[*taken].leaf_count()) continue;
    leaf -= first;
    return op.get();
  }
  return nullptr;
}

// Of a tuple parameter, the reader of the element is the get-tuple-element's user; one of another element
// may come first, so the element is looked for.
const Instruction& StepDivider::reader(const Computation& computation, std::size_t parameter,
                                       std::size_t leaf) {
  const Fused& uses = fused(computation);
  const Instruction* at =
      parameter < computation.parameters.size() ? computation.parameters[parameter] : nullptr;
  if (at == nullptr) return *computation.root;
  while (at->type.is_tuple()) {
    const Instruction* const element = element_with(computation, *at, leaf);
    if (element == nullptr) break;
    at = element;
  }
  for (const Instruction* next = uses.first_user[at->index]; next != nullptr;
       next = uses.first_user[at->index]) {
    at = next;
    if (!only_names(*at)) break;
  }
  return *at;
}

const Instruction& StepDivider::writer(const Computation& computation, std::size_t leaf) {
  const Instruction* at = computation.root;
  while (only_names(*at)) {
    const Operand* next = nullptr;
    if (at->opcode == Opcode::tuple) {
      std::size_t first = 0;
      for (const Operand& operand : at->operands) {
        const std::size_t count = operand.type().leaf_count();
        if (leaf < first + count) {
          next = &operand;
          leaf -= first;
          break;
        }
        first += count;
      }
    } else if (at->operands.size() == 1 && at->type.is_array() && at->operands[0].type().is_array()) {
      next = &at->operands[0];
    }
    if (next == nullptr || next->instruction == nullptr || next->tuple_index >= 0) break;
    at = next->instruction;
  }
  return *at;
}

// The bytes that each array of the result gets.
std::vector<std::pair<std::size_t, Count>> StepDivider::written(const StepTraffic& step) {
  const Instruction& op = *step.instruction;
  const auto [first, last] = written_leaves(op);
  std::vector<std::pair<std::size_t, Count>> out;
  Index all = 0;
  for (std::size_t leaf = first; leaf < last; ++leaf) {
    const HloType& type = leaf_type(op.type, leaf);
    if (!type.is_array()) continue;
    const Index bytes = array_bytes(type).value_or(kIndexMax);
    all = checked_add(all, bytes).value_or(kIndexMax);
    out.emplace_back(leaf - first, Count{bytes, bytes});
  }
  if (out.size() < 2 || step.written == Count{all, all}) return out;
  if (in_place_ == nullptr) in_place_ = std::make_unique<InPlace>(module_, start_, origins_);
  for (const ArrayUpdate& update : in_place_->updates(op)) {
    for (auto& [leaf, bytes] : out) {
      if (leaf + first != update.result || update.in_place == Verdict::no) continue;
      bytes = update.in_place == Verdict::yes
                  ? update.updated
                  : Count{std::min(bytes.lower, update.updated.lower), bytes.upper, update.reason};
    }
  }
  return out;
}

std::vector<StepPart> StepDivider::divide(const StepTraffic& step) {
  const Instruction& op = *step.instruction;
  const Computation* const inside = op.sound ? computation_inside(op) : nullptr;
  if (inside == nullptr || inside->root == nullptr) return {{step.instruction, step.moved(), step.minimum()}};
  std::vector<StepPart> out;
  const auto part_of = [&](const Instruction& x) -> StepPart& {
    const auto found = std::ranges::find(out, &x, &StepPart::instruction);
    if (found != out.end()) return *found;
    return out.emplace_back(StepPart{&x, {0, 0}, {0, 0}});
  };
  Count moved = step.moved();
  Count minimum = step.minimum();
  for (const auto& [leaf, bytes] : written(step)) {
    StepPart& part = part_of(writer(*inside, leaf));
    accumulate(part.moved, take(moved, bytes));
    accumulate(part.minimum, take(minimum, bytes));
  }
  for (const OperandReads& x : step.operands) {
    const HloType& type = leaf_type(op.operand_type(x.operand), x.leaf);
    const Index bits = type.is_array() ? element_bits(type.array()) : 0;
    StepPart& part = part_of(reader(*inside, x.operand, x.leaf));
    accumulate(part.moved, take(moved, bytes_of(x.reads.reads, bits)));
    accumulate(part.minimum, take(minimum, bytes_of(x.reads.used, bits)));
  }
  // What no operand and no result accounts for.
  StepPart& own = part_of(*inside->root);
  accumulate(own.moved, moved);
  accumulate(own.minimum, minimum);
  return out;
}

}  // namespace tessera::detail
