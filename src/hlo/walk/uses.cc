// SPDX-License-Identifier: Apache-2.0
// One instruction forward: the outputs that read an array of an operand, with the maps.
#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/limits.h"
#include "hlo/ops/apply_rule.h"
#include "hlo/ops/map_builder.h"
#include "hlo/ops/rule.h"
#include "hlo/walk/program_indexing.h"
#include "hlo/walk/steps.h"

namespace tessera {

using detail::unknown_set;
using detail::Use;

namespace {

/// The type of the called computation's result: that of the caller or, for an asynchronous start, the second
/// element of the caller's type.
const HloType& called_type(const Instruction& caller) {
  const bool starts = caller.opcode == Opcode::async_start && caller.type.elements().size() > 1;
  return starts ? caller.type.elements()[1] : caller.type;
}

/// Every element of an array of the result reads the predicate. The array ends at its sizes; without a name
/// for one of them, this is a superset.
Indexing read_by_all(std::span<const Index> predicate, std::span<const Index> extents, const HloType& type,
                     const detail::OpValue* value) {
  detail::MapBuilder map(predicate);
  std::vector<Expr> results = map.ranges(extents);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (!type.is_array() || type.array().dim_kind(d) == DimKind::fixed || extents[d] == 0) continue;
    const std::string_view size = value == nullptr ? std::string_view() : value->result_size(d);
    if (size.empty()) return normalize(std::move(map).superset(std::move(results), detail::kSizeIsData));
    map.end_at_size(results[d], size, extents[d]);
  }
  return normalize(std::move(map).build(std::move(results)));
}

}  // namespace

std::vector<Use> ProgramIndexing::Impl::unknown_uses(const HloType& type, const std::string& reason) {
  std::vector<Use> out;
  const std::uint32_t count = leaves.count(type);
  for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
    if (!leaves.type(type, leaf).is_token()) out.push_back({.leaf = leaf, .maps = unknown_set(reason)});
  }
  return out;
}

std::vector<Use> ProgramIndexing::Impl::uses(const Instruction& user, std::size_t operand, std::uint32_t leaf,
                                             bool in_a_walk) {
  const HloType& read = leaves.type(user.operand_type(operand), leaf);
  if (!user.sound) return unknown_uses(user.type, "the instruction has an error");
  if (read.is_token()) return {};
  std::vector<Use> out;
  const auto identity = [&](std::uint32_t output) {
    if (output >= leaves.count(user.type)) return;
    const HloType& type = leaves.type(user.type, output);
    if (in_a_walk && detail::extents(read) && detail::same_extents(read, type)) {
      out.push_back({.leaf = output, .maps = {}, .identity = true});
      return;
    }
    Use use{.leaf = output, .maps = detail::just(detail::handed_on(read, type))};
    use.identity = use.maps[0].exactness == Exactness::exact;
    out.push_back(std::move(use));
  };
  if (user.opcode == Opcode::tuple) {
    if (operand + 1 < leaves.offsets(user.type).size()) identity(leaves.offsets(user.type)[operand] + leaf);
    return out;
  }
  if (user.opcode == Opcode::get_tuple_element) {
    // The element covers leaves [first, first + count) of the operand.
    const auto array = forwarded(user, 0);
    if (leaves.count(user.type) > 0 && array && leaf >= array->leaf &&
        leaf - array->leaf < leaves.count(user.type)) {
      identity(leaf - array->leaf);
    }
    return out;
  }
  const OpcodeTrait trait = trait_of(user.opcode);
  if (trait == OpcodeTrait::calls) {
    if (user.called.empty()) return unknown_uses(user.type, "no computation is called");
    return called_uses(user, *user.called[0], static_cast<std::uint32_t>(operand), leaf, 0);
  }
  if (trait == OpcodeTrait::starts) {
    std::uint32_t before = 0;
    for (std::size_t j = 0; j < operand; ++j) before += leaves.count(user.operands[j]);
    const auto starts = leaves.offsets(user.type);
    if (!user.type.is_tuple() || starts.size() < 3 || before + leaf >= starts[1]) {
      return unknown_uses(user.type, "the type is not that of an asynchronous start");
    }
    identity(before + leaf);
    const Instruction* const op = started(user);
    if (op == nullptr && user.called.empty()) return unknown_uses(user.type, "no computation is called");
    for (Use& use : op != nullptr
                        ? uses(*op, operand, leaf, in_a_walk)
                        : called_uses(user, *user.called[0], static_cast<std::uint32_t>(operand), leaf, 0)) {
      use.leaf += starts[1];
      if (use.leaf >= starts[2]) continue;  // an update or the end binds the result
      out.push_back(std::move(use));
    }
    return out;
  }
  if (trait == OpcodeTrait::branches) {
    if (user.operands.size() != user.called.size() + 1) {
      return unknown_uses(user.type, "the numbers of branches and operands differ");
    }
    if (operand > 0) return called_uses(user, *user.called[operand - 1], 0, leaf, operand);
    const std::uint32_t count = leaves.count(user.type);
    // Only the sizes of a single array have names.
    const detail::OpValuePtr value = user.type.is_array() ? detail::value_of(user) : nullptr;
    for (std::uint32_t output = 0; output < count; ++output) {
      const HloType& type = leaves.type(user.type, output);
      if (type.is_token()) continue;
      const auto dims = detail::extents(type);
      const auto predicate = detail::extents(read);
      if (!dims || !predicate) {
        out.push_back({.leaf = output, .maps = unknown_set("a dimension without a bound")});
        continue;
      }
      out.push_back(
          {.leaf = output, .maps = detail::just(read_by_all(*predicate, *dims, type, value.get()))});
    }
    return out;
  }
  if (trait == OpcodeTrait::loops) {
    const detail::LoopLinks* const links = loop_links(user, true);
    if (links != nullptr) {
      out.reserve((*links)[leaf].size());
      for (const detail::LoopLink& link : (*links)[leaf])
        out.push_back({.leaf = link.leaf, .maps = link.maps, .identity = link.identity});
      return out;
    }
    for (Use& use : unknown_uses(user.type, "loop-carried dependence")) {
      const bool through = user.operands.size() == 1 && handed_through(user, use.leaf);
      if (through && use.leaf == leaf) {
        identity(leaf);
      } else if (!through && (leaf >= leaves.count(user.type) || loop_dependences(user)(use.leaf, leaf))) {
        out.push_back(std::move(use));
      }
    }
    return out;
  }
  const std::uint32_t count = leaves.count(user.type);
  if (only_forwards(user.opcode)) {
    // An array usually has the same number in the output as in the operand. A `-done` numbers the results in
    // the tuple of its start from 0, and a copy-start passes its operand on twice.
    std::vector<std::uint32_t> candidates{leaf};
    const HloType& type = user.operand_type(operand);
    const std::uint32_t results = type.is_tuple() && type.elements().size() > 1 ? leaves.offsets(type)[1] : 0;
    if (results > 0 && leaf >= results) candidates.push_back(leaf - results);
    if (user.opcode == Opcode::copy_start) candidates.push_back(leaf + leaves.count(type));
    if (user.opcode == Opcode::async_update && user.operand_type(0).elements().size() > 1) {
      // An update may add the arrays of its operands to those that the chain holds, before the result.
      const HloType& chain = user.operand_type(0);
      std::uint32_t place =
          operand == 0 ? leaf + count - leaves.count(chain) : leaves.offsets(chain)[1] + leaf;
      for (std::size_t j = 1; j < operand; ++j) place += leaves.count(user.operands[j]);
      if (operand > 0) candidates.clear();
      if (candidates.empty() || place != leaf) candidates.push_back(place);
    }
    for (const std::uint32_t output : candidates) {
      const auto array = output < count ? forwarded(user, output) : std::nullopt;
      if (array && array->operand == operand && array->leaf == leaf) identity(output);
    }
    if (user.opcode == Opcode::async_update || user.opcode == Opcode::async_done) {
      for (Use& use : late_uses(user, operand, leaf)) out.push_back(std::move(use));
    }
    return out;
  }
  // A map may ignore an operand.
  if (in_a_walk && is_elementwise(user.opcode) && user.opcode != Opcode::map && user.type.is_array() &&
      read.is_array() && detail::extents(read) && detail::same_extents(read, user.type)) {
    out.push_back({.leaf = 0, .maps = {}, .identity = true});
    return out;
  }
  detail::OpFacts& facts = facts_of(user);
  const detail::OpFacts::Readers readers = facts.readers_of(operand, leaf);
  for (std::size_t at = readers.outputs.first; at < readers.outputs.last; at += readers.stride) {
    const auto output = static_cast<std::uint32_t>(at);
    if (leaves.type(user.type, output).is_token() && user.opcode != Opcode::outfeed) continue;
    IndexingSet set = detail::input_to_output(facts, {.output = output, .operand = operand});
    std::erase_if(
        set, [&](const Indexing& x) { return x.leaf != -1 && x.leaf != static_cast<std::int32_t>(leaf); });
    if (set.empty()) continue;
    for (Indexing& x : set) x.leaf = -1;
    Use use{.leaf = output, .maps = std::move(set)};
    use.identity = detail::is_full_identity(use.maps, read) &&
                   detail::same_extents(read, leaves.type(user.type, output));
    out.push_back(std::move(use));
  }
  return out;
}

const std::vector<Use>& ProgramIndexing::Impl::kept_uses(const Instruction& user, std::uint32_t operand,
                                                         std::uint32_t leaf) {
  const detail::UseKey key{&user, operand, leaf};
  if (const auto found = use_memo.find(key); found != use_memo.end()) return found->second;
  std::vector<Use> all = uses(user, operand, leaf, true);
  for (Use& use : all) {
    if (!use.identity && !detail::is_composed(user)) use.maps = detail::ready_to_compose(std::move(use.maps));
  }
  return use_memo.emplace(key, std::move(all)).first->second;
}

std::vector<Use> ProgramIndexing::Impl::called_uses(const Instruction& caller, const Computation& callee,
                                                    std::uint32_t parameter, std::uint32_t leaf,
                                                    std::size_t first_operand) {
  if (call_height(callee) > detail::kHloLimits.walk.call_height) {
    return unknown_uses(called_type(caller), fmt::format("calls are nested more than {} levels deep",
                                                         detail::kHloLimits.walk.call_height));
  }
  if (callee.root == nullptr || parameter >= callee.parameters.size() ||
      callee.parameters[parameter] == nullptr || leaf >= leaves.count(callee.parameters[parameter]->type)) {
    return unknown_uses(called_type(caller), "the operands do not match the parameters of the computation");
  }
  if (!takes(callee, parameter, leaf, caller.operand_type(first_operand + parameter)))
    return unknown_uses(called_type(caller), "the types of the operand and the parameter differ");
  std::vector<Use> out;
  const auto* outputs = &parameter_to_root(callee, parameter, leaf);
  const bool exact = std::ranges::all_of(
      *outputs, [](const OutputIndexing& x) { return exactness(x.maps) == Exactness::exact; });
  const auto special = exact ? nullptr : with_operands(caller, callee, first_operand);
  if (special != nullptr) outputs = &special->parameter_to_root(callee, parameter, leaf);
  out.reserve(outputs->size());
  for (const OutputIndexing& output : *outputs) {
    Use use{.leaf = output.leaf, .maps = output.maps};
    resolve_sources(use.maps, caller, callee, first_operand);
    const HloType& read = leaves.type(caller.operand_type(first_operand + parameter), leaf);
    use.identity = detail::is_full_identity(use.maps, read) &&
                   detail::same_extents(read, leaves.type(callee.root->type, output.leaf));
    out.push_back(std::move(use));
  }
  return out;
}

}  // namespace tessera
