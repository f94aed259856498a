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
#include "hlo/analysis/movement.h"
#include "map/values/enumerate.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera {
namespace {

constexpr std::size_t kLongestChain = 64;
/// The largest source without digits that is enumerated to find a plan.
constexpr Index kMostEnumerated = Index{1} << 16;

bool fused_movement(const Instruction& op) {
  if (op.opcode != Opcode::fusion || op.called.size() != 1 || op.operands.size() != 1) return false;
  bool moves = false;
  for (const auto& inner : op.called[0]->instructions) {
    if (inner->opcode != Opcode::parameter && !detail::only_moves(inner->opcode)) return false;
    moves = moves || detail::only_moves(inner->opcode);
  }
  return moves;
}

bool is_movement(const Instruction& op) {
  if (!op.sound || op.operands.size() != 1 || !op.type.is_array() || !op.operand_type(0).is_array())
    return false;
  return detail::only_moves(op.opcode) || fused_movement(op);
}

Index bits_of(const HloType& type) { return detail::element_bits(type.array()); }

// Whether each element of the result is an element of the operand. A bitcast-convert may split or join them.
bool keeps_elements(const Instruction& op) { return bits_of(op.type) == bits_of(op.operand_type(0)); }

IndexingSet maps_of(const Instruction& op) {
  auto maps = output_to_input(op, {});
  return maps ? *std::move(maps) : IndexingSet();
}

BitcastAnswer answer_of(const Instruction& op) {
  if (detail::only_moves(op.opcode))
    return bitcast_answer(op).value_or(BitcastAnswer{.reason = "not an array"});
  if (!keeps_elements(op)) return {.reason = "the widths of the elements differ"};
  return detail::movement_answer(maps_of(op), op.operand_type(0).array(), op.type.array());
}

// The kernels of the plan for a movement, without duplicates.
std::vector<std::string> kernels_of(const Instruction& op) {
  const Index bits = bits_of(op.type);
  const IndexingSet maps = keeps_elements(op) ? maps_of(op) : IndexingSet();
  if (bits % 8 != 0 || maps.size() != 1 || maps[0].exactness != Exactness::exact) return {};
  const auto from = Layout::make(op.operand_type(0).array());
  const auto to = Layout::make(op.type.array());
  if (!from || !to) return {};
  const auto offset = compose(maps[0].map, lower(*from));
  if (!offset || offset->known_empty() || offset->range_count() > 0) return {};
  const std::vector<Interval> box = box_of(maps[0].map.domain());
  const auto source = Layout::make(IndexMap::make_unchecked(
      maps[0].map.domain().with(box, {}), {offset->results().begin(), offset->results().end()}));
  if (!source || (source->known_digits() == nullptr && source->size() > kMostEnumerated)) return {};
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

// Finds the movements and the chains of one computation.
class Movements {
 public:
  Movements(const Computation& computation, const Count& runs, CopiesReport& report)
      : computation_(computation), runs_(runs), report_(report) {}

  void find() {
    for (const auto& op : computation_.instructions) {
      for (const Operand& operand : op->operands) ++users_[operand.instruction];
      if (op->opcode == Opcode::bitcast || !is_movement(*op)) continue;
      Movement movement{.instruction = op.get(), .runs = runs_, .answer = answer_of(*op)};
      if (movement.answer.verdict == Verdict::no) {
        movement.kernels = kernels_of(*op);
        moving_.emplace(op.get(), movement.traffic());
      }
      add(std::move(movement));
    }
    for (auto op = computation_.instructions.rbegin(); op != computation_.instructions.rend(); ++op) {
      if (moving_.contains(op->get()) && !in_chain_.contains(op->get())) add_chain(**op);
    }
  }

 private:
  void add(Movement movement) {
    const Opcode opcode = movement.instruction->opcode;
    report_.traffic = detail::saturating_add(report_.traffic, movement.traffic());
    report_.unknown += movement.answer.verdict == Verdict::undecided ? 1 : 0;
    if (movement.answer.verdict == Verdict::yes &&
        (opcode == Opcode::reshape || opcode == Opcode::bitcast_convert)) {
      ++report_.free;
    } else {
      report_.movements.push_back(std::move(movement));
    }
  }

  // Adds the chain that ends at `last` and saves the most traffic, if there is one. Intermediate results with
  // other users are allowed only if the chain as a whole moves nothing.
  void add_chain(const Instruction& last) {
    std::vector<const Instruction*> chain{&last};
    IndexingSet maps = maps_of(last);
    MovementChain best;
    bool shared = false;
    Index traffic = moving_.at(&last);
    while (chain.size() < kLongestChain && keeps_elements(*chain.back()) && maps.size() == 1) {
      const Instruction* before = chain.back()->operands[0].instruction;
      if (before == nullptr || chain.back()->operands[0].tuple_index >= 0 || !is_movement(*before) ||
          !keeps_elements(*before))
        break;
      const IndexingSet more = maps_of(*before);
      if (more.size() != 1) break;
      maps = {compose(maps[0], more[0])};
      shared = shared || users_.at(before) > 1 || before->is_root;
      chain.push_back(before);
      const auto moved = moving_.find(before);
      if (moved == moving_.end()) continue;
      traffic = detail::saturating_add(traffic, moved->second);
      BitcastAnswer answer =
          detail::movement_answer(maps, before->operand_type(0).array(), last.type.array());
      if (answer.verdict == Verdict::undecided || (shared && answer.verdict == Verdict::no)) continue;
      // Other users still need the intermediate results, so a shared chain saves only its last movement.
      const Index own = moving_.at(&last);
      const bool cancels = answer.verdict == Verdict::yes;
      const Index saving = cancels ? (shared ? own : traffic) : traffic - own;
      if (saving < best.saving) continue;
      best = {.instructions = {chain.rbegin(), chain.rend()},
              .runs = runs_,
              .answer = std::move(answer),
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
  CopiesReport& report_;
  std::unordered_map<const Instruction*, Index> users_;
  std::unordered_map<const Instruction*, Index> moving_;  // with their traffic
  std::unordered_set<const Instruction*> in_chain_;
};

}  // namespace

CopiesReport copies_report(const HloModule& module, const Computation* start) {
  CopiesReport out;
  if (start == nullptr) start = module.entry;
  if (start == nullptr) return out;
  for (const auto& [computation, runs] : executed_computations(*start)) {
    if (runs.upper != Index{0}) Movements(*computation, runs, out).find();
  }
  std::ranges::stable_sort(out.movements, std::ranges::greater{}, &Movement::traffic);
  std::ranges::stable_sort(out.chains, std::ranges::greater{}, &MovementChain::saving);
  return out;
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
