// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/traffic.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/in_place.h"
#include "hlo/analysis/instruction_indexing.h"
#include "hlo/analysis/read_counts.h"
#include "hlo/analysis/step_reads.h"
#include "hlo/analysis/traffic.h"
#include "hlo/analysis/written_leaves.h"
#include "hlo/check/started.h"
#include "hlo/module/leaves.h"
#include "hlo/syntax/attributes.h"
#include "hlo/walk/counted_loop.h"
#include "map/image/image_union.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

using detail::ArrayOrigins;
using detail::ArrayUpdate;
using detail::InPlace;
using detail::sum;

Count times(const Count& a, const Count& b) {
  Count out{checked_mul(a.lower, b.lower).value_or(kIndexMax), std::nullopt,
            a.reason.empty() ? b.reason : a.reason};
  if (a.upper && b.upper) out.upper = checked_mul(*a.upper, *b.upper);
  if (a.upper == Index{0} || b.upper == Index{0}) out.upper = 0;
  if (!out.exact() && out.reason.empty()) out.reason = "the number exceeds 64 bits";
  return out;
}

// Which computations the instruction runs step by step, and how often for each of its own runs.
std::vector<ComputationRuns> runs_of(const Instruction& op, detail::Leaves& leaves) {
  std::vector<ComputationRuns> out;
  const OpcodeTrait trait = trait_of(op.opcode);
  if (trait == OpcodeTrait::starts) {
    if (const Computation* const started = detail::started_steps(op)) out.push_back({started, {1, 1}});
  } else if (op.opcode == Opcode::call) {
    for (const Computation* called : op.called) out.push_back({called, {1, 1}});
  } else if (trait == OpcodeTrait::branches) {
    for (const Computation* called : op.called) {
      if (std::ranges::find(out, called, &ComputationRuns::computation) == out.end())
        out.push_back({called, {0, 1, "a branch of a conditional runs or does not"}});
    }
    // All branches are one computation, unless one of them is not known.
    if (out.size() == 1 && op.sound) out[0].runs = {1, 1};
  } else if (trait == OpcodeTrait::loops && op.sound) {
    const Computation* test = called_by(op, "condition");
    const Computation* body = called_by(op, "body");
    if (test == nullptr || body == nullptr) return out;
    const auto loop = detail::counted_loop(op, *test, *body, leaves);
    Count trips{0, std::nullopt, "the number of iterations is unknown"};
    if (loop)
      trips = {loop->start ? 0 : loop->trips, loop->trips,
               loop->start ? "the loop starts at a value known only at run time" : ""};
    Count tests = sum(trips, {1, 1});
    out.push_back({body, std::move(trips)});
    out.push_back({test, std::move(tests)});
  }
  return out;
}

bool runs_computations(const Instruction& op) {
  // `add-start`, `reduce-start` and `fusion-start` run none step by step: they are the step.
  if (op.opcode == Opcode::async_start) return detail::started_steps(op) != nullptr;
  return op.opcode == Opcode::call || op.opcode == Opcode::conditional || op.opcode == Opcode::while_;
}

// Whether the instruction only names data that is already there.
bool moves_nothing(const Instruction& op) {
  if (op.opcode == Opcode::copy_start || op.opcode == Opcode::iota ||
      op.opcode == Opcode::rng_get_and_update_state)
    return false;
  return trait_of(op.opcode) == OpcodeTrait::makes || only_forwards(op.opcode) || detail::is_renamed(op);
}

constexpr const char* kRunTimeExtent = "an extent is known only at run time";

bool is_static_type(const HloType& type) {
  for (std::size_t leaf = 0; leaf < type.leaf_count(); ++leaf) {
    const HloType& array = leaf_type(type, leaf);
    if (array.is_array() && !array.array().is_static()) return false;
  }
  return true;
}

// Whether every array that the step reads, writes, or has inside has extents that are known.
bool has_static_extents(const Instruction& op) {
  if (!is_static_type(op.type)) return false;
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    if (!is_static_type(op.operand_type(i))) return false;
  if (op.opcode != Opcode::fusion) return true;
  return std::ranges::all_of(op.called, [](const Computation* called) {
    return std::ranges::all_of(called->instructions,
                               [](const auto& inner) { return is_static_type(inner->type); });
  });
}

// The maps are those of the largest extents: of what is read then, only some is.
void bound_from_below(Count& count) {
  if (count.upper == Index{0}) return;
  count.lower = 0;
  if (count.reason.empty()) count.reason = kRunTimeExtent;
}

void bound_reads(StepTraffic& step) {
  for (Count* count : {&step.read, &step.inlined, &step.repeated, &step.used}) bound_from_below(*count);
  for (OperandReads& operand : step.operands) {
    ArrayReads& reads = operand.reads;
    for (Count* count : {&reads.used, &reads.reads, &reads.reachable}) bound_from_below(*count);
    reads.even = false;
    if (reads.reason.empty()) reads.reason = kRunTimeExtent;
  }
  if (step.reason.empty()) step.reason = kRunTimeExtent;
}

StepTraffic step_of(const InstructionIndexing& maps, InPlace& in_place, ArrayOrigins& origins,
                    ProgramIndexing& program, const TrafficOptions& options) {
  const Instruction& op = *maps.instruction;
  StepTraffic out{.instruction = &op};
  const std::vector<ArrayUpdate> updates = in_place.updates(op);
  const auto [first, last] = detail::written_leaves(op);
  const auto count = [&](const InstructionIndexing& read) {
    detail::count_step_reads(out, read, updates, origins, program,
                             options.limits.value_or(detail::quick_limits()));
  };
  if (first == 0 && last == op.type.leaf_count()) {
    count(maps);
  } else {
    // A result that is the operand under another name reads nothing.
    InstructionIndexing written = maps;
    std::erase_if(written.pairs, [&](const PairIndexing& pair) {
      return std::cmp_less(pair.output, first) || std::cmp_greater_equal(pair.output, last);
    });
    count(written);
  }
  const auto note = [&](const std::string& reason) {
    if (out.reason.empty()) out.reason = reason;
  };
  // An operand with an error has no type, and so no entry; one with an unknown name is not one.
  if (out.exactness == Exactness::unknown &&
      (out.operands.empty() || op.parent->lost_operands.contains(&op))) {
    out.read = {0, std::nullopt, "the instruction has an error"};
    out.used = out.inlined = out.read;
    note(out.read.reason);
  }
  if (!has_static_extents(op)) bound_reads(out);
  out.in_place = !updates.empty();
  out.may_vanish = detail::may_vanish(op);
  for (std::size_t leaf = first; leaf < last; ++leaf) {
    const HloType& type = leaf_type(op.type, leaf);
    if (!type.is_array()) continue;
    const Index whole = detail::array_bytes(type).value_or(kIndexMax);
    const auto update = std::ranges::find(updates, static_cast<std::uint32_t>(leaf), &ArrayUpdate::result);
    Count written{whole, whole};
    if (update != updates.end() && update->in_place == Verdict::yes) written = update->updated;
    if (update != updates.end() && update->in_place == Verdict::undecided)
      written = {std::min(whole, update->updated.lower), whole, update->reason};
    out.in_place = out.in_place && update != updates.end() && update->in_place == Verdict::yes;
    if (!type.array().is_static()) bound_from_below(written);
    if (!op.sound) written = {0, std::nullopt, "the instruction has an error"};
    if (written.exact()) written.reason.clear();
    if (!written.exact()) note(written.reason);
    out.written = sum(out.written, written);
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

double quotient(Index a, Index b) { return static_cast<double>(a) / static_cast<double>(b); }

}  // namespace

Count StepTraffic::minimum() const { return sum(used, written); }

Count StepTraffic::moved() const { return sum(read, written); }

std::optional<TrafficRatio> StepTraffic::ratio() const {
  const Count all = moved();
  const Count least = minimum();
  if (!all.upper || !least.upper || *least.upper == 0) return std::nullopt;
  if (all.exact() && least.exact()) {
    const double exact = quotient(all.lower, least.lower);
    return TrafficRatio{exact, exact};
  }
  // Whatever else is not known, no less moves than must.
  const double lower = std::max(1.0, quotient(all.lower, *least.upper));
  if (least.lower == 0) return std::nullopt;
  return TrafficRatio{lower, std::max(lower, quotient(*all.upper, least.lower))};
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
      if (!runs_computations(*op)) continue;
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

Count detail::count_in_total(Count bytes, const StepTraffic& step) {
  if (!step.may_vanish || bytes.lower == 0) return bytes;
  return {0, bytes.upper,
          fmt::format("{} may move nothing: that depends on layouts that the compiler chooses",
                      step.instruction->opcode_text)};
}

ProgramTraffic detail::program_traffic(const HloModule& module, const TrafficOptions& options,
                                       const MapsOf& maps_of) {
  ProgramTraffic out;
  const Computation* start = options.start != nullptr ? options.start : module.entry;
  if (start == nullptr) return out;
  const std::vector<ComputationRuns> executed = executed_computations(*start);
  std::vector<const Computation*> computations;
  for (const ComputationRuns& x : executed) computations.push_back(x.computation);
  ArrayOrigins origins(computations);
  InPlace in_place(module, *start, origins);
  ProgramIndexing program;
  for (const auto& [computation, runs] : executed) {
    if (runs.upper == Index{0}) continue;
    for (const auto& op : computation->instructions) {
      if (options.advance) options.advance();
      // A loop with an error runs nothing that can be counted: it is a step of which nothing is known.
      if ((runs_computations(*op) && op->sound) || moves_nothing(*op)) continue;
      StepTraffic step = step_of(maps_of(*op), in_place, origins, program, options);
      step.runs = runs;
      out.moved = sum(out.moved, times(detail::count_in_total(step.moved(), step), runs));
      out.minimum = sum(out.minimum, times(detail::count_in_total(step.minimum(), step), runs));
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
