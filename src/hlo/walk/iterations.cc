// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/iterations.h"

#include <algorithm>
#include <utility>

#include "hlo/indexing/compose_normalized.h"
#include "hlo/indexing/indexing_set.h"
#include "hlo/indexing/normalize.h"
#include "hlo/indexing/size_value.h"
#include "hlo/limits.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/walk/limited_set.h"
#include "hlo/walk/loop_time.h"
#include "hlo/walk/solve_ranges.h"
#include "hlo/walk/steps.h"

namespace tessera {

using namespace detail;  // NOLINT(google-build-using-namespace): this file is part of the walk

namespace {

constexpr const char* kIterationStart = "a start index changes from iteration to iteration; any is assumed";
constexpr const char* kIterationSize =
    "a dynamic dimension may have another size in each iteration; any is assumed";

/// Whether the map leads from (n, index) to the index, for every n from 0 to `trips`.
bool is_end_itself(const Indexing& x, const HloType& leaf, Index trips) {
  if (x.exactness != Exactness::exact || !x.runtime.empty() || !x.replica.empty() || x.map.known_empty() ||
      !x.map.constraints().empty() || x.map.domain().symbol_count() > 0 ||
      !(x.map.variables()[0].bounds == Interval{0, trips})) {
    return false;
  }
  const std::span<const Index> dims = *extents(leaf);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const Expr result = x.map.results()[d];
    const bool same = (result.is_variable() && result.value() == static_cast<Index>(d) + 1) ||
                      (dims[d] == 1 && result.is_constant(0));
    if (!same || !(x.map.variables()[d + 1].bounds == Interval{0, dims[d] - 1})) return false;
  }
  return true;
}

}  // namespace

Domain ProgramIndexing::Impl::Iterations::timeline(std::uint32_t leaf) const {
  const std::span<const Index> own = *extents(type(leaf));
  std::vector<Index> dims{counted_.trips + 1};
  dims.insert(dims.end(), own.begin(), own.end());
  return Domain::box(dims);
}

ElementOptions ProgramIndexing::Impl::Iterations::what_iterations_know() {
  // A parameter of the computation that contains the loop is not the state of the loop.
  const auto is_state = [this](const Operand& parameter) {
    const Computation* const in = parameter.instruction->parent;
    return parameter.tuple_index >= 0 && (in == &body_ || in == &condition_);
  };
  return {.resolve = [this, is_state](const Operand& parameter) -> std::optional<Operand> {
            // Arrays that no iteration changes are those of the loop's operand.
            if (!is_state(parameter)) return std::nullopt;
            const std::uint32_t first = leaves_.first(parameter);
            for (std::uint32_t i = 0; i < leaves_.count(parameter); ++i) {
              if (!program_.handed_through(loop_, first + i)) return std::nullopt;
            }
            return loop_.operands[0];
          },
          .known = [this, is_state](const Operand& parameter) -> std::optional<Expr> {
            if (!is_state(parameter) || leaves_.count(parameter) != 1) return std::nullopt;
            const auto& counter = counted_.counters[leaves_.first(parameter)];
            if (!counter) return std::nullopt;
            return Expr::variable(0) * counter->step + counter->first;
          }};
}

Indexing ProgramIndexing::Impl::Iterations::timed(Indexing x, Interval iterations) {
  if (x.exactness == Exactness::unknown) return x;
  for_each_map(x, [&](IndexMap& map, bool) { map = with_dimension(map, iterations); });
  if (x.runtime.empty()) return x;
  fold_runtime(x, {.elements = what_iterations_know(), .single_values = true, .scalars = &scalars_});
  for (std::size_t i = 0; i < x.runtime.size();) {
    const RuntimeValue& value = x.runtime[i];
    // The position of a device is the same in every iteration; the size of an array of the body is not.
    const bool size = is_size(value);
    if (!size && (value.source == nullptr || (value.source->parent == loop_.parent && value.calls.empty()))) {
      ++i;
      continue;
    }
    const std::size_t variable = x.map.dim_count() + x.map.range_count() + i;
    if (x.reason.empty()) x.reason = size ? kIterationSize : kIterationStart;
    x.exactness = Exactness::superset;
    x.runtime.erase(x.runtime.begin() + static_cast<std::ptrdiff_t>(i));
    make_range(x, variable);
  }
  normalize_in_place(x);
  return x;
}

IndexingSet ProgramIndexing::Impl::Iterations::timed(const IndexingSet& maps, Interval iterations) {
  IndexingSet out;
  std::vector<Fingerprint> fingerprints;
  for (const Indexing& x : maps) insert(out, fingerprints, timed(x, iterations));
  return out;
}

// The indexing from the index alone: the union of those of all iterations.
Indexing ProgramIndexing::Impl::Iterations::without_time(Indexing x) const {
  if (x.exactness == Exactness::unknown) return x;
  bool uses = !(x.map.variables()[0].bounds == Interval{0, counted_.trips - 1});
  for_each_map(x, [&](const IndexMap& map, bool) {
    std::vector<bool> used(map.variables().size());
    mark_used(map.results(), used);
    for (const Constraint& c : map.constraints()) mark_used(std::span(&c.expr, 1), used);
    uses = uses || used[0];
  });
  make_range(x, 0);
  if (uses) {
    x.exactness = Exactness::superset;
    x.reason = "the elements differ from iteration to iteration; those of all iterations are included";
  }
  normalize_in_place(x);
  return x;
}

// The maps of one iteration, from (n, index) to (n - 1, index).
IndexingSet ProgramIndexing::Impl::Iterations::one_iteration(const IndexingSet& timed) const {
  const Expr n = Expr::variable(0);
  const Interval numbers{1, counted_.trips};
  IndexingSet out;
  std::vector<Fingerprint> fingerprints;
  for (const Indexing& x : timed) insert(out, fingerprints, retimed(x, numbers, iteration(n), {n - 1}));
  return out;
}

void ProgramIndexing::Impl::Iterations::find_links() {
  once_.resize(count_);
  tested_.resize(count_);
  const Interval iterations{0, counted_.trips - 1};
  const Interval tests{0, counted_.trips};
  const auto add = [&](std::uint32_t leaf, std::uint32_t to, const IndexingSet& maps) {
    if (counted_.trips == 0 || reads_nothing(maps)) return;
    IndexingSet once = timed(maps, iterations);
    keep_footprint(once);
    if (!reads_nothing(once)) once_[leaf].insert_or_assign(to, std::move(once));
  };
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    if (type(leaf).is_token()) continue;
    if (!forward_) {
      for (const auto& from : program_.root_to_parameters(body_, leaf)) add(leaf, from.leaf, from.maps);
      continue;
    }
    for (const OutputIndexing& to : program_.parameter_to_root(body_, 0, leaf)) add(leaf, to.leaf, to.maps);
    for (const OutputIndexing& to : program_.parameter_to_root(condition_, 0, leaf))
      tested_[leaf][count_] = timed(to.maps, tests);
  }
}

void ProgramIndexing::Impl::Iterations::join(IndexingSet& target, const IndexingSet& first,
                                             const IndexingSet& second, const HloType& leaf,
                                             const Domain& start) {
  std::vector<Fingerprint> fingerprints;
  LimitedSet set(target, fingerprints, leaf, start, program_.options);
  for (const Indexing& a : first) {
    for (const Indexing& b : second) {
      if (set.covers(a, b)) continue;
      const std::uint64_t cost = composition_cost(a, b);
      if (cost > work_ && set.cover(a, b)) continue;
      work_ -= std::min(work_, cost);
      Indexing x = compose_normalized(a, b);
      bool changed = !x.runtime.empty() && fold_runtime(x, {.single_values = true, .arrays = false});
      changed = solve_ranges(x, !changed) || changed;
      if (changed) normalize_in_place(x);
      set.add(std::move(x));
    }
  }
}

void ProgramIndexing::Impl::Iterations::join(Targets& target, const IndexingSet& first, const Targets& second,
                                             const Domain& start) {
  for (const auto& [to, maps] : second) {
    if (maps.size() != 1 || !is_end_itself(maps[0], type(to), counted_.trips)) {
      join(target[to], first, maps, type(to), start);
      continue;
    }
    // No later iteration changes the array, so the index stays the same.
    std::vector<Fingerprint> fingerprints;
    LimitedSet set(target[to], fingerprints, type(to), start, program_.options);
    for (Indexing x : first) {
      if (x.exactness != Exactness::unknown) {
        x.map =
            IndexMap::make_unchecked(x.map.domain(), {x.map.results().begin() + 1, x.map.results().end()});
        solve_ranges(x, true);
        normalize_in_place(x);
      }
      set.add(std::move(x));
    }
  }
}

ProgramIndexing::Impl::Iterations::Targets ProgramIndexing::Impl::Iterations::through_others(
    std::uint32_t leaf, const std::vector<std::uint32_t>& component) {
  Targets out;
  for (const auto& [to, maps] : once_[leaf]) {
    if (std::ranges::binary_search(component, to)) continue;
    join(out, one_iteration(maps), all_[to], timeline(leaf));
  }
  return out;
}

void ProgramIndexing::Impl::Iterations::follow(const std::vector<std::uint32_t>& component) {
  // Adds what the condition reads in each state.
  const Expr state = Expr::constant(counted_.trips) - Expr::variable(0);
  for (const std::uint32_t leaf : component) {
    for (const auto& [to, maps] : tested_[leaf]) {
      for (const Indexing& x : maps) insert(all_[leaf][to], retimed(x, {0, counted_.trips}, state, {}));
    }
  }
  const std::uint32_t leaf = component[0];
  const bool again = once_[leaf].contains(leaf);
  if (component.size() == 1 && !again) {
    // At distance 0 the walk ends at the array itself. Earlier states depend only on other arrays.
    for (Indexing& x : to_end({identity_indexing(type(leaf))}, {0, 0}))
      insert(all_[leaf][leaf], std::move(x));
    for (auto& [to, maps] : through_others(leaf, component)) {
      for (Indexing& x : maps) insert(all_[leaf][to], std::move(x));
    }
    return;
  }
  if (component.size() == 1 && once_[leaf][leaf].size() == 1) {
    const Indexing any_time = without_time(once_[leaf][leaf][0]);
    if (is_identity(any_time, type(leaf))) return follow_identity(leaf, any_time.exactness, any_time.reason);
  }
  follow_recurrence(component);
}

const detail::LoopLinks* ProgramIndexing::Impl::loop_links(const Instruction& loop, bool forward) {
  const auto& links = shared->loops.get(loop, forward, [&] { return counted_links(loop, forward); });
  return links ? &*links : nullptr;
}

std::optional<detail::LoopLinks> ProgramIndexing::Impl::counted_links(const Instruction& loop, bool forward) {
  const Computation* const body = called_as(loop, "body");
  const Computation* const condition = called_as(loop, "condition");
  const auto has_state_type = [&](const HloType& type) {
    if (leaves.count(type) != leaves.count(loop.type)) return false;
    for (std::uint32_t leaf = 0; leaf < leaves.count(type); ++leaf) {
      const HloType& a = leaves.type(type, leaf);
      const HloType& b = leaves.type(loop.type, leaf);
      if (a.is_token() != b.is_token()) return false;
      if (a.is_token()) continue;
      if (!detail::extents(a) || !detail::same_extents(a, b)) return false;
    }
    return true;
  };
  if (body != nullptr && condition != nullptr && loop.sound && loop.operands.size() == 1 &&
      std::max(call_height(*body), call_height(*condition)) < detail::kHloLimits.walk.call_height) {
    auto counted = detail::counted_loop(loop, *condition, *body, leaves);
    if (counted && has_state_type(loop.operand_type(0)) && has_state_type(body->root->type) &&
        has_state_type(body->parameters[0]->type) && has_state_type(condition->parameters[0]->type) &&
        leaves.count(condition->root->type) == 1 && condition->root->type.is_array() &&
        condition->root->type.rank() == 0) {
      return Iterations(*this, loop, *condition, *body, *std::move(counted), forward).links();
    }
  }
  return std::nullopt;
}

}  // namespace tessera
