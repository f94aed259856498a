// SPDX-License-Identifier: Apache-2.0
// Walks through many instructions: from a value to everything that it depends on, and to everything that
// depends on it.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ranges>
#include <utility>

#include "hlo/indexing/compose_normalized.h"
#include "hlo/indexing/normalize.h"
#include "hlo/indexing/size_value.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/walk/limited_set.h"
#include "hlo/walk/program_indexing.h"
#include "hlo/walk/steps.h"

namespace tessera {

using detail::Groups;
using detail::OperandStep;
using detail::Use;

using detail::Reached;

// --- One step ---

void ProgramIndexing::Impl::extend(Reached& target, const IndexingSet& before, const IndexingSet& step,
                                   const HloType& target_leaf, const Domain& start, std::uint64_t& work) {
  settle(target, target_leaf, start, work);
  auto& [maps, fingerprints] = target.maps.edit();
  detail::LimitedSet set(maps, fingerprints, target_leaf, start, options);
  for (const Indexing& first : before) {
    const bool at_start = first.exactness == Exactness::exact && first.runtime.empty() &&
                          first.replica.empty() && first.map.is_identity();
    for (const Indexing& second : step) {
      if (set.covers(first, second)) continue;
      const std::uint64_t cost = detail::composition_cost(first, second);
      if (cost > work && set.cover(first, second)) continue;
      work -= std::min(work, cost);
      const bool same_box =
          at_start && second.exactness != Exactness::unknown &&
          second.map.dim_count() == first.map.dim_count() &&
          std::ranges::equal(first.map.variables(), second.map.variables().first(second.map.dim_count()), {},
                             &Variable::bounds, &Variable::bounds);
      Indexing x = same_box   ? second
                   : at_start ? compose(first, second)
                              : detail::compose_normalized(first, second);
      // A composition may determine a start index that neither part determines: the element of an array.
      const bool may_determine = !same_box && std::ranges::any_of(x.runtime, [](const RuntimeValue& value) {
        return !value.map.results().empty() || value.clamp.is_point();
      });
      if (may_determine && fold_runtime(x, {.single_values = true, .arrays = false})) {
        detail::normalize_in_place(x);
      }
      set.add(std::move(x));
    }
  }
}

// A computation is walked once for each of its results or parameters. Each walk gets an equal share of the
// work, so that no answer depends on earlier queries.
std::uint64_t ProgramIndexing::Impl::work_of_a_walk(std::uint64_t walks) const {
  constexpr std::uint64_t kLeast = 4000;  // twenty convolutions
  return std::max(kLeast, options.max_work / std::max<std::uint64_t>(walks, 1));
}

namespace {

/// The values that a walk has yet to visit. Each comes and goes once, so their nodes are used again.
class Waiting {
 public:
  explicit Waiting(Groups groups) : groups_(std::move(groups)) {}

  bool empty() const { return groups_.empty(); }
  /// Takes out the first or the last value.
  Groups::value_type take(bool last) {
    auto node = groups_.extract(last ? std::prev(groups_.end()) : groups_.begin());
    Groups::value_type out(node.key(), std::move(node.mapped()));
    spare_.push_back(std::move(node));
    return out;
  }
  /// The value with this key, which is added if it is missing.
  Reached& operator[](const Groups::key_type& key) {
    const auto place = groups_.lower_bound(key);
    if (place != groups_.end() && place->first == key) return place->second;
    if (spare_.empty()) return groups_.emplace_hint(place, key, Reached())->second;
    Groups::node_type node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = key;
    return groups_.insert(place, std::move(node))->second;
  }

 private:
  Groups groups_;
  std::vector<Groups::node_type> spare_;
};

}  // namespace

// --- Backward ---

std::vector<ValueIndexing> ProgramIndexing::Impl::walk_back(
    const Computation& computation, Groups groups, const Domain& start, std::uint64_t work,
    const std::function<bool(const Instruction&)>& inside,
    const std::function<bool(const Instruction&)>& wanted) {
  // Takes the last instruction each time. Its users come after it and are done, so nothing more is added to
  // it.
  std::vector<ValueIndexing> out;
  Waiting waiting(std::move(groups));
  while (!waiting.empty()) {
    auto [place, here] = waiting.take(true);
    const Instruction& at = *computation.instructions[place.first];
    const std::uint32_t leaf = place.second;
    const HloType& type = leaves.type(at.type, leaf);
    if (options.footprint) here.maps.keep_footprint();
    if (at.opcode != Opcode::parameter && inside(at)) {
      if (auto moved = moved_through(here, at, true)) {
        const Operand& operand = at.operands[0];
        const std::uint32_t first = leaves.first(operand);
        hand_on(waiting[{operand.instruction->index, first}], *std::move(moved),
                leaves.type(operand.instruction->type, first), start, work);
      } else {
        const std::vector<OperandStep>& all = kept_steps(at, leaf);
        const bool needed_later = wanted(at);
        for (const OperandStep& step : all) {
          const Instruction& operand = *step.value.instruction;
          Reached& target = waiting[{operand.index, step.value.leaf}];
          const HloType& read = leaves.type(operand.type, step.value.leaf);
          if (step.identity) {
            hand_on(target, &step == &all.back() && !needed_later ? std::move(here) : here, read, start,
                    work);
            continue;
          }
          settle(here, type, start, work);
          extend(target, here.maps.get(), step.maps, read, start, work);
        }
      }
    }
    if (!wanted(at)) continue;
    settle(here, type, start, work);
    out.push_back({.value = {&at, leaf}, .maps = std::move(here.maps).take()});
  }
  return out;
}

const std::vector<ProgramIndexing::ParameterIndexing>& ProgramIndexing::Impl::root_to_parameters(
    const Computation& computation, std::uint32_t leaf) {
  return shared->back.get(computation, leaf, [&] { return walk_to_parameters(computation, leaf); });
}

std::vector<ProgramIndexing::ParameterIndexing> ProgramIndexing::Impl::walk_to_parameters(
    const Computation& computation, std::uint32_t leaf) {
  const Instruction& root = *computation.root;
  Groups groups;
  const HloType& type = leaves.type(root.type, leaf);
  groups[{root.index, leaf}] = {.maps = detail::SharedMaps(normalize(detail::identity_indexing(type)))};
  std::vector<ParameterIndexing> out;
  const auto everything = [](const Instruction&) { return true; };
  const auto parameters = [](const Instruction& i) {
    return i.opcode == Opcode::parameter && i.parameter_number >= 0;
  };
  for (ValueIndexing& value : walk_back(computation, std::move(groups), detail::start_domain(type),
                                        work_of_a_walk(root.type.leaf_count()), everything, parameters)) {
    const Instruction& at = *value.value.instruction;
    if (leaves.type(at.type, value.value.leaf).is_token()) continue;
    out.push_back({static_cast<std::uint32_t>(at.parameter_number), value.value.leaf, std::move(value.maps)});
  }
  std::ranges::sort(out, [](const ParameterIndexing& a, const ParameterIndexing& b) {
    return std::pair(a.parameter, a.leaf) < std::pair(b.parameter, b.leaf);
  });
  return out;
}

std::uint32_t ProgramIndexing::Impl::call_height(const Computation& computation) {
  if (const auto found = height_memo.find(&computation); found != height_memo.end()) return found->second;
  // Without recursion, because this height is what limits the recursion everywhere else.
  std::vector<const Computation*> stack{&computation};
  while (!stack.empty()) {
    const Computation& at = *stack.back();
    std::uint32_t height = 0;
    bool waiting = false;
    for (const auto& instruction : at.instructions) {
      for (const Computation* called : instruction->called) {
        const auto found = height_memo.find(called);
        if (found == height_memo.end()) {
          stack.push_back(called);
          waiting = true;
          break;
        }
        height = std::max(height, found->second + 1);
      }
      if (waiting) break;
    }
    if (waiting) continue;
    height_memo.emplace(&at, height);
    stack.pop_back();
  }
  return height_memo.at(&computation);
}

void ProgramIndexing::Impl::resolve_sources(IndexingSet& maps, const Instruction& caller,
                                            const Computation& callee, std::size_t first_operand) {
  resolve_sources(
      maps, {&caller, first_operand}, [&](const Instruction& parameter) -> std::optional<Operand> {
        const std::size_t operand = first_operand + static_cast<std::size_t>(parameter.parameter_number);
        if (parameter.parent != &callee || operand >= caller.operands.size()) return std::nullopt;
        return caller.operands[operand];
      });
}

void ProgramIndexing::Impl::resolve_sources(
    IndexingSet& maps, const CallSite& call,
    const std::function<std::optional<Operand>(const Instruction&)>& operand_of) {
  const auto outside = [&](const Operand& value) { return operand_of(*value.instruction); };
  bool changed = false;
  for (Indexing& x : maps) {
    if (x.runtime.empty()) continue;
    const bool folded = fold_runtime(x, {.elements = {.resolve = outside}, .single_values = true});
    for (RuntimeValue& value : x.runtime) {
      // Not an operand of the caller: this call computes the value. Sizes are those of arrays of the callee.
      if (!detail::is_size(value) && (value.source == nullptr || value.source->parent == call.caller->parent))
        continue;
      value.calls.insert(value.calls.begin(), call);
    }
    if (!folded) continue;
    detail::normalize_in_place(x);
    changed = true;
  }
  if (!changed) return;
  IndexingSet out;
  for (Indexing& x : maps) insert(out, std::move(x));
  maps = std::move(out);
}

// --- Forward ---

const detail::AllReaders& ProgramIndexing::Impl::readers(const Computation& computation) {
  const auto [found, is_new] = readers_memo.try_emplace(&computation);
  detail::AllReaders& out = found->second;
  if (!is_new) return out;
  // The end of each value's readers, from which they are filled in backward, so that it becomes the
  // beginning.
  out.first.resize(computation.instructions.size() + 1);
  for (const auto& user : computation.instructions) {
    for (const Operand& operand : user->operands) ++out.first[operand.instruction->index];
  }
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  out.readers.resize(out.first.back());
  for (const auto& user : std::views::reverse(computation.instructions)) {
    for (auto j = static_cast<std::uint32_t>(user->operands.size()); j-- > 0;) {
      const Operand& operand = user->operands[j];
      detail::Reader reader{operand.tuple_index, user.get(), j};
      if (user->opcode == Opcode::get_tuple_element && user->sound && reader.element < 0) {
        if (const auto element = detail::taken_element(*user))
          reader.element = static_cast<std::int64_t>(*element);
      }
      out.readers[--out.first[operand.instruction->index]] = reader;
    }
  }
  for (std::size_t i = 0; i + 1 < out.first.size(); ++i) {
    const std::span<detail::Reader> one(out.readers.data() + out.first[i],
                                        out.readers.data() + out.first[i + 1]);
    // Sorting allocates, and few values are tuples.
    if (!std::ranges::is_sorted(one, {}, &detail::Reader::element))
      std::ranges::stable_sort(one, {}, &detail::Reader::element);
  }
  return out;
}

std::span<const detail::Reader> ProgramIndexing::Impl::readers_of(const Instruction& value,
                                                                  std::uint32_t leaf,
                                                                  detail::Readers& memory) {
  const std::span<const detail::Reader> all = readers(*value.parent)[value.index];
  const auto reading = [&](std::int64_t element) {
    return std::ranges::equal_range(all, element, {}, &detail::Reader::element);
  };
  const auto whole = reading(-1);
  if (!value.type.is_tuple()) return {whole.begin(), whole.end()};
  const auto parts = reading(leaves.element(value.type, leaf));
  memory.assign(whole.begin(), whole.end());
  memory.insert(memory.end(), parts.begin(), parts.end());
  const auto middle = memory.begin() + std::ranges::ssize(whole);
  std::ranges::inplace_merge(memory, middle, {}, &detail::Reader::place);
  return memory;
}

const detail::DirectValues* ProgramIndexing::Impl::direct_values(const Computation& computation) {
  if (const auto found = direct_memo.find(&computation); found != direct_memo.end())
    return found->second ? &*found->second : nullptr;
  std::optional<detail::DirectValues> out;
  const Instruction& root = *computation.root;
  const std::uint32_t results = leaves.count(root.type);
  if (results < computation.parameters.size()) {
    // Walks back from the root through steps that pass every element on. A value that is also reached in
    // another way, or on two paths, is not direct.
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    detail::DirectValues& direct = out.emplace();
    std::vector<bool> reached(computation.instructions.size(), false);
    const auto reach = [&](const Operand& operand) {
      for (std::uint32_t i = 0; i < leaves.count(operand); ++i)
        direct.insert_or_assign({operand.instruction, leaves.first(operand) + i}, kNone);
      reached[operand.instruction->index] = true;
    };
    for (std::uint32_t leaf = 0; leaf < results; ++leaf) direct.emplace(HloValue{&root, leaf}, leaf);
    reached[root.index] = true;
    for (std::size_t i = root.index + 1; i-- > 0;) {
      const Instruction& at = *computation.instructions[i];
      if (!reached[i]) continue;
      for (std::uint32_t leaf = 0; leaf < leaves.count(at.type); ++leaf) {
        const auto found = direct.find({&at, leaf});
        if (found == direct.end()) continue;
        const std::uint32_t result = found->second;
        if (result == kNone) {
          std::ranges::for_each(at.operands, reach);
          break;
        }
        const HloType& type = leaves.type(at.type, leaf);
        for (const OperandStep& step : kept_steps(at, leaf)) {
          // A slice of the first elements reads element i for element i, but does not read all of its
          // operand.
          const bool passed =
              step.identity &&
              detail::same_extents(type, leaves.type(step.value.instruction->type, step.value.leaf));
          const auto [known, is_new] = direct.try_emplace(step.value, passed ? result : kNone);
          if (!is_new && (known->second != result || !passed)) known->second = kNone;
          reached[step.value.instruction->index] = true;
        }
      }
    }
    std::erase_if(
        direct, [&](const auto& value) { return value.second == kNone || value.first.instruction == &root; });
  }
  const auto& kept = direct_memo.emplace(&computation, std::move(out)).first->second;
  return kept ? &*kept : nullptr;
}

std::uint64_t ProgramIndexing::Impl::parameter_arrays(const Computation& computation) {
  const auto [count, is_new] = parameter_arrays_memo.try_emplace(&computation, 0);
  if (is_new) {
    for (const Instruction* p : computation.parameters)
      count->second += p == nullptr ? 0 : p->type.leaf_count();
  }
  return count->second;
}

Groups ProgramIndexing::Impl::walk_forward(const Computation& computation, Groups groups, const Domain& start,
                                           std::uint64_t work, const detail::DirectValues* direct) {
  Groups at_root;
  detail::Readers readers_memory;
  Waiting waiting(std::move(groups));
  while (!waiting.empty()) {
    auto [place, here] = waiting.take(false);
    const Instruction& at = *computation.instructions[place.first];
    const std::uint32_t leaf = place.second;
    const HloType& type = leaves.type(at.type, leaf);
    if (options.footprint) here.maps.keep_footprint();
    if (direct != nullptr) {
      if (const auto found = direct->find({&at, leaf}); found != direct->end()) {
        const Instruction& root = *computation.root;
        hand_on(waiting[{root.index, found->second}], std::move(here), leaves.type(root.type, found->second),
                start, work);
        continue;
      }
    }
    for (const auto& [element, user, j] : readers_of(at, leaf, readers_memory)) {
      const Operand& operand = user->operands[j];
      const std::uint32_t first_leaf = leaves.first(operand);
      if (leaf < first_leaf || leaf - first_leaf >= leaves.count(operand)) continue;
      if (auto moved = moved_through(here, *user, false)) {
        hand_on(waiting[{user->index, 0}], *std::move(moved), leaves.type(user->type, 0), start, work);
        continue;
      }
      for (const Use& use : kept_uses(*user, j, leaf - first_leaf)) {
        Reached& target = waiting[{user->index, use.leaf}];
        const HloType& reader = leaves.type(user->type, use.leaf);
        if (use.identity) {
          hand_on(target, here, reader, start, work);
          continue;
        }
        settle(here, type, start, work);
        extend(target, here.maps.get(), use.maps, reader, start, work);
      }
    }
    if (&at != computation.root) continue;
    settle(here, type, start, work);
    at_root.emplace(std::pair(at.index, leaf), std::move(here));
  }
  return at_root;
}

const std::vector<OutputIndexing>& ProgramIndexing::Impl::parameter_to_root(const Computation& computation,
                                                                            std::uint32_t parameter,
                                                                            std::uint32_t leaf) {
  return shared->forward.get(computation, std::uint64_t{parameter} << 32 | leaf,
                             [&] { return walk_to_root(computation, parameter, leaf); });
}

std::vector<OutputIndexing> ProgramIndexing::Impl::walk_to_root(const Computation& computation,
                                                                std::uint32_t parameter, std::uint32_t leaf) {
  const Instruction& from = *computation.parameters[parameter];
  const HloType& type = leaves.type(from.type, leaf);
  Groups groups;
  groups[{from.index, leaf}] = {.maps = detail::SharedMaps(normalize(detail::identity_indexing(type)))};
  std::vector<OutputIndexing> out;
  const std::uint64_t work = work_of_a_walk(parameter_arrays(computation));
  for (auto& [place, reached] : walk_forward(computation, std::move(groups), detail::start_domain(type), work,
                                             direct_values(computation))) {
    out.push_back({.leaf = place.second, .maps = std::move(reached.maps).take()});
  }
  return out;
}

}  // namespace tessera
