// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/traffic.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/instruction_indexing.h"
#include "hlo/analysis/traffic.h"
#include "hlo/module/leaves.h"
#include "hlo/walk/counted_loop.h"
#include "map/image/image_union.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

using detail::sum;

Count times(const Count& a, const Count& b) {
  Count out{checked_mul(a.lower, b.lower).value_or(kIndexMax), std::nullopt,
            a.reason.empty() ? b.reason : a.reason};
  if (a.upper && b.upper) out.upper = checked_mul(*a.upper, *b.upper);
  if (a.upper == Index{0} || b.upper == Index{0}) out.upper = 0;
  if (!out.exact() && out.reason.empty()) out.reason = "the number exceeds 64 bits";
  return out;
}

Count bytes(Count elements, Index bits) {
  const auto scaled = [&](Index n) -> std::optional<Index> {
    const auto all = checked_mul(n, bits);
    return all ? std::optional(ceil_div(*all, 8)) : std::nullopt;
  };
  elements.lower = scaled(elements.lower).value_or(kIndexMax);
  if (elements.upper) elements.upper = scaled(*elements.upper);
  if (!elements.exact() && elements.reason.empty()) elements.reason = "the number exceeds 64 bits";
  return elements;
}

const Computation* called_as(const Instruction& caller, std::string_view key) {
  const Attribute* attribute = caller.attribute(key);
  if (attribute == nullptr) return nullptr;
  std::string_view name = attribute->value;
  if (name.starts_with('%')) name.remove_prefix(1);
  const auto found = std::ranges::find(caller.called, name, &Computation::name);
  return found == caller.called.end() ? nullptr : *found;
}

// Which computations the instruction runs step by step, and how often for each of its own runs.
std::vector<ComputationRuns> runs_of(const Instruction& op, detail::Leaves& leaves) {
  std::vector<ComputationRuns> out;
  switch (op.opcode) {
    case Opcode::call:
    case Opcode::async_start:
      for (const Computation* called : op.called) out.push_back({called, {1, 1}});
      break;
    case Opcode::conditional:
      for (const Computation* called : op.called)
        out.push_back({called, {0, 1, "a branch of a conditional runs or does not"}});
      break;
    case Opcode::while_: {
      if (!op.sound) break;
      const Computation* test = called_as(op, "condition");
      const Computation* body = called_as(op, "body");
      if (test == nullptr || body == nullptr) break;
      const auto loop = detail::counted_loop(op, *test, *body, leaves);
      Count trips{0, std::nullopt, "the number of iterations is unknown"};
      if (loop)
        trips = {loop->start ? 0 : loop->trips, loop->trips,
                 loop->start ? "the loop starts at a value known only at run time" : ""};
      Count tests = sum(trips, {1, 1});
      out.push_back({body, std::move(trips)});
      out.push_back({test, std::move(tests)});
      break;
    }
    default:
      break;
  }
  return out;
}

bool runs_computations(Opcode opcode) {
  return opcode == Opcode::call || opcode == Opcode::async_start || opcode == Opcode::conditional ||
         opcode == Opcode::while_;
}

// Whether the instruction only names data that is already there.
bool moves_nothing(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::bitcast:
    case Opcode::get_dimension_size:
    case Opcode::set_dimension_size:
    case Opcode::partition_id:
    case Opcode::replica_id:
      return true;
    case Opcode::reshape:
    case Opcode::bitcast_convert: {
      const auto answer = bitcast_answer(op);
      return answer && answer->verdict == Verdict::yes;
    }
    case Opcode::copy_start:
      return false;
    default:
      return only_forwards(op.opcode);
  }
}

// The leaves of the result that are written. Some asynchronous operations return their operands as well.
std::pair<std::size_t, std::size_t> written_leaves(const Instruction& op) {
  const std::size_t all = op.type.leaf_count();
  switch (op.opcode) {
    case Opcode::copy_start:
      return {0, 1};
    case Opcode::all_gather_start:
      return {all > 1 ? all / 2 : 0, all};
    case Opcode::collective_permute_start:
      return all > 1 ? std::pair<std::size_t, std::size_t>{1, 2}
                     : std::pair<std::size_t, std::size_t>{0, all};
    default:
      return {0, all};
  }
}

// The instruction whose value bitcasts rename.
const Instruction* without_bitcasts(const Instruction* op) {
  while (op->opcode == Opcode::bitcast && op->operands.size() == 1) op = op->operands[0].instruction;
  return op;
}

// An update in place: what it writes, and the operand of the step that it writes into.
struct Update {
  Index written = 0;
  std::size_t operand = 0;
};

std::optional<Update> update_of(const Instruction& op) {
  const Instruction* root = &op;
  if (op.opcode == Opcode::fusion && op.called.size() == 1 && op.called[0]->root != nullptr)
    root = without_bitcasts(op.called[0]->root);
  if (root->opcode != Opcode::dynamic_update_slice || root->operands.size() < 2) return std::nullopt;
  const auto written = detail::array_bytes(root->operand_type(1));
  if (!written || root->operands[0].tuple_index >= 0) return std::nullopt;
  if (root == &op) return Update{*written, 0};
  // In a fusion, the target must be a parameter that nothing else reads.
  const Instruction* target = root;
  do {
    target = target->operands[0].instruction;
    Index users = 0;
    for (const auto& other : op.called[0]->instructions) {
      users += std::ranges::count(other->operands, target, &Operand::instruction);
    }
    if (users != 1) return std::nullopt;
  } while (target->opcode == Opcode::bitcast && target->operands.size() == 1);
  if (target->opcode != Opcode::parameter || target->parameter_number < 0) return std::nullopt;
  return Update{*written, static_cast<std::size_t>(target->parameter_number)};
}

StepTraffic step_of(const InstructionIndexing& maps, const TrafficOptions& options) {
  const Instruction& op = *maps.instruction;
  StepTraffic out{.instruction = &op};
  const auto note = [&](const std::string& reason) {
    if (out.reason.empty()) out.reason = reason;
  };
  out.operands = count_reads(maps, options.limits);
  const std::optional<Update> update = op.sound ? update_of(op) : std::nullopt;
  if (update) {
    out.in_place = true;
    std::erase_if(out.operands, [&](const OperandReads& x) { return x.operand == update->operand; });
  }
  if (maps.exactness == Exactness::unknown) out.exactness = Exactness::unknown;
  for (const OperandReads& x : out.operands) {
    const HloType& type = leaf_type(op.operand_type(x.operand), x.leaf);
    const Index bits = detail::element_bits(type.array());
    out.read = sum(out.read, bytes(x.reads.reads, bits));
    out.used = sum(out.used, bytes(x.reads.used, bits));
    out.operand_bytes =
        detail::saturating_add(out.operand_bytes, detail::array_bytes(type).value_or(kIndexMax));
    out.exactness = std::max(out.exactness, x.reads.exactness);
    if (!x.reads.exact() || x.reads.exactness != Exactness::exact) note(x.reads.reason);
  }
  // An operand with an error has no type, and so no entry.
  if (out.exactness == Exactness::unknown && out.operands.empty()) {
    out.read = {0, std::nullopt, "the instruction has an error"};
    out.used = out.read;
    note(out.read.reason);
  }
  if (update) {
    out.written = update->written;
    return out;
  }
  const auto [first, last] = written_leaves(op);
  for (std::size_t leaf = first; leaf < last; ++leaf) {
    const HloType& type = leaf_type(op.type, leaf);
    if (type.is_array())
      out.written = detail::saturating_add(out.written, detail::array_bytes(type).value_or(kIndexMax));
  }
  return out;
}

Index bytes_of_all(const HloType& type) {
  Index all = 0;
  for (std::size_t leaf = 0; leaf < type.leaf_count(); ++leaf) {
    const HloType& array = leaf_type(type, leaf);
    if (array.is_array()) all = detail::saturating_add(all, detail::array_bytes(array).value_or(kIndexMax));
  }
  return all;
}

Index upper_of(const Count& count) { return count.upper.value_or(count.lower); }

}  // namespace

Count StepTraffic::minimum() const { return sum(used, {written, written}); }

Count StepTraffic::moved() const { return sum(read, {written, written}); }

std::optional<double> StepTraffic::ratio() const {
  const Count all = moved();
  const Count least = minimum();
  if (!all.upper || !least.upper || *least.upper == 0) return std::nullopt;
  return static_cast<double>(*all.upper) / static_cast<double>(*least.upper);
}

Index StepTraffic::reread() const {
  const Index once = std::max<Index>(upper_of(read) - upper_of(used), 0);
  return checked_mul(once, std::max<Index>(upper_of(runs), 1)).value_or(kIndexMax);
}

std::vector<ComputationRuns> executed_computations(const Computation& start) {
  detail::Leaves leaves;
  // Callees before callers, as in the text.
  std::vector<const Computation*> order;
  std::unordered_map<const Computation*, std::vector<ComputationRuns>> calls;
  std::vector<std::pair<const Computation*, bool>> stack{{&start, false}};
  while (!stack.empty()) {
    const auto [computation, done] = stack.back();
    stack.pop_back();
    if (done) {
      order.push_back(computation);
      continue;
    }
    const auto [found, is_new] = calls.try_emplace(computation);
    if (!is_new) continue;
    stack.push_back({computation, true});
    for (const auto& op : computation->instructions) {
      if (!runs_computations(op->opcode)) continue;
      for (ComputationRuns& x : runs_of(*op, leaves)) {
        stack.push_back({x.computation, false});
        found->second.push_back(std::move(x));
      }
    }
  }
  std::unordered_map<const Computation*, Count> total{{&start, {1, 1}}};
  std::vector<ComputationRuns> out;
  for (auto computation = order.rbegin(); computation != order.rend(); ++computation) {
    const Count runs = total.at(*computation);
    for (const ComputationRuns& x : calls.at(*computation)) {
      Count& all = total.try_emplace(x.computation, Count{0, 0}).first->second;
      all = sum(all, times(runs, x.runs));
    }
    out.push_back({*computation, runs});
  }
  return out;
}

ProgramTraffic program_traffic(const HloModule& module, const TrafficOptions& options) {
  ProgramIndexing program;
  InstructionIndexing maps;
  const auto maps_of = [&](const Instruction& op) -> const InstructionIndexing& {
    maps = detail::analyze_one(program, op, IndexingDirection::output_to_input);
    return maps;
  };
  return detail::program_traffic(module, options, maps_of);
}

ProgramTraffic detail::program_traffic(const HloModule& module, const TrafficOptions& options,
                                       const MapsOf& maps_of) {
  ProgramTraffic out;
  const Computation* start = options.start != nullptr ? options.start : module.entry;
  if (start == nullptr) return out;
  for (const auto& [computation, runs] : executed_computations(*start)) {
    if (runs.upper == Index{0}) continue;
    for (const auto& op : computation->instructions) {
      if (options.advance) options.advance();
      if (runs_computations(op->opcode) || moves_nothing(*op)) continue;
      StepTraffic step = step_of(maps_of(*op), options);
      step.runs = runs;
      out.moved = sum(out.moved, times(step.moved(), runs));
      out.minimum = sum(out.minimum, times(step.minimum(), runs));
      out.unknown += step.exactness == Exactness::unknown ? 1 : 0;
      out.steps.push_back(std::move(step));
    }
  }
  std::ranges::stable_sort(out.steps, std::ranges::greater{}, &StepTraffic::reread);
  for (const Instruction* parameter : start->parameters) {
    if (parameter != nullptr)
      out.parameters = detail::saturating_add(out.parameters, bytes_of_all(parameter->type));
  }
  if (start->root != nullptr) out.results = bytes_of_all(start->root->type);
  return out;
}

}  // namespace tessera
