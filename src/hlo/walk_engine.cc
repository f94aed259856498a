// SPDX-License-Identifier: Apache-2.0
// Many instructions: from a value to all it depends on, and to all that depends on it.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "hlo/fold_runtime.h"
#include "hlo/walk_impl.h"

namespace tessera {

using detail::Groups;
using detail::Step;
using detail::Use;

namespace {

constexpr const char* kTooManyMaps = "more maps than a set may hold, so the whole value is said";
constexpr const char* kTooLargeMap = "a map grew beyond its limit, so the whole value is said";
constexpr const char* kTooManyHops = "more maps than a set may hold, and some lead to other replicas";

std::uint64_t node_count(const IndexMap& map) {
  std::uint64_t nodes = 0;
  for (const Expr& e : map.results()) nodes += e.node_count();
  for (const Constraint& c : map.constraints()) nodes += c.expr.node_count();
  return nodes;
}

/// A limit was reached for this very value: its member says every element, for every start index. One that
/// came through a call may say it for some of them only.
bool is_whole(const OperandIndexing& x, std::span<const Index> dims, const Domain& start) {
  if (x.exactness != Exactness::superset || (x.reason != kTooManyMaps && x.reason != kTooLargeMap))
    return false;
  const auto own = x.map.variables().first(x.map.dim_count());
  if (!std::ranges::equal(own, start.variables(), {}, &Variable::bounds, &Variable::bounds)) return false;
  Index next = static_cast<Index>(x.map.dim_count());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Expr result = x.map.results()[i];
    if (dims[i] == 1 && result.is_constant(0)) continue;
    if (!result.is_variable() || result.value() != next++) return false;
    if (!(x.map.variables()[static_cast<std::size_t>(result.value())].bounds == Interval{0, dims[i] - 1}))
      return false;
  }
  return x.map.constraints().empty() && x.runtime.empty() && x.replica.empty();
}

}  // namespace

// --- one step further
// -----------------------------------------------------------------------------------------------

void ProgramIndexing::Impl::extend(IndexingSet& target, const IndexingSet& before, const IndexingSet& step,
                                   bool identity, const HloType& target_leaf, const Domain& start) {
  const auto dims = detail::extents(target_leaf);
  bool limited = dims && std::ranges::any_of(
                             target, [&](const OperandIndexing& x) { return is_whole(x, *dims, start); });
  // The whole value is that of the own replica.
  const auto leads_away = [](const OperandIndexing& one) { return !one.replica.empty(); };
  const auto add = [&](OperandIndexing x) {
    if (limited && x.exactness != Exactness::unknown) {
      if (!leads_away(x)) return;
      x = OperandIndexing::unknown(kTooManyHops);
    }
    const bool away = leads_away(x) || std::ranges::any_of(target, leads_away);
    const bool large = x.exactness != Exactness::unknown && node_count(x.map) > options.max_nodes;
    if (!large) insert(target, std::move(x));
    if (!large && target.size() <= options.max_maps) return;
    // One map of everything is all that is said from here on; unknown ways stay unknown.
    IndexingSet rest;
    for (OperandIndexing& member : target) {
      if (member.exactness == Exactness::unknown) rest.push_back(std::move(member));
    }
    if (rest.size() > 1) rest.erase(rest.begin() + 1, rest.end());
    const bool defined = std::ranges::any_of(
        before, [](const OperandIndexing& b) { return b.exactness != Exactness::unknown; });
    if (away) {
      insert(rest, OperandIndexing::unknown(kTooManyHops));
    } else if (dims && defined) {
      // Members cover parts of the start each, and later ones will be left out: the one that stays covers it
      // all.
      insert(rest, whole_value(start, *dims, large ? kTooLargeMap : kTooManyMaps));
    } else {
      insert(rest, OperandIndexing::unknown(kTooManyMaps));
    }
    target = std::move(rest);
    limited = true;
  };
  for (const OperandIndexing& first : before) {
    if (identity) {
      add(first);
      continue;
    }
    const bool at_start = first.exactness == Exactness::exact && first.runtime.empty() &&
                          first.replica.empty() && first.map.is_identity();
    for (const OperandIndexing& second : step) {
      const bool same_box =
          at_start && second.exactness != Exactness::unknown &&
          second.map.dim_count() == first.map.dim_count() &&
          std::ranges::equal(first.map.variables(), second.map.variables().first(second.map.dim_count()), {},
                             &Variable::bounds, &Variable::bounds);
      OperandIndexing x = same_box ? second : compose(first, second);
      // What is composed may tell more about a start index than its parts did.
      if (!same_box && !x.runtime.empty() && fold_runtime(x, {.resolve = {}, .single_values = true})) {
        x = normalize(std::move(x));
      }
      add(std::move(x));
    }
  }
}

// --- backwards
// ------------------------------------------------------------------------------------------------------

std::vector<ValueIndexing> ProgramIndexing::Impl::walk_back(
    const Computation& computation, Groups groups, const Domain& start,
    const std::function<bool(const Instruction&)>& inside) {
  // Operands stand before their users, so the instruction with the greatest number has all its maps.
  std::vector<ValueIndexing> out;
  while (!groups.empty()) {
    auto last = std::prev(groups.end());
    const Instruction& at = *computation.instructions[last->first.first];
    const std::uint32_t leaf = last->first.second;
    IndexingSet maps = std::move(last->second);
    groups.erase(last);
    if (options.footprint) keep_footprint(maps);
    if (at.opcode != Opcode::parameter && inside(at)) {
      for (const Step& step : kept_steps(at, leaf)) {
        const Instruction& operand = *step.value.instruction;
        extend(groups[{operand.index, step.value.leaf}], maps, step.maps, step.identity,
               leaves.type(operand.type, step.value.leaf), start);
      }
    }
    out.push_back({.value = {&at, leaf}, .maps = std::move(maps)});
  }
  return out;
}

const std::vector<ProgramIndexing::ParameterIndexing>& ProgramIndexing::Impl::root_to_parameters(
    const Computation& computation, std::uint32_t leaf) {
  const detail::PortKey key{&computation, 0, leaf};
  if (const auto found = back_memo.find(key); found != back_memo.end()) return found->second;
  const Instruction& root = *computation.root;
  Groups groups;
  const HloType& type = leaves.type(root.type, leaf);
  groups[{root.index, leaf}] = {normalize(detail::identity_indexing(type))};
  std::vector<ParameterIndexing> out;
  for (ValueIndexing& value : walk_back(computation, std::move(groups), detail::start_domain(type),
                                        [](const Instruction&) { return true; })) {
    const Instruction& at = *value.value.instruction;
    if (at.opcode != Opcode::parameter || at.parameter_number < 0 ||
        leaves.type(at.type, value.value.leaf).is_token()) {
      continue;
    }
    out.push_back({static_cast<std::uint32_t>(at.parameter_number), value.value.leaf, std::move(value.maps)});
  }
  std::ranges::sort(out, [](const ParameterIndexing& a, const ParameterIndexing& b) {
    return std::pair(a.parameter, a.leaf) < std::pair(b.parameter, b.leaf);
  });
  return back_memo.emplace(key, std::move(out)).first->second;
}

std::uint32_t ProgramIndexing::Impl::call_height(const Computation& computation) {
  if (const auto found = height_memo.find(&computation); found != height_memo.end()) return found->second;
  // By hand instead of by recursion: this is what tells how deep recursion may get.
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
  const auto outside = [&](const Instruction& parameter) -> std::optional<Operand> {
    const std::size_t operand = first_operand + static_cast<std::size_t>(parameter.parameter_number);
    if (parameter.parent != &callee || operand >= caller.operands.size()) return std::nullopt;
    return caller.operands[operand];
  };
  bool changed = false;
  for (OperandIndexing& x : maps) {
    if (x.runtime.empty()) continue;
    const bool folded = fold_runtime(x, {.resolve = outside, .single_values = true});
    for (RuntimeValue& value : x.runtime) {
      // Not an operand of the caller: made by this call.
      if (value.source == nullptr || value.source->parent == caller.parent) continue;
      value.calls.insert(value.calls.begin(), {&caller, first_operand});
    }
    if (!folded) continue;
    x = normalize(std::move(x));
    changed = true;
  }
  if (!changed) return;
  IndexingSet out;
  for (OperandIndexing& x : maps) insert(out, std::move(x));
  maps = std::move(out);
}

// --- forwards
// -------------------------------------------------------------------------------------------------------

const std::vector<std::vector<std::pair<const Instruction*, std::uint32_t>>>& ProgramIndexing::Impl::users(
    const Computation& computation) {
  if (const auto found = users_memo.find(&computation); found != users_memo.end()) return found->second;
  std::vector<std::vector<std::pair<const Instruction*, std::uint32_t>>> out(computation.instructions.size());
  for (const auto& instruction : computation.instructions) {
    for (std::size_t j = 0; j < instruction->operands.size(); ++j) {
      out[instruction->operands[j].instruction->index].emplace_back(instruction.get(),
                                                                    static_cast<std::uint32_t>(j));
    }
  }
  return users_memo.emplace(&computation, std::move(out)).first->second;
}

Groups ProgramIndexing::Impl::walk_forward(const Computation& computation, Groups groups,
                                           const Domain& start) {
  const auto& readers = users(computation);
  Groups at_root;
  while (!groups.empty()) {
    const auto first = groups.begin();
    const Instruction& at = *computation.instructions[first->first.first];
    const std::uint32_t leaf = first->first.second;
    IndexingSet maps = std::move(first->second);
    groups.erase(first);
    if (options.footprint) keep_footprint(maps);
    for (const auto& [user, j] : readers[at.index]) {
      const Operand& operand = user->operands[j];
      const std::uint32_t first_leaf = leaves.first(operand);
      if (leaf < first_leaf || leaf - first_leaf >= leaves.count(operand)) continue;
      for (Use& use : uses(*user, j, leaf - first_leaf)) {
        if (!use.identity) {
          IndexingSet simple;
          for (OperandIndexing& x : use.maps) {
            fold_runtime(x, {.resolve = {}, .single_values = true});
            insert(simple, normalize(std::move(x)));
          }
          use.maps = std::move(simple);
        }
        extend(groups[{user->index, use.leaf}], maps, use.maps, use.identity,
               leaves.type(user->type, use.leaf), start);
      }
    }
    if (&at == computation.root) at_root.emplace(std::pair(at.index, leaf), std::move(maps));
  }
  return at_root;
}

const std::vector<OutputLeafIndexing>& ProgramIndexing::Impl::parameter_to_root(
    const Computation& computation, std::uint32_t parameter, std::uint32_t leaf) {
  const detail::PortKey key{&computation, parameter, leaf};
  if (const auto found = forward_memo.find(key); found != forward_memo.end()) return found->second;
  const Instruction& from = *computation.parameters[parameter];
  const HloType& type = leaves.type(from.type, leaf);
  Groups groups;
  groups[{from.index, leaf}] = {normalize(detail::identity_indexing(type))};
  std::vector<OutputLeafIndexing> out;
  for (auto& [place, maps] : walk_forward(computation, std::move(groups), detail::start_domain(type))) {
    out.push_back({.leaf = place.second, .maps = std::move(maps)});
  }
  return forward_memo.emplace(key, std::move(out)).first->second;
}

}  // namespace tessera
