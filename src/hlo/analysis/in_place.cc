// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/in_place.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/read_counts.h"
#include "hlo/analysis/step_reads.h"
#include "hlo/limits.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "map/image/image_union.h"
#include "tessera/hlo/walk.h"

namespace tessera::detail {
namespace {

/// Of a result that its caller does not get as it is.
constexpr std::uint32_t kNoLeaf = ~std::uint32_t{0};

Index elements_of(const HloType& type) { return type.array().element_count().value_or(kIndexMax); }

// The elements that the windows of a scatter reach, if the program determines them.
std::optional<Index> scattered_elements(const Instruction& scatter, std::uint32_t result,
                                        std::uint32_t updates) {
  const auto reached = input_to_output(scatter, {.output = result, .operand = updates});
  if (!reached) return std::nullopt;
  std::vector<IndexMap> maps;
  for (const Indexing& x : *reached) {
    if (x.exactness == Exactness::unknown || x.map.runtime_count() > 0) return std::nullopt;
    maps.push_back(x.map);
  }
  const Count count = count_image_union(maps, quick_limits());
  return count.exact() ? std::optional(count.lower) : std::nullopt;
}

std::string name_of(const ProgramArray& array) { return std::string(array.instruction->name); }

}  // namespace

InPlace::InPlace(const HloModule& module, const Computation& start, ArrayOrigins& origins)
    : module_(module), start_(start), origins_(origins), donations_(donations(module, origins.leaves())) {
  for (const Attribute& attribute : module.attributes)
    scheduled_ = scheduled_ || (attribute.key == "is_scheduled" && attribute.value == "true");
}

const InPlace::Uses& InPlace::uses_of(const Computation& computation) {
  const auto [found, is_new] = uses_.try_emplace(&computation);
  Uses& out = found->second;
  if (!is_new) return out;
  Leaves& leaves = origins_.leaves();
  for (const auto& op : computation.instructions) {
    const bool is_name =
        op->opcode == Opcode::tuple || origins_.of({op.get(), 0}).array.instruction != op.get();
    if (is_name && op->opcode != Opcode::call && op->opcode != Opcode::while_) continue;
    for (std::uint32_t j = 0; j < op->operands.size(); ++j) {
      if (op->operands[j].instruction == nullptr) continue;
      const std::uint32_t count = leaves.count(op->operands[j]);
      for (std::uint32_t leaf = 0; leaf < count; ++leaf)
        out.users[origins_.of(op->operands[j], leaf).array].push_back({op.get(), j});
    }
  }
  if (computation.root == nullptr) return out;
  const std::uint32_t count = leaves.count(computation.root->type);
  for (std::uint32_t leaf = 0; leaf < count; ++leaf)
    out.results[origins_.of({computation.root, leaf}).array].push_back(leaf);
  return out;
}

std::vector<ArrayUpdate> InPlace::candidates(const Instruction& step) {
  const auto bytes = [&](std::size_t operand) {
    return operand < step.operands.size() ? array_bytes(step.operand_type(operand)) : std::nullopt;
  };
  if (!step.sound) return {};
  if (step.opcode == Opcode::dynamic_update_slice) {
    const auto updated = bytes(1);
    if (!updated) return {};
    return {{.updated = {*updated, *updated}, .elements = elements_of(step.operand_type(1))}};
  }
  if (step.opcode == Opcode::scatter && step.operands.size() % 2 == 1) {
    std::vector<ArrayUpdate> out;
    const auto arrays = static_cast<std::uint32_t>(step.operands.size() / 2);
    for (std::uint32_t k = 0; k < arrays; ++k) {
      const auto whole = bytes(k);
      const auto updated = bytes(arrays + 1 + k);
      if (!whole || !updated) return {};
      if (const auto known = scattered_elements(step, k, arrays + 1 + k)) {
        const Count all = bytes_of({*known, *known}, element_bits(step.operand_type(k).array()));
        out.push_back({.result = k, .operand = k, .updated = all, .elements = *known, .scattered = true});
        continue;
      }
      out.push_back({.result = k,
                     .operand = k,
                     .updated = {0, std::min(*whole, *updated),
                                 "which elements a scatter updates is known only at run time"},
                     .elements = elements_of(step.operand_type(arrays + 1 + k)),
                     .scattered = true});
    }
    return out;
  }
  return step.opcode == Opcode::fusion && step.called.size() == 1 ? fused_candidates(step)
                                                                  : std::vector<ArrayUpdate>();
}

std::vector<ArrayUpdate> InPlace::fused_candidates(const Instruction& fusion) {
  const Computation& fused = *fusion.called[0];
  std::vector<ArrayUpdate> out;
  if (fused.root == nullptr) return out;
  const Uses& uses = uses_of(fused);
  for (const auto& [array, results] : uses.results) {
    const Instruction& op = *array.instruction;
    if (op.opcode != Opcode::dynamic_update_slice || !op.sound || op.parent != &fused) continue;
    const auto updated = array_bytes(op.operand_type(1));
    const ProgramArray target = origins_.of(op.operands[0], 0).array;
    const Instruction& parameter = *target.instruction;
    if (!updated || parameter.opcode != Opcode::parameter || parameter.parent != &fused ||
        parameter.parameter_number < 0 ||
        std::cmp_greater_equal(parameter.parameter_number, fusion.operands.size()))
      continue;
    ArrayUpdate one{.result = results[0],
                    .operand = static_cast<std::uint32_t>(parameter.parameter_number),
                    .leaf = target.leaf,
                    .updated = {*updated, *updated},
                    .elements = elements_of(op.operand_type(1)),
                    .in_place = Verdict::yes};
    const bool read_inside = uses.users.contains(array) || uses.users.at(target).size() > 1 ||
                             uses.results.contains(target) || results.size() > 1;
    one.alone = !read_inside;
    if (read_inside) {
      one.in_place = Verdict::undecided;
      one.reason = fmt::format("the fusion uses {} in other places, too", name_of(target));
    }
    out.push_back(std::move(one));
  }
  std::ranges::sort(out, {}, &ArrayUpdate::result);
  return out;
}

// Whether the program itself says that the result takes the memory of the operand.
bool InPlace::is_said_to_alias(const Instruction& step, const ArrayUpdate& update) {
  if (step.opcode != Opcode::fusion || !update.alone || step.operands[update.operand].type().is_tuple())
    return false;
  const auto fusion = value_of<FusionOp>(step);
  return fusion != nullptr && std::ranges::any_of(fusion->aliases, [&](const OutputAlias& x) {
           if (x.operand != update.operand || !x.operand_part.empty()) return false;
           // {} names an array, {i} element i of a tuple. A program may name what does not exist.
           if (!step.type.is_tuple()) return x.output.empty();
           return x.output.size() == 1 && x.output[0] >= 0 &&
                  std::cmp_less(x.output[0], step.type.elements().size()) &&
                  origins_.leaves().offsets(step.type)[static_cast<std::size_t>(x.output[0])] ==
                      update.result;
         });
}

std::vector<ArrayUpdate> InPlace::updates(const Instruction& step) {
  budget_ = kHloLimits.analysis.in_place_decisions;
  std::vector<ArrayUpdate> out = candidates(step);
  for (ArrayUpdate& one : out) {
    if (is_said_to_alias(step, one)) {
      one.in_place = Verdict::yes;
      one.reason.clear();
      continue;
    }
    const ProgramArray over = origins_.of(step.operands[one.operand], one.leaf).array;
    const Decision decision = decide({&step, over, {&step, one.result}}, 0);
    // Proved not to be in place, whatever the fusion does.
    if (decision.verdict == Verdict::no || one.reason.empty()) {
      one.in_place = decision.verdict;
      one.reason = decision.reason;
    }
    if (one.in_place == Verdict::undecided) one.reason = "perhaps in place: " + one.reason;
  }
  return out;
}

// Whether the user may write its result over the operand.
bool InPlace::may_write(const Use& use) {
  return std::ranges::any_of(candidates(*use.user),
                             [&](const ArrayUpdate& one) { return one.operand == use.operand; });
}

// For each instruction from the step to `last`: whether it needs the step's result, directly or not.
std::vector<bool> InPlace::needing(const Instruction& step, std::uint32_t last) {
  std::vector<bool> out(last - step.index + 1, false);
  out[0] = true;
  for (std::uint32_t i = step.index + 1; i <= last; ++i) {
    for (const Operand& operand : step.parent->instructions[i]->operands) {
      if (operand.instruction == nullptr || operand.instruction->index < step.index) continue;
      if (out[operand.instruction->index - step.index]) out[i - step.index] = true;
    }
  }
  return out;
}

// For each instruction from `first` to the step: whether the step needs its result, directly or not.
std::vector<bool> InPlace::needed_by(const Instruction& step, std::uint32_t first) {
  std::vector<bool> out(step.index - first + 1, false);
  out.back() = true;
  for (std::uint32_t i = step.index + 1; i-- > first;) {
    if (!out[i - first]) continue;
    for (const Operand& operand : step.parent->instructions[i]->operands) {
      if (operand.instruction == nullptr || operand.instruction->index < first) continue;
      if (operand.instruction->index < i) out[operand.instruction->index - first] = true;
    }
  }
  return out;
}

InPlace::Decision InPlace::decide(const Overwriting& x, int depth) {
  if (depth > kHloLimits.analysis.in_place_depth || budget_-- <= 0)
    return {Verdict::undecided, "too many steps lead to it"};
  const Computation& here = *x.step->parent;
  const Instruction& made = *x.over.instruction;
  const std::string name = name_of(x.over);
  const Uses& uses = uses_of(here);
  if (uses.results.contains(x.over)) return {Verdict::no, name + " is returned as well"};
  Decision out;
  std::size_t own = 0;
  std::uint32_t first = x.step->index;
  std::uint32_t last = x.step->index;
  const auto users = uses.users.find(x.over);
  if (users == uses.users.end()) return {Verdict::undecided, "it is used under another name"};
  for (const Use& use : users->second) {
    own += use.user == x.step ? 1 : 0;
    first = std::min(first, use.user->index);
    last = std::max(last, use.user->index);
  }
  // Without a schedule, of two steps that may write over the array only one does, in whatever order they are
  // in the text.
  if (!scheduled_ && first < x.step->index) {
    const std::vector<bool> before = needed_by(*x.step, first);
    for (const Use& use : users->second) {
      if (use.user->index >= x.step->index || before[use.user->index - first] || !may_write(use)) continue;
      out = {Verdict::undecided, fmt::format("{} may write over {} as well", use.user->name, name)};
      break;
    }
  }
  if (last > x.step->index) {
    const std::vector<bool> after = scheduled_ ? std::vector<bool>() : needing(*x.step, last);
    for (const Use& use : users->second) {
      if (use.user->index <= x.step->index) continue;
      if (scheduled_ || after[use.user->index - x.step->index])
        return {Verdict::no, fmt::format("{} reads {} later", use.user->name, name)};
      out = {Verdict::undecided, fmt::format("{} reads {}, too, before or after", use.user->name, name)};
    }
  }
  if (made.opcode == Opcode::constant) return {Verdict::no, name + " is a constant"};
  Decision owned;
  if (made.opcode == Opcode::parameter) owned = of_parameter(x, depth);
  if (owned.verdict != Verdict::yes && (owned.verdict == Verdict::no || out.verdict == Verdict::yes))
    out = owned;
  if (out.verdict == Verdict::yes && own > 1)
    out = {Verdict::undecided, fmt::format("{} reads {} more than once", x.step->name, name)};
  return out;
}

InPlace::Decision InPlace::of_parameter(const Overwriting& x, int depth) {
  const Computation& here = *x.step->parent;
  if (&here == module_.entry) return of_donation(x, depth);
  const auto& sites = origins_.callers(here);
  if (&here == &start_ || sites.empty())
    return {Verdict::undecided,
            fmt::format("what {} is depends on the caller of {}", name_of(x.over), here.name)};
  std::optional<Decision> all;
  for (const ComputationCaller& site : sites) {
    Decision one = of_call(x, site, depth);
    if (all && all->verdict != one.verdict)
      one = {Verdict::undecided, fmt::format("the calls of {} differ", here.name)};
    all = std::move(one);
  }
  return *all;
}

InPlace::Decision InPlace::of_call(const Overwriting& x, const ComputationCaller& site, int depth) {
  const Instruction& caller = *site.caller;
  const std::size_t operand =
      site.first_operand + static_cast<std::size_t>(x.over.instruction->parameter_number);
  if (!caller.sound || operand >= caller.operands.size() ||
      x.over.leaf >= origins_.leaves().count(caller.operands[operand]))
    return {Verdict::undecided, fmt::format("{} has an error", caller.name)};
  const Uses& uses = uses_of(*x.step->parent);
  const auto returned = uses.results.find(x.result);
  const bool once = returned != uses.results.end() && returned->second.size() == 1;
  const bool loop = caller.opcode == Opcode::while_;
  if (loop) {
    if (called_by(caller, "body") != x.step->parent)
      return {Verdict::no,
              fmt::format("the loop {} needs {} after its condition", caller.name, name_of(x.over))};
    if (!once || returned->second[0] != x.over.leaf)
      return {Verdict::undecided, fmt::format("the loop {} does not return the result in the place of {}",
                                              caller.name, name_of(x.over))};
  }
  const ProgramArray passed = origins_.of(caller.operands[operand], x.over.leaf).array;
  Decision out = decide({&caller, passed, {&caller, once ? returned->second[0] : kNoLeaf}}, depth + 1);
  if (loop && out.verdict != Verdict::yes)
    return {Verdict::undecided,
            fmt::format("the first iteration of {} may write a copy: {}", caller.name, out.reason)};
  return out;
}

InPlace::Decision InPlace::of_donation(const Overwriting& x, int depth) {
  const Instruction& parameter = *x.over.instruction;
  const std::string name = name_of(x.over);
  std::string donated;  // why the donation does not do
  for (const Donation& donation : donations_) {
    if (donation.parameter != parameter.parameter_number || donation.leaf != x.over.leaf) continue;
    donated = fmt::format("{} is donated to another result", name);
    const Uses& uses = uses_of(*x.step->parent);
    const auto returned = uses.results.find(x.result);
    if (donation.result && returned != uses.results.end() &&
        std::ranges::find(returned->second, *donation.result) != returned->second.end())
      donated = fmt::format("{} is donated to one of several results that are this value", name);
    const std::uint32_t results = origins_.leaves().count(parameter.parent->root->type);
    for (std::uint32_t leaf = 0; leaf < results; ++leaf) {
      if ((!donation.result || *donation.result == leaf) && becomes_result(x.result, leaf, depth)) return {};
    }
  }
  if (!donated.empty()) return {Verdict::undecided, donated};
  if (module_.name.empty())
    return {Verdict::undecided, fmt::format("whether the caller donates {} is not known", name)};
  return {Verdict::no, fmt::format("the caller keeps {}", name)};
}

// Whether the array, or what is written over it later, is this leaf of the result of its computation.
bool InPlace::becomes_result(ProgramArray array, std::uint32_t result, int depth) {
  if (depth > kHloLimits.analysis.in_place_depth || budget_-- <= 0 || array.leaf == kNoLeaf) return false;
  const Uses& uses = uses_of(*array.instruction->parent);
  if (const auto found = uses.results.find(array); found != uses.results.end())
    return found->second.size() == 1 && found->second[0] == result;
  const auto users = uses.users.find(array);
  if (users == uses.users.end()) return false;
  for (const Use& use : users->second) {
    const Instruction& user = *use.user;
    if (user.opcode == Opcode::while_) {
      for (std::uint32_t leaf = 0; leaf < origins_.leaves().count(user.type); ++leaf) {
        if (origins_.of(user.operands[use.operand], leaf).array == array &&
            becomes_result(origins_.of({&user, leaf}).array, result, depth + 1))
          return true;
      }
      continue;
    }
    for (const ArrayUpdate& one : candidates(user)) {
      if (one.operand == use.operand && becomes_result({&user, one.result}, result, depth + 1) &&
          decide({&user, array, {&user, one.result}}, depth + 1).verdict == Verdict::yes)
        return true;
    }
  }
  return false;
}

}  // namespace tessera::detail
