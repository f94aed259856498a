// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/copies.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/buffer_sharing.h"
#include "hlo/analysis/data_sources.h"
#include "hlo/analysis/instruction_indexing.h"
#include "hlo/analysis/movement.h"
#include "hlo/analysis/movement_answer.h"
#include "hlo/analysis/read_counts.h"
#include "hlo/limits.h"
#include "map/values/enumerate.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera {
namespace {

using Steps = std::unordered_map<const Instruction*, const StepTraffic*>;

// How the result follows from one operand, element by element.
struct Link {
  std::size_t operand = 0;
  Indexing map;
};

// The kernels of the plan for a movement, without duplicates.
std::vector<std::string> kernels_of(const Instruction& op, const Link& link) {
  const TensorType& operand = op.operand_type(link.operand).array();
  const Index bits = detail::element_bits(op.type.array());
  if (bits % 8 != 0) return {};
  const auto from = Layout::make(operand);
  const auto to = Layout::make(op.type.array());
  if (!from || !to) return {};
  const auto offset = compose(link.map.map, lower(*from));
  if (!offset || offset->known_empty() || offset->range_count() > 0) return {};
  const std::vector<Interval> box = box_of(link.map.map.domain());
  const auto source = Layout::make(IndexMap::make_unchecked(
      link.map.map.domain().with(box, {}), {offset->results().begin(), offset->results().end()}));
  if (!source ||
      (source->known_digits() == nullptr && source->size() > detail::kHloLimits.analysis.copied_elements))
    return {};
  const auto plan = make_plan(*source, *to, bits / 8);
  if (!plan) return {};
  // Each kernel begins a line of the plan, after the headline.
  std::vector<std::string> out;
  const std::string text = plan->describe();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    const std::size_t end = text.find(' ', at + 1);
    if (end == std::string::npos || end == at + 1) continue;
    std::string name = text.substr(at + 1, end - at - 1);
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

Index most(const Count& count) { return count.upper.value_or(count.lower); }

Index times(Index once, const Count& runs) {
  return detail::saturating_mul(once, std::max<Index>(most(runs), 1));
}

// Finds the movements and the chains of one computation.
class Movements {
 public:
  Movements(const Computation& computation, const Count& runs, const Steps& steps, detail::BufferUses uses,
            ProgramIndexing& program, CopiesReport& report)
      : computation_(computation),
        runs_(runs),
        steps_(steps),
        uses_(std::move(uses)),
        program_(program),
        report_(report) {}

  void find() {
    for (const auto& op : computation_.instructions) {
      for (const Operand& operand : op->operands) ++users_[operand.instruction];
      add(*op);
    }
    for (auto op = computation_.instructions.rbegin(); op != computation_.instructions.rend(); ++op) {
      if (moving_.contains(op->get()) && !in_chain_.contains(op->get())) add_chain(**op);
    }
  }

 private:
  void add(const Instruction& op) {
    // The steps inside a call are listed, and not the call.
    if (!op.sound || op.opcode == Opcode::call) return;
    const auto found = detail::data_movement(op, program_);
    if (!found) return;
    const InstructionIndexing maps = detail::analyze_one(program_, op, IndexingDirection::output_to_input);
    if (!detail::holds_operand(op, *found, maps)) return;
    const Link* link = nullptr;
    const auto map = detail::output_map(op, found->outputs[0], maps);
    if (map && op.type.is_array() && op.operand_type(map->source.operand).is_array()) {
      // A bitcast-convert may split or join elements.
      const TensorType& operand = op.operand_type(map->source.operand).array();
      if (detail::element_bits(op.type.array()) == detail::element_bits(operand))
        link = &links_.emplace(&op, Link{map->source.operand, *map->map}).first->second;
    }
    if (op.opcode == Opcode::bitcast) return;
    Movement movement{.instruction = &op, .runs = runs_, .answer = movement_answer(op, *found, maps)};
    const auto step = steps_.find(&op);
    if (movement.answer.verdict == Verdict::yes && step == steps_.end()) {
      ++report_.free;
      return;
    }
    if (op.opcode == Opcode::fusion) movement.by = found->by;
    bool once_each = false;  // the result has as many elements as are read
    if (step != steps_.end()) {
      const Count least = step->second->minimum();
      movement.once = most(least);
      once_each = step->second->used == Count{movement.answer.bytes, movement.answer.bytes};
      if (step->second->in_place)
        movement.answer = {.verdict = Verdict::no,
                           .reason = "only the update is written, in place",
                           .bytes = most(step->second->written)};
    }
    const Verdict verdict = movement.answer.verdict;
    if (verdict == Verdict::no) {
      if (link != nullptr && once_each) movement.kernels = kernels_of(op, *link);
      moving_.emplace(&op, movement.traffic());
    } else if (verdict == Verdict::yes && link != nullptr) {
      movement.sharing = uses_.sharing(op, link->operand, op);
    }
    report_.traffic = detail::saturating_add(report_.traffic, movement.traffic());
    report_.bitcast_savings = detail::saturating_add(report_.bitcast_savings, movement.saving());
    report_.unknown += verdict == Verdict::undecided ? 1 : 0;
    report_.movements.push_back(std::move(movement));
  }

  // What one movement in place of a chain reads and writes.
  Index joined_traffic(const Indexing& map, const TensorType& operand, const Instruction& last) const {
    const auto step = steps_.find(&last);
    if (step == steps_.end()) return kIndexMax;
    const IndexingSet maps{map};
    const ArrayReads reads = count_reads(maps, operand.dims, detail::quick_limits());
    const Index elements = reads.used.upper.value_or(reads.elements);
    const Index bits = detail::saturating_mul(elements, detail::element_bits(operand));
    return times(detail::saturating_add(ceil_div(bits, 8), most(step->second->written)), runs_);
  }

  // Adds the chain that ends at `last` and saves the most traffic, if there is one. Intermediate results with
  // other users are allowed only if the chain as a whole moves nothing.
  void add_chain(const Instruction& last) {
    const auto end = links_.find(&last);
    if (end == links_.end()) return;
    std::vector<const Instruction*> chain{&last};
    Indexing map = end->second.map;
    const Link* link = &end->second;
    MovementChain best;
    bool shared = false;
    const Index own = moving_.at(&last);
    Index traffic = own;
    while (chain.size() < detail::kHloLimits.analysis.copy_chain) {
      const Operand& read = chain.back()->operands[link->operand];
      const Instruction* before = read.instruction;
      const auto next = links_.find(before);
      if (next == links_.end() || read.tuple_index >= 0) break;
      link = &next->second;
      map = compose(map, link->map);
      shared = shared || users_.at(before) > 1 || before->is_root;
      chain.push_back(before);
      const auto moved = moving_.find(before);
      if (moved == moving_.end()) continue;
      traffic = detail::saturating_add(traffic, moved->second);
      const TensorType& operand = before->operand_type(link->operand).array();
      BitcastAnswer answer = detail::movement_answer({map}, operand, last.type.array());
      if (answer.verdict == Verdict::undecided || (shared && answer.verdict == Verdict::no)) continue;
      const bool same = answer.verdict == Verdict::yes;
      const BufferSharing sharing = same ? uses_.sharing(*before, link->operand, last) : BufferSharing::open;
      const bool cancels = same && sharing != BufferSharing::impossible;
      if (shared && !cancels) continue;
      // Other users still need the intermediate results, so a shared chain saves only its last movement.
      const Index left = cancels ? 0 : joined_traffic(map, operand, last);
      const Index saving = shared ? own : std::max<Index>(traffic - left, 0);
      if (saving == 0 || saving < best.saving) continue;
      best = {.instructions = {chain.rbegin(), chain.rend()},
              .runs = runs_,
              .answer = std::move(answer),
              .sharing = sharing,
              .traffic = traffic,
              .saving = saving};
    }
    if (best.instructions.empty()) return;
    for (const Instruction* member : best.instructions) in_chain_.insert(member);
    report_.saving = detail::saturating_add(report_.saving, best.saving);
    report_.chains.push_back(std::move(best));
  }

  const Computation& computation_;
  const Count& runs_;
  const Steps& steps_;
  detail::BufferUses uses_;
  ProgramIndexing& program_;
  CopiesReport& report_;
  std::unordered_map<const Instruction*, Index> users_;
  std::unordered_map<const Instruction*, Link> links_;    // movements that map each element to one
  std::unordered_map<const Instruction*, Index> moving_;  // with their traffic
  std::unordered_set<const Instruction*> in_chain_;
};

const Attribute* aliases_of(const HloModule& module) {
  const auto found = std::ranges::find(module.attributes, "input_output_alias", &Attribute::key);
  return found == module.attributes.end() ? nullptr : &*found;
}

}  // namespace

CopiesReport copies_report(const HloModule& module, const ProgramTraffic& traffic, const Computation* start) {
  CopiesReport out;
  if (start == nullptr) start = module.entry;
  if (start == nullptr) return out;
  Steps steps;
  for (const StepTraffic& step : traffic.steps) steps.emplace(step.instruction, &step);
  ProgramIndexing program;
  for (const auto& [computation, runs] : executed_computations(*start)) {
    if (runs.upper == Index{0}) continue;
    detail::BufferUses uses(*computation, computation == start, aliases_of(module));
    Movements(*computation, runs, steps, std::move(uses), program, out).find();
  }
  // Among equals, those that must move first.
  std::ranges::stable_sort(out.movements, std::ranges::greater{}, [](const Movement& x) {
    return std::pair(x.traffic(), x.answer.verdict != Verdict::yes);
  });
  std::ranges::stable_sort(out.chains, std::ranges::greater{}, &MovementChain::saving);
  return out;
}

CopiesReport copies_report(const HloModule& module, const Computation* start) {
  TrafficOptions options;
  options.start = start;
  return copies_report(module, program_traffic(module, options), start);
}

double measured_bandwidth() {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  const std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    std::memcpy(to.data(), from.data(), kBytes);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    // Reading the result keeps the compiler from removing the copy.
    if (to[static_cast<std::size_t>(round) * 4096] == 1) best = std::max(best, 2.0 * kBytes / seconds);
  }
  return best;
}

}  // namespace tessera
