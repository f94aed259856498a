// SPDX-License-Identifier: Apache-2.0
// One instruction backward: the arrays of its operands that an output reads, with the maps.
#include "hlo/walk/steps.h"

#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/started.h"
#include "hlo/indexing/indexing_set.h"
#include "hlo/indexing/normalize.h"
#include "hlo/limits.h"
#include "hlo/ops/apply_rule.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/walk/program_indexing.h"

namespace tessera {

using detail::NumberRange;
using detail::OperandStep;

namespace detail {

std::optional<std::span<const Index>> extents(const HloType& leaf) {
  if (leaf.kind() == HloType::Kind::buffer) return extents(leaf.elements()[0]);
  const auto dims = leaf.dims();
  if (std::ranges::any_of(dims, [](Index d) { return d < 0; })) return std::nullopt;
  return dims;
}

bool same_extents(const HloType& a, const HloType& b) {
  const auto of_a = extents(a);
  const auto of_b = extents(b);
  return of_a && of_b ? std::ranges::equal(*of_a, *of_b) : of_a.has_value() == of_b.has_value();
}

// The rank of an array, or of the contents of a buffer.
static std::size_t rank(const HloType& leaf) {
  return leaf.kind() == HloType::Kind::buffer ? rank(leaf.elements()[0]) : leaf.rank();
}

Domain start_domain(const HloType& leaf) {
  const auto dims = extents(leaf);
  return dims ? Domain::box(*dims) : Domain();
}

Indexing identity_indexing(const HloType& leaf) {
  const auto dims = extents(leaf);
  if (!dims) return Indexing::unknown("a dimension without a bound");
  return Indexing{.map = IndexMap::identity(*dims)};
}

Indexing handed_on(const HloType& from, const HloType& to) {
  const auto dims = extents(from);
  const auto given = extents(to);
  if ((dims && given && !std::ranges::equal(*dims, *given)) || rank(from) != rank(to))
    return Indexing::unknown("the shapes do not fit together");
  return identity_indexing(from);
}

bool is_identity(const Indexing& x, const HloType& leaf) {
  const IndexMap& map = x.map;
  if (x.exactness == Exactness::unknown || !x.runtime.empty() || !x.replica.empty() ||
      map.domain().symbol_count() != 0 || !map.constraints().empty() || map.known_empty()) {
    return false;
  }
  const auto dims = extents(leaf);
  if (!dims || dims->size() != map.dim_count() || dims->size() != map.results().size()) return false;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const Expr result = map.results()[i];
    const bool same = (result.is_variable() && result.value() == static_cast<Index>(i)) ||
                      ((*dims)[i] == 1 && result.is_constant(0));  // d0 in [0, 0], simplified
    if (!same || !(map.variables()[i].bounds == Interval{0, (*dims)[i] - 1})) return false;
  }
  return true;
}

bool is_full_identity(const IndexingSet& maps, const HloType& leaf) {
  return maps.size() == 1 && maps[0].exactness == Exactness::exact && is_identity(maps[0], leaf);
}

}  // namespace detail

namespace {

/// Puts the name of the instruction before each reason.
void name_reasons(IndexingSet& maps, const Instruction& instruction) {
  for (Indexing& x : maps) {
    if (x.exactness == Exactness::exact) continue;
    x.reason = fmt::format("{} {}: {}", instruction.opcode_text, instruction.name, x.reason);
  }
}

}  // namespace

std::optional<detail::ForwardedLeaf> ProgramIndexing::Impl::forwarded(const Instruction& instruction,
                                                                      std::uint32_t leaf) {
  const auto array = detail::forwarded(instruction, leaf, leaves);
  if (!array || array->leaf >= leaves.count(instruction.operands[array->operand])) return std::nullopt;
  return array;
}

OperandStep ProgramIndexing::Impl::step_to(const Instruction& instruction, std::size_t operand,
                                           std::uint32_t leaf) {
  const Operand& place = instruction.operands[operand];
  return {.value = {place.instruction, leaves.first(place) + leaf},
          .operand = static_cast<std::uint32_t>(operand),
          .leaf = leaf,
          .maps = {}};
}

OperandStep ProgramIndexing::Impl::identity_step(const Instruction& instruction, std::size_t operand,
                                                 std::uint32_t leaf, std::uint32_t output) {
  OperandStep step = step_to(instruction, operand, leaf);
  step.maps.push_back(detail::handed_on(leaves.type(instruction.operand_type(operand), leaf),
                                        leaves.type(instruction.type, output)));
  step.identity = step.maps[0].exactness == Exactness::exact;
  return step;
}

std::vector<OperandStep> ProgramIndexing::Impl::unknown_steps(const Instruction& instruction,
                                                              const std::string& reason) {
  std::vector<OperandStep> out;
  for (std::size_t j = 0; j < instruction.operands.size(); ++j) {
    const std::uint32_t count = leaves.count(instruction.operands[j]);
    for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
      out.push_back(step_to(instruction, j, leaf));
      out.back().maps.push_back(Indexing::unknown(reason));
    }
  }
  return out;
}

std::vector<OperandStep> ProgramIndexing::Impl::steps(const Instruction& instruction, std::uint32_t leaf) {
  if (!instruction.sound) return unknown_steps(instruction, "the instruction has an error");
  if (leaves.type(instruction.type, leaf).is_token() && instruction.opcode != Opcode::outfeed) return {};
  if (only_forwards(instruction.opcode)) {
    const auto array = forwarded(instruction, leaf);
    if (!array) return late_steps(instruction, leaf);
    std::vector<OperandStep> out;
    out.push_back(identity_step(instruction, array->operand, array->leaf, leaf));
    return out;
  }
  const OpcodeTrait trait = trait_of(instruction.opcode);
  if (trait == OpcodeTrait::branches) return conditional_steps(instruction, leaf);
  if (trait == OpcodeTrait::loops) return while_steps(instruction, leaf);
  if (trait == OpcodeTrait::starts) return start_steps(instruction, leaf);
  if (trait != OpcodeTrait::calls) return plain_steps(instruction, leaf);
  if (instruction.called.empty()) return unknown_steps(instruction, "no computation is called");
  return called_steps(instruction, *instruction.called[0], leaf, 0);
}

std::vector<OperandStep> ProgramIndexing::Impl::start_steps(const Instruction& start, std::uint32_t leaf) {
  const std::uint32_t element = leaves.element(start.type, leaf);
  const auto starts = leaves.offsets(start.type);
  if (element == 0 && start.type.is_tuple()) {
    // Element 0 of the result is the tuple of the operands.
    std::uint32_t before = 0;
    for (std::size_t j = 0; j < start.operands.size(); ++j) {
      const std::uint32_t count = leaves.count(start.operands[j]);
      if (leaf < before + count) {
        std::vector<OperandStep> out;
        out.push_back(identity_step(start, j, leaf - before, leaf));
        return out;
      }
      before += count;
    }
    return {};
  }
  if (element > 1) return {};
  if (const Computation* const run = detail::started_computation(start))
    return bound_steps(start, *run, leaf, leaf - starts[element]);
  if (const Instruction* const op = started(start)) return steps(*op, leaf - starts[element]);
  return unknown_steps(start, "no computation is called");
}

std::vector<OperandStep> ProgramIndexing::Impl::plain_steps(const Instruction& instruction,
                                                            std::uint32_t leaf) {
  std::vector<OperandStep> out;
  detail::OpFacts& facts = facts_of(instruction);
  const NumberRange read = facts.operands_read(leaf);
  out.reserve(read.last - read.first);
  for (std::size_t j = read.first; j < read.last; ++j) {
    IndexingSet maps = detail::output_to_input(facts, {.output = leaf, .operand = j});
    if (maps.empty()) continue;
    const HloType& operand = instruction.operand_type(j);
    const auto add = [&](std::uint32_t at, IndexingSet set) {
      OperandStep step = step_to(instruction, j, at);
      step.maps = std::move(set);
      step.identity = detail::is_full_identity(step.maps, leaves.type(instruction.type, leaf));
      out.push_back(std::move(step));
    };
    if (!operand.is_tuple()) {
      add(0, std::move(maps));
      continue;
    }
    // The maps of a tuple operand name the element that they read; an unknown map may mean any element.
    NumberRange elements{0, leaves.count(instruction.operands[j])};
    if (maps.size() == 1 && maps[0].leaf != -1) {
      const auto only = static_cast<std::size_t>(maps[0].leaf);
      elements = {only, std::min(only + 1, elements.last)};
    }
    for (std::size_t at = elements.first; at < elements.last; ++at) {
      IndexingSet set;
      for (const Indexing& x : maps) {
        if (x.leaf != static_cast<std::int32_t>(at) && x.leaf != -1) continue;
        set.push_back(x);
        set.back().leaf = -1;
      }
      if (!set.empty()) add(static_cast<std::uint32_t>(at), std::move(set));
    }
  }
  return out;
}

bool ProgramIndexing::Impl::takes(const Computation& callee, std::uint32_t parameter, std::uint32_t leaf,
                                  const HloType& operand) {
  const Instruction* const inside =
      parameter < callee.parameters.size() ? callee.parameters[parameter] : nullptr;
  if (inside == nullptr || leaf >= leaves.count(inside->type) || leaf >= leaves.count(operand)) return false;
  return detail::same_extents(leaves.type(inside->type, leaf), leaves.type(operand, leaf));
}

std::vector<OperandStep> ProgramIndexing::Impl::called_steps(const Instruction& caller,
                                                             const Computation& callee, std::uint32_t leaf,
                                                             std::size_t first_operand) {
  if (call_height(callee) > detail::kHloLimits.walk.call_height) {
    return unknown_steps(caller, fmt::format("calls are nested more than {} levels deep",
                                             detail::kHloLimits.walk.call_height));
  }
  if (callee.root == nullptr || leaf >= leaves.count(callee.root->type)) {
    return unknown_steps(caller, "the types of the call and the computation differ");
  }
  std::vector<OperandStep> out;
  const auto* parameters = &root_to_parameters(callee, leaf);
  const bool exact = std::ranges::all_of(
      *parameters, [](const ParameterIndexing& x) { return exactness(x.maps) == Exactness::exact; });
  const auto special = exact ? nullptr : with_operands(caller, callee, first_operand);
  if (special != nullptr) parameters = &special->root_to_parameters(callee, leaf);
  out.reserve(parameters->size());
  for (const ParameterIndexing& parameter : *parameters) {
    const std::size_t operand = first_operand + parameter.parameter;
    if (operand >= caller.operands.size() || parameter.leaf >= leaves.count(caller.operands[operand])) {
      return unknown_steps(caller, "the operands do not match the parameters of the computation");
    }
    if (!takes(callee, parameter.parameter, parameter.leaf, caller.operand_type(operand)))
      return unknown_steps(caller, "the types of the operand and the parameter differ");
    OperandStep step = step_to(caller, operand, parameter.leaf);
    step.maps = parameter.maps;
    resolve_sources(step.maps, caller, callee, first_operand);
    step.identity = detail::is_full_identity(step.maps, leaves.type(caller.type, leaf));
    out.push_back(std::move(step));
  }
  return out;
}

std::vector<OperandStep> ProgramIndexing::Impl::conditional_steps(const Instruction& instruction,
                                                                  std::uint32_t leaf) {
  if (instruction.operands.empty() || instruction.called.empty() ||
      instruction.operands.size() != instruction.called.size() + 1) {
    return unknown_steps(instruction, "the numbers of branches and operands differ");
  }
  std::vector<OperandStep> out;
  // Every element reads the predicate, which chooses the branch.
  OperandStep predicate = step_to(instruction, 0, 0);
  Indexing scalar = detail::identity_indexing(leaves.type(instruction.type, leaf));
  if (scalar.exactness == Exactness::exact) {
    scalar.map =
        IndexMap::make_unchecked(scalar.map.domain(), std::vector<Expr>(instruction.operand_type(0).rank()));
  }
  predicate.maps.push_back(std::move(scalar));
  out.push_back(std::move(predicate));
  for (std::size_t branch = 0; branch < instruction.called.size(); ++branch) {
    for (OperandStep& step : called_steps(instruction, *instruction.called[branch], leaf, branch + 1)) {
      const auto same = std::ranges::find_if(
          out, [&](const OperandStep& s) { return s.operand == step.operand && s.leaf == step.leaf; });
      if (same == out.end()) {
        out.push_back(std::move(step));
      } else {
        for (Indexing& x : step.maps) insert(same->maps, std::move(x));
      }
    }
  }
  return out;
}

std::vector<OperandStep> ProgramIndexing::Impl::while_steps(const Instruction& instruction,
                                                            std::uint32_t leaf) {
  if (instruction.operands.size() != 1) return unknown_steps(instruction, "a loop has one operand");
  std::vector<OperandStep> out;
  if (handed_through(instruction, leaf)) {
    out.push_back(identity_step(instruction, 0, leaf, leaf));
    return out;
  }
  if (const detail::LoopLinks* const links = loop_links(instruction, false)) {
    out.reserve((*links)[leaf].size());
    for (const detail::LoopLink& link : (*links)[leaf]) {
      OperandStep step = step_to(instruction, 0, link.leaf);
      step.maps = link.maps;
      step.identity = link.identity;
      out.push_back(std::move(step));
    }
    return out;
  }
  const detail::Dependences& may_read = loop_dependences(instruction);
  const std::uint32_t count = leaves.count(instruction.operands[0]);
  for (std::uint32_t from = 0; from < count; ++from) {
    if (from < leaves.count(instruction.type) && !may_read(leaf, from)) continue;
    if (leaves.type(instruction.operand_type(0), from).is_token()) continue;
    out.push_back(step_to(instruction, 0, from));
    out.back().maps.push_back(Indexing::unknown("loop-carried dependence"));
  }
  return out;
}

bool detail::is_composed(const Instruction& instruction) {
  return instruction.opcode == Opcode::fusion || instruction.opcode == Opcode::call ||
         instruction.opcode == Opcode::while_;
}

IndexingSet detail::ready_to_compose(IndexingSet maps) {
  for (Indexing& x : maps) {
    fold_runtime(x, {.single_values = true});
    normalize_in_place(x);
  }
  if (maps.size() < 2) return maps;
  IndexingSet out;
  std::vector<Fingerprint> fingerprints;
  for (Indexing& x : maps) insert(out, fingerprints, std::move(x));
  return out;
}

const std::vector<OperandStep>& ProgramIndexing::Impl::kept_steps(const Instruction& instruction,
                                                                  std::uint32_t leaf) {
  const HloValue key{&instruction, leaf};
  if (const auto found = step_memo.find(key); found != step_memo.end()) return found->second;
  std::vector<OperandStep> all = steps(instruction, leaf);
  // The reasons of a called computation already name the instruction inside it.
  const bool inner_names =
      instruction.opcode == Opcode::fusion || instruction.opcode == Opcode::call ||
      instruction.opcode == Opcode::conditional || instruction.opcode == Opcode::async_start ||
      instruction.opcode == Opcode::async_update || instruction.opcode == Opcode::async_done;
  for (OperandStep& step : all) {
    if (!inner_names || exactness(step.maps) == Exactness::exact) name_reasons(step.maps, instruction);
    if (!step.identity && !detail::is_composed(instruction))
      step.maps = detail::ready_to_compose(std::move(step.maps));
  }
  return step_memo.emplace(key, std::move(all)).first->second;
}

}  // namespace tessera
