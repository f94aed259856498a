// SPDX-License-Identifier: Apache-2.0
#include "hlo/shares/code_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "hlo/analysis/traffic.h"
#include "hlo/check/started.h"
#include "hlo/limits.h"
#include "hlo/operations/op_work.h"
#include "hlo/shares/step_parts.h"
#include "map/image/image_union.h"

namespace tessera::detail {
namespace {

using ShareName = std::vector<std::string>;  // one text; of a scope, its parts

Index upper_bound_of(const Count& count) { return count.upper.value_or(count.lower); }

// An instruction of a step, and what it moves and computes in all runs.
struct DividedPart {
  const Instruction* instruction = nullptr;
  Count moved = {0, 0};
  Count minimum = {0, 0};
  Work work = {};
  double seconds = 0;
};

struct DividedStep {
  const Instruction* step = nullptr;
  std::vector<DividedPart> parts;
};

double amount(const Count& count) { return static_cast<double>(upper_bound_of(count)); }

// Divides all steps of a program.
class Division {
 public:
  Division(const HloModule& module, const Computation& start, const ProgramTime* time)
      : divider_(module, start) {
    if (time == nullptr) return;
    for (const StepTime& step : time->steps) times_.emplace(step.instruction, &step);
  }

  void add_traffic(const StepTraffic& step) {
    DividedStep& out = steps_.emplace_back(DividedStep{step.instruction, {}});
    const StepTime* const time = time_of(*step.instruction);
    double whole = 0;
    for (const StepPart& part : divider_.divide(step)) {
      out.parts.push_back({.instruction = part.instruction,
                           .moved = product_of(count_in_total(part.moved, step), step.runs),
                           .minimum = product_of(count_in_total(part.minimum, step), step.runs)});
      whole += amount(out.parts.back().minimum);
    }
    if (time == nullptr || time->limit == Limit::compute || whole == 0) return;
    for (DividedPart& part : out.parts) part.seconds = time->total.finite() * amount(part.minimum) / whole;
  }

  // The instructions of a fusion count where they are.
  void add_work(const StepWork& step) {
    const Instruction& op = *step.instruction;
    DividedStep& out = steps_.emplace_back(DividedStep{&op, {}});
    const Computation* const inside = fused_in(op);
    const auto add = [&](const FusedWork& x) {
      out.parts.push_back({.instruction = x.instruction,
                           .work = counter_.of(*x.instruction).times(product_of(x.runs, step.runs))});
    };
    if (inside == nullptr) {
      add({&op, {1, 1}});
    } else {
      for (const FusedWork& x : fused_work(*inside, 0)) add(x);
    }
    const StepTime* const time = time_of(op);
    double whole = 0;
    for (const DividedPart& part : out.parts) whole += amount(part.work.operations());
    if (time == nullptr || time->limit != Limit::compute || whole == 0) return;
    for (DividedPart& part : out.parts)
      part.seconds = time->total.finite() * amount(part.work.operations()) / whole;
  }

  const std::vector<DividedStep>& steps() const { return steps_; }

 private:
  // An instruction, and how often one run of a fusion computes it.
  struct FusedWork {
    const Instruction* instruction = nullptr;
    Count runs = {1, 1};
  };

  const StepTime* time_of(const Instruction& step) const {
    const auto found = times_.find(&step);
    return found == times_.end() ? nullptr : found->second;
  }

  static const Computation* fused_in(const Instruction& op) {
    return op.opcode == Opcode::fusion && op.sound && !op.called.empty() ? op.called.front() : nullptr;
  }

  // The instructions with operations of a fused computation and of the fusions inside it, each once: fusions
  // that share computations run some of them exponentially often.
  const std::vector<FusedWork>& fused_work(const Computation& computation, int depth) {
    if (const auto found = fused_.find(&computation); found != fused_.end()) return found->second;
    std::vector<FusedWork> out;
    std::unordered_map<const Instruction*, std::size_t> places;
    const auto add = [&](const FusedWork& x) {
      const auto [found, is_new] = places.try_emplace(x.instruction, out.size());
      if (is_new) return out.push_back(x);
      out[found->second].runs = sum(out[found->second].runs, x.runs);
    };
    for (const auto& op : computation.instructions) {
      const Computation* const inside = depth < kHloLimits.shares.fusions ? fused_in(*op) : nullptr;
      if (inside == nullptr) {
        if (!counter_.of(*op).none()) add({op.get(), {1, 1}});
        continue;
      }
      for (const FusedWork& x : fused_work(*inside, depth + 1)) add(x);
    }
    return fused_.emplace(&computation, std::move(out)).first->second;
  }

  StepDivider divider_;
  OperationCounter counter_;
  std::unordered_map<const Instruction*, const StepTime*> times_;
  std::unordered_map<const Computation*, std::vector<FusedWork>> fused_;
  std::vector<DividedStep> steps_;
};

class Sharing {
 public:
  Sharing(ShareKey key, ModuleCode& code) : key_(key), code_(code) {}

  void add(const DividedStep& step) {
    for (const DividedPart& part : step.parts) {
      CodeShare& share = share_of(*part.instruction, *step.step);
      share.moved = sum(share.moved, part.moved);
      share.minimum = sum(share.minimum, part.minimum);
      share.work.add(part.work);
      share.seconds += part.seconds;
      count_step(share, *step.step);
      const Index bytes = upper_bound_of(part.minimum);
      if (!part.work.none() || bytes <= share.example_bytes) continue;
      share.example_bytes = bytes;
      share.example = fmt::format("{}/{}", step.step->parent->name, step.step->name);
      share.example_step = step.step;
    }
  }

  std::map<ShareName, CodeShare> finish() && { return std::move(shares_); }
  std::size_t steps() const { return all_steps_.size(); }
  std::map<ShareName, std::set<const Instruction*>>& steps_of() { return steps_; }

 private:
  void count_step(CodeShare& share, const Instruction& step) {
    steps_[*last_name_].insert(&step);
    all_steps_.insert(&step);
    share.steps = steps_[*last_name_].size();
  }

  bool known(const Instruction& op) {
    return key_ == ShareKey::source ? code_.line(op).known() : !code_.scope(op).empty();
  }

  CodeShare& share_of(const Instruction& op, const Instruction& step) {
    ShareName name;
    const Instruction& named = key_ == ShareKey::opcode || known(op) ? op : step;
    switch (key_) {
      case ShareKey::source:
        name = {code_.line(named).text()};
        break;
      case ShareKey::scope:
        for (const std::string_view part : scope_parts(code_.scope(named))) {
          if (name.size() < kHloLimits.shares.scopes) name.emplace_back(part);
        }
        break;
      case ShareKey::opcode:
        name = {std::string(named.opcode_text)};
        break;
    }
    if (name.empty()) name = {""};
    const auto [found, is_new] = shares_.try_emplace(std::move(name));
    last_name_ = &found->first;
    CodeShare& out = found->second;
    if (is_new) {
      if (key_ == ShareKey::source) out.line = code_.line(named);
      out.name = key_ == ShareKey::source ? out.line.text() : found->first.back();
    }
    return out;
  }

  ShareKey key_;
  ModuleCode& code_;
  std::map<ShareName, CodeShare> shares_;
  std::map<ShareName, std::set<const Instruction*>> steps_;
  std::set<const Instruction*> all_steps_;
  const ShareName* last_name_ = nullptr;
};

bool moves_more(const CodeShare& a, const CodeShare& b) {
  const Index left = upper_bound_of(a.minimum);
  const Index right = upper_bound_of(b.minimum);
  if (left != right) return left > right;
  return upper_bound_of(a.work.operations()) > upper_bound_of(b.work.operations());
}

struct ScopeNode {
  CodeShare share;
  std::set<const Instruction*> steps;
  std::map<std::string, ScopeNode> inner;
};

void add_to(ScopeNode& node, const CodeShare& share, const std::set<const Instruction*>& steps) {
  CodeShare& own = node.share;
  own.moved = sum(own.moved, share.moved);
  own.minimum = sum(own.minimum, share.minimum);
  own.work.add(share.work);
  own.seconds += share.seconds;
  node.steps.insert(steps.begin(), steps.end());
  own.steps = node.steps.size();
  if (share.example_bytes <= own.example_bytes) return;
  own.example_bytes = share.example_bytes;
  own.example = share.example;
  own.example_step = share.example_step;
}

// A scope with one inner scope that has all it has is one line with it.
void walk_scopes(ScopeNode& node, std::uint32_t depth, std::vector<CodeShare>& out) {
  std::vector<ScopeNode*> order;
  for (auto& [name, inner] : node.inner) {
    inner.share.name = name;
    order.push_back(&inner);
  }
  std::ranges::stable_sort(
      order, [](const ScopeNode* a, const ScopeNode* b) { return moves_more(a->share, b->share); });
  for (ScopeNode* inner : order) {
    ScopeNode* last = inner;
    std::string name = inner->share.name;
    while (last->inner.size() == 1) {
      auto& [next_name, next] = *last->inner.begin();
      if (next.steps != last->steps || next.share.moved != last->share.moved ||
          next.share.minimum != last->share.minimum ||
          next.share.work.counts() != last->share.work.counts() ||
          next.share.work.unknown() != last->share.work.unknown())
        break;
      name += "/" + next_name;
      last = &next;
    }
    last->share.name = std::move(name);
    last->share.depth = depth;
    out.push_back(last->share);
    walk_scopes(*last, depth + 1, out);
  }
}

CodeShares shares_of(const Division& division, ShareKey key, ModuleCode& code) {
  CodeShares out{.key = key, .shares = {}};
  Sharing sharing(key, code);
  for (const DividedStep& step : division.steps()) sharing.add(step);
  out.steps = sharing.steps();
  const auto steps = std::move(sharing.steps_of());
  std::map<ShareName, CodeShare> shares = std::move(sharing).finish();
  if (key != ShareKey::scope) {
    for (auto& [name, share] : shares) out.shares.push_back(std::move(share));
    std::ranges::stable_sort(out.shares, moves_more);
    return out;
  }
  ScopeNode root;
  for (const auto& [name, share] : shares) {
    ScopeNode* node = &root;
    for (const std::string& part : name) {
      node = &node->inner[part];
      add_to(*node, share, steps.at(name));
    }
  }
  walk_scopes(root, 0, out.shares);
  return out;
}

}  // namespace

std::vector<CodeShares> code_shares(const HloModule& module, const ProgramTraffic& traffic,
                                    const Computation* start, std::span<const ShareKey> keys,
                                    ModuleCode& code, const ShareCosts& costs) {
  std::vector<CodeShares> out;
  if (start == nullptr) start = module.entry;
  if (start == nullptr) {
    for (const ShareKey key : keys) out.push_back({.key = key, .shares = {}});
    return out;
  }
  const ProgramWork counted = costs.work == nullptr ? program_work(module, start) : ProgramWork();
  const ProgramWork& work = costs.work == nullptr ? counted : *costs.work;
  Division division(module, *start, costs.time);
  for (const StepTraffic& step : traffic.steps) division.add_traffic(step);
  for (const StepWork& step : work.steps) division.add_work(step);
  for (const ShareKey key : keys) {
    CodeShares& one = out.emplace_back(shares_of(division, key, code));
    one.moved = traffic.moved;
    one.minimum = traffic.minimum;
    one.work = work.total;
  }
  return out;
}

CodeShares code_shares(const HloModule& module, const ProgramTraffic& traffic, const Computation* start,
                       ShareKey key, ModuleCode& code, const ShareCosts& costs) {
  return code_shares(module, traffic, start, std::span(&key, 1), code, costs).front();
}

}  // namespace tessera::detail
