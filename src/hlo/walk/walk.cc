// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "hlo/indexing/indexing_set.h"
#include "hlo/ops/apply_rule.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/walk/program_indexing.h"
#include "hlo/walk/steps.h"

namespace tessera {

using detail::Groups;
using detail::OperandStep;
using detail::Reached;
using detail::Use;

ProgramIndexing::ProgramIndexing(WalkOptions options) : impl_(std::make_unique<Impl>(options)) {}
ProgramIndexing::ProgramIndexing(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProgramIndexing::~ProgramIndexing() = default;
ProgramIndexing::ProgramIndexing(ProgramIndexing&&) noexcept = default;
ProgramIndexing& ProgramIndexing::operator=(ProgramIndexing&&) noexcept = default;

ProgramIndexing ProgramIndexing::for_another_thread() const {
  return ProgramIndexing(std::make_unique<Impl>(impl_->options, impl_->shared));
}

ProgramIndexing ProgramIndexing::knowing(std::vector<KnownElement> elements) const {
  auto impl = std::make_unique<Impl>(impl_->options);
  impl->known_operands.given =
      [known = std::move(elements)](const detail::TracedElement& asked) -> std::optional<Index> {
    const auto same = [&](const KnownElement& one) {
      const RuntimeValue& element = one.element;
      return element.source == asked.value.instruction && element.tuple_index == asked.value.tuple_index &&
             element.inner == asked.value.inner && element.calls == asked.calls &&
             std::ranges::equal(element.map.results(), asked.at,
                                [](Expr a, Expr b) { return a.is_constant() && a == b; });
    };
    const auto found = std::ranges::find_if(known, same);
    return found == known.end() ? std::nullopt : std::optional(found->value);
  };
  return ProgramIndexing(std::move(impl));
}

namespace {

Failure no_such(std::string_view what, std::size_t number, std::size_t count,
                const Instruction& instruction) {
  return fail(Code::index_out_of_range,
              fmt::format("{} {} of '{}' does not exist: it has {}", what, number, instruction.name, count),
              instruction.span);
}

/// Dimensions of extent 1 stay in the results of a single instruction.
Points points_of(const Instruction& instruction) {
  return detail::is_composed(instruction) ? Points::replace : Points::preserve;
}

}  // namespace

Result<std::vector<OperandIndexing>> ProgramIndexing::reads_of_output(const Instruction& instruction,
                                                                      std::size_t leaf) {
  const std::uint32_t count = impl_->leaves.count(instruction.type);
  if (leaf >= count) return no_such("output", leaf, count, instruction);
  std::vector<OperandIndexing> out;
  std::vector<OperandStep> all = impl_->steps(instruction, static_cast<std::uint32_t>(leaf));
  out.reserve(all.size());
  for (OperandStep& step : all) {
    if (instruction.operand_type(step.operand).is_tuple()) {
      for (Indexing& x : step.maps) x.leaf = static_cast<std::int32_t>(step.leaf);
    }
    step.maps = split_tables(std::move(step.maps), points_of(instruction));
    if (impl_->options.footprint) keep_footprint(step.maps);
    out.push_back({.operand = step.operand, .leaf = step.leaf, .maps = std::move(step.maps)});
  }
  return out;
}

Result<std::vector<OutputIndexing>> ProgramIndexing::readers_of_operand(const Instruction& instruction,
                                                                        OperandLeaf operand_leaf) {
  const auto [operand, leaf] = operand_leaf;
  if (operand >= instruction.operands.size()) {
    return no_such("operand", operand, instruction.operands.size(), instruction);
  }
  const std::uint32_t count = impl_->leaves.count(instruction.operands[operand]);
  if (leaf >= count) return no_such(fmt::format("operand {}: array", operand), leaf, count, instruction);
  std::vector<OutputIndexing> out;
  std::vector<Use> all = impl_->uses(instruction, operand, static_cast<std::uint32_t>(leaf));
  out.reserve(all.size());
  for (Use& use : all) {
    use.maps = split_tables(std::move(use.maps), points_of(instruction));
    if (impl_->options.footprint) keep_footprint(use.maps);
    out.push_back({.leaf = use.leaf, .maps = std::move(use.maps)});
  }
  return out;
}

Result<std::vector<ValueIndexing>> ProgramIndexing::grouped(std::span<const Instruction* const> cluster,
                                                            const WalkStart& start) {
  const std::unordered_set<const Instruction*> members(cluster.begin(), cluster.end());
  return walk_from(
      start, [&](const Instruction& i) { return members.contains(&i); },
      [](const Instruction&) { return true; });
}

Result<std::vector<ValueIndexing>> ProgramIndexing::walk_from(
    const WalkStart& start, const std::function<bool(const Instruction&)>& in_cluster,
    const std::function<bool(const Instruction&)>& wanted) {
  if (start.value.instruction == nullptr)
    return fail(Code::bad_option, "there is no instruction to start from");
  const Instruction& from = *start.value.instruction;
  const std::uint32_t count = impl_->leaves.count(from.type);
  if (start.value.leaf >= count) return no_such("output", start.value.leaf, count, from);
  const auto anywhere = [](const Instruction&) { return true; };

  const HloType& type = impl_->leaves.type(from.type, start.value.leaf);
  const Indexing identity = detail::identity_indexing(type);
  const Domain indices = detail::start_domain(type);
  if (from.opcode == Opcode::parameter && !start.callers.empty()) {
    // A parameter is an operand of the caller, and depends on nothing in its own computation.
    HloValue outside = start.value;
    for (auto caller = start.callers.rbegin();
         caller != start.callers.rend() && outside.instruction->opcode == Opcode::parameter; ++caller) {
      const auto number = static_cast<std::size_t>(outside.instruction->parameter_number);
      if (number >= (*caller)->operands.size()) {
        return no_such("operand", number, (*caller)->operands.size(), **caller);
      }
      const Operand& operand = (*caller)->operands[number];
      outside = {operand.instruction, impl_->leaves.first(operand) + outside.leaf};
    }
    return std::vector<ValueIndexing>{{.value = outside, .maps = {identity}}};
  }
  Groups groups;
  groups[{from.index, start.value.leaf}] = {.maps = detail::SharedMaps(normalize(identity))};
  const Computation* computation = from.parent;
  std::vector<ValueIndexing> out;
  for (std::size_t level = start.callers.size(); level-- > 0;) {
    const Instruction& caller = *start.callers[level];
    const bool through = (caller.opcode == Opcode::fusion || caller.opcode == Opcode::call) &&
                         caller.called.size() == 1 && caller.called[0] == computation;
    if (!through) {
      return fail(Code::bad_option, fmt::format("'{}' does not call '{}'", caller.name, computation->name),
                  caller.span);
    }
    Groups outside;
    for (ValueIndexing& value : impl_->walk_back(*computation, std::move(groups), indices,
                                                 impl_->options.max_work, anywhere, wanted)) {
      const Instruction& at = *value.value.instruction;
      if (at.opcode != Opcode::parameter) {
        out.push_back(std::move(value));
        continue;
      }
      const auto number = static_cast<std::size_t>(at.parameter_number);
      if (number >= caller.operands.size()) continue;
      const Operand& operand = caller.operands[number];
      impl_->resolve_sources(value.maps, caller, *computation, 0);
      Reached& target =
          outside[{operand.instruction->index, impl_->leaves.first(operand) + value.value.leaf}];
      auto& [maps, fingerprints] = target.maps.edit();
      for (Indexing& x : value.maps) insert(maps, fingerprints, std::move(x));
    }
    // A source of a runtime value may be a parameter of this computation, too.
    for (ValueIndexing& value : out) impl_->resolve_sources(value.maps, caller, *computation, 0);
    groups = std::move(outside);
    computation = caller.parent;
  }
  for (ValueIndexing& value : impl_->walk_back(*computation, std::move(groups), indices,
                                               impl_->options.max_work, in_cluster, wanted)) {
    out.push_back(std::move(value));
  }
  for (ValueIndexing& value : out) value.maps = split_tables(std::move(value.maps), Points::replace);
  // In the identity of the start, dimensions of extent 1 stay visible.
  if (!out.empty() && out[0].value == start.value) out[0].maps = {identity};
  return out;
}

Result<std::vector<ProgramIndexing::ParameterIndexing>> ProgramIndexing::to_parameters(
    const WalkStart& given) {
  // A parameter of a called computation is an operand of its caller.
  WalkStart start = given;
  while (start.value.instruction != nullptr && start.value.instruction->opcode == Opcode::parameter &&
         !start.callers.empty()) {
    const Instruction& caller = *start.callers.back();
    const auto number = static_cast<std::size_t>(start.value.instruction->parameter_number);
    if (number >= caller.operands.size()) return no_such("operand", number, caller.operands.size(), caller);
    const Operand& operand = caller.operands[number];
    start.value = {operand.instruction, impl_->leaves.first(operand) + start.value.leaf};
    start.callers.pop_back();
  }
  auto found = walk_from(
      start, [](const Instruction&) { return true; },
      [](const Instruction& i) { return i.opcode == Opcode::parameter && i.parameter_number >= 0; });
  if (!found) return fail(std::move(found).error());
  std::vector<ParameterIndexing> out;
  for (ValueIndexing& value : *found) {
    const Instruction& at = *value.value.instruction;
    if (at.opcode != Opcode::parameter || impl_->leaves.type(at.type, value.value.leaf).is_token()) continue;
    out.push_back({static_cast<std::uint32_t>(at.parameter_number), value.value.leaf, std::move(value.maps)});
  }
  std::ranges::sort(out, {}, [](const ParameterIndexing& x) { return std::pair(x.parameter, x.leaf); });
  return out;
}

Result<std::vector<ValueIndexing>> ProgramIndexing::grouped(const WalkStart& start) {
  std::vector<const Instruction*> cluster;
  if (start.value.instruction != nullptr) {
    const Computation* computation =
        start.callers.empty() ? start.value.instruction->parent : start.callers.front()->parent;
    for (const auto& instruction : computation->instructions) cluster.push_back(instruction.get());
  }
  return grouped(cluster, start);
}

Result<std::vector<ValueIndexing>> ProgramIndexing::group_by_producer(const HloValue& output) {
  if (output.instruction == nullptr) return fail(Code::bad_option, "there is no instruction to start from");
  const std::uint32_t count = impl_->leaves.count(output.instruction->type);
  if (output.leaf >= count) return no_such("output", output.leaf, count, *output.instruction);
  std::vector<ValueIndexing> out;
  for (OperandStep& step : impl_->steps(*output.instruction, output.leaf)) {
    auto same = std::ranges::find(out, step.value, &ValueIndexing::value);
    if (same == out.end()) same = out.insert(out.end(), {.value = step.value, .maps = {}});
    for (Indexing& x : split_tables(std::move(step.maps), points_of(*output.instruction)))
      insert(same->maps, std::move(x));
  }
  return out;
}

Result<std::vector<OutputIndexing>> ProgramIndexing::forward_to_root(const HloValue& start) {
  if (start.instruction == nullptr) return fail(Code::bad_option, "there is no instruction to start from");
  const std::uint32_t count = impl_->leaves.count(start.instruction->type);
  if (start.leaf >= count) return no_such("output", start.leaf, count, *start.instruction);
  const HloType& type = impl_->leaves.type(start.instruction->type, start.leaf);
  Groups groups;
  groups[{start.instruction->index, start.leaf}] = {
      .maps = detail::SharedMaps(normalize(detail::identity_indexing(type)))};
  std::vector<OutputIndexing> out;
  for (auto& [place, reached] : impl_->walk_forward(*start.instruction->parent, std::move(groups),
                                                    detail::start_domain(type), impl_->options.max_work)) {
    out.push_back(
        {.leaf = place.second, .maps = split_tables(std::move(reached.maps).take(), Points::replace)});
  }
  return out;
}

Result<IndexingSet> ProgramIndexing::path_input_to_output(std::span<const Instruction* const> path) {
  if (path.empty()) return fail(Code::bad_option, "the path is empty");
  const HloType& type = impl_->leaves.type(path[0]->type, 0);
  const Domain indices = detail::start_domain(type);
  Reached here{.maps = detail::SharedMaps(detail::identity_indexing(type))};
  std::uint32_t leaf = 0;
  std::uint64_t work = impl_->options.max_work;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Instruction& user = *path[i];
    Reached next;
    std::optional<std::uint32_t> reached;
    for (std::size_t j = 0; j < user.operands.size(); ++j) {
      const Operand& operand = user.operands[j];
      const std::uint32_t first = impl_->leaves.first(operand);
      if (operand.instruction != path[i - 1] || leaf < first || leaf - first >= impl_->leaves.count(operand))
        continue;
      for (Use& use : impl_->uses(user, j, leaf - first)) {
        if (!reached) reached = use.leaf;
        if (use.leaf != *reached) continue;
        const HloType& reader = impl_->leaves.type(user.type, use.leaf);
        if (use.identity) {
          impl_->hand_on(next, here, reader, indices, work);
        } else {
          impl_->extend(next, here.maps.get(), use.maps, reader, indices, work);
        }
      }
    }
    if (!reached) {
      return fail(Code::bad_option, fmt::format("'{}' does not read '{}'", user.name, path[i - 1]->name),
                  user.span);
    }
    leaf = *reached;
    here = std::move(next);
  }
  return split_tables(std::move(here.maps).take(), Points::replace);
}

Result<IndexingSet> ProgramIndexing::path_input_to_output(const Instruction& start, const Instruction& end) {
  std::vector<const Instruction*> path{&start};
  if (start.parent != nullptr) {
    const auto& readers = impl_->readers(*start.parent);
    while (path.back() != &end && !readers[path.back()->index].empty()) {
      path.push_back(std::ranges::min(readers[path.back()->index], {}, &detail::Reader::place).user);
    }
  }
  if (path.back() != &end) {
    return fail(Code::bad_option,
                fmt::format("the first uses of '{}' do not lead to '{}'", start.name, end.name), start.span);
  }
  return path_input_to_output(path);
}

namespace {

/// The members of all sets, with one for all unknown members that have the same reason.
IndexingSet flattened(std::vector<IndexingSet> sets) {
  IndexingSet out;
  for (IndexingSet& set : sets) {
    for (Indexing& x : set) {
      if (x.exactness == Exactness::unknown) {
        const bool said = std::ranges::any_of(out, [&](const Indexing& y) {
          return y.exactness == Exactness::unknown && y.reason == x.reason;
        });
        if (said) continue;
        x.leaf = -1;
      }
      out.push_back(std::move(x));
    }
  }
  return out;
}

}  // namespace

Result<IndexingSet> ProgramIndexing::output_to_operand(const Instruction& instruction, OutputOperand pair) {
  if (pair.operand >= instruction.operands.size()) {
    return no_such("operand", pair.operand, instruction.operands.size(), instruction);
  }
  auto all = reads_of_output(instruction, pair.output);
  if (!all) return fail(all.error());
  std::vector<IndexingSet> sets;
  for (OperandIndexing& x : *all) {
    if (x.operand == pair.operand) sets.push_back(std::move(x.maps));
  }
  return flattened(std::move(sets));
}

Result<IndexingSet> ProgramIndexing::operand_to_output(const Instruction& instruction, OutputOperand pair) {
  const auto [output, operand] = pair;
  if (operand >= instruction.operands.size()) {
    return no_such("operand", operand, instruction.operands.size(), instruction);
  }
  const std::uint32_t count = impl_->leaves.count(instruction.type);
  if (output >= count) return no_such("output", output, count, instruction);
  const bool tuple = instruction.operand_type(operand).is_tuple();
  std::vector<IndexingSet> sets;
  for (std::uint32_t from = 0; from < impl_->leaves.count(instruction.operands[operand]); ++from) {
    for (Use& use : impl_->uses(instruction, operand, from)) {
      if (use.leaf != output) continue;
      use.maps = split_tables(std::move(use.maps), points_of(instruction));
      for (Indexing& x : use.maps) x.leaf = tuple ? static_cast<std::int32_t>(from) : -1;
      sets.push_back(std::move(use.maps));
    }
  }
  return flattened(std::move(sets));
}

const std::vector<ProgramIndexing::ParameterIndexing>& ProgramIndexing::root_to_parameters(
    const Computation& computation, std::size_t leaf) {
  static const std::vector<ParameterIndexing> kNone;
  if (computation.root == nullptr || leaf >= impl_->leaves.count(computation.root->type)) return kNone;
  return impl_->root_to_parameters(computation, static_cast<std::uint32_t>(leaf));
}

}  // namespace tessera
