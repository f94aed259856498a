// SPDX-License-Identifier: Apache-2.0
// A loop that runs a known number of times: maps over its iterations.
//
// A state of the loop is numbered by its distance, in iterations, from the side where the walk ends: 0 there,
// the number of iterations where it starts. That number is dimension 0 of all maps here, and the maps of one
// iteration lead from n to n - 1. Maps over n iterations then follow by composition, array by array: each
// array after those it depends on, and arrays that depend on each other (a recurrence) together.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "hlo/indexing/variables.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/walk/counted_loop.h"
#include "hlo/walk/impl.h"
#include "hlo/walk/limits.h"
#include "hlo/walk/loop_write.h"
#include "hlo/walk/solve_ranges.h"
#include "tessera/map/simplify.h"

namespace tessera {
namespace detail {
namespace {

/// The most powers of a recurrence to compute until they repeat; beyond that, every element is assumed to
/// depend on the whole value.
constexpr std::size_t kMaxPower = 3;
/// The most maps between two arrays of a recurrence, and the most arrays, for which powers are computed.
constexpr std::size_t kMaxRecurrenceMaps = 8;
constexpr std::size_t kMaxRecurrenceArrays = 8;

/// Maps from one array to others, by the number of the other array.
using Targets = std::map<std::uint32_t, IndexingSet>;

constexpr const char* kIterationStart = "a start index changes from iteration to iteration; any is assumed";

Domain with_count(const HloType& leaf, Index upper) {
  std::vector<Index> dims = *extents(leaf);
  dims.insert(dims.begin(), upper + 1);
  return Domain::box(dims);
}

std::vector<Expr> dims_from(std::size_t first, std::size_t count) {
  std::vector<Expr> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(Expr::variable(static_cast<Index>(first + i)));
  return out;
}

/// Applies a change of variables to every map of the indexing.
template <class Function>
void for_each_map(OperandIndexing& x, const Function& function) {
  const std::size_t all = x.map.variables().size();
  for (RuntimeValue& value : x.runtime) function(value.map, value.map.variables().size() == all);
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) function(hop.map, hop.map.variables().size() == all);
  }
  function(x.map, true);
}

/// The map with a new first dimension, whose interval is `bounds`.
IndexMap with_dimension(const IndexMap& map, Interval bounds) {
  const auto all = map.variables();
  const std::size_t dims = map.dim_count();
  const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<Variable> own{{.bounds = bounds}};
  own.insert(own.end(), at(0), at(dims));
  Domain domain(std::move(own), {at(dims), at(dims + map.range_count())},
                {at(dims + map.range_count()), all.end()});
  const std::vector<Expr> numbering = dims_from(1, all.size());
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
  if (map.known_empty()) domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
}

/// The map with a new dimension 0; `value` is the old dimension 0 in terms of the new one. The results follow
/// `first`.
IndexMap with_other_dimension(const IndexMap& map, Interval bounds, Expr value, std::vector<Expr> first) {
  const auto all = map.variables();
  const std::size_t dims = map.dim_count();
  const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<Variable> own(at(0), at(dims));
  own[0] = {.bounds = bounds};
  Domain domain(std::move(own), {at(dims), at(dims + map.range_count())},
                {at(dims + map.range_count()), all.end()});
  std::vector<Expr> numbering = dims_from(0, all.size());
  numbering[0] = value;
  domain.constrain(value, all[0].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
  if (map.known_empty()) domain.set_known_empty();
  for (const Expr& e : map.results()) first.push_back(substitute(e, numbering));
  return IndexMap::make_unchecked(std::move(domain), std::move(first));
}

/// Changes dimension 0 of an indexing; runtime and replica maps keep their results.
OperandIndexing retimed(OperandIndexing x, Interval bounds, Expr value, std::vector<Expr> first) {
  if (x.exactness == Exactness::unknown) return x;
  for_each_map(x, [&](IndexMap& map, bool) {
    map = with_other_dimension(map, bounds, value, &map == &x.map ? std::move(first) : std::vector<Expr>());
  });
  return normalize(std::move(x));
}

/// Turns a variable of the map into its last range variable.
void make_range(OperandIndexing& x, std::size_t variable) {
  const auto convert = [&](IndexMap& map, bool all_variables) {
    const auto vars = map.variables();
    if (!all_variables && variable >= map.dim_count()) return;
    std::vector<Variable> kinds[3];
    for (std::size_t v = 0; v < vars.size(); ++v) {
      if (v != variable) kinds[static_cast<std::size_t>(map.domain().kind(v))].push_back(vars[v]);
    }
    kinds[1].push_back(vars[variable]);
    const std::size_t place = kinds[0].size() + kinds[1].size() - 1;
    std::vector<Expr> numbering;
    for (std::size_t v = 0; v < vars.size(); ++v) {
      std::size_t to = v - (v > variable ? 1 : 0);
      if (v == variable) {
        to = place;
      } else if (to >= place) {
        ++to;
      }
      numbering.push_back(Expr::variable(static_cast<Index>(to)));
    }
    Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
    for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
    if (map.known_empty()) domain.set_known_empty();
    map = IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
  };
  // Runtime and replica maps that have only dimensions get the range variables.
  if (variable < x.map.dim_count()) {
    const Domain& domain = x.map.domain();
    for_each_map(x, [&](IndexMap& map, bool all_variables) {
      if (!all_variables) map = spread(map, domain, 0, 0);
    });
  }
  for_each_map(x, convert);
}

/// Whether the set is the identity, exact or a superset.
bool is_identity_like(const IndexingSet& maps, const HloType& leaf) {
  if (maps.size() != 1 || maps[0].exactness == Exactness::unknown) return false;
  IndexingSet copy{maps[0]};
  copy[0].exactness = Exactness::exact;
  return is_full_identity(copy, leaf);
}

bool is_nothing(const IndexingSet& maps) {
  return std::ranges::all_of(maps, [](const OperandIndexing& x) {
    return x.exactness != Exactness::unknown && x.map.known_empty();
  });
}

/// Whether each member of `a` is contained in a member of `b`.
bool lies_in(const IndexingSet& a, const IndexingSet& b) {
  return std::ranges::all_of(a, [&](const OperandIndexing& x) {
    return std::ranges::any_of(
        b, [&](const OperandIndexing& y) { return same_relation(x, y) || contained(x, y); });
  });
}

/// Strongly connected components, each after those that it needs. Tarjan's algorithm, without recursion.
std::vector<std::vector<std::uint32_t>> components(const std::vector<std::vector<std::uint32_t>>& needs) {
  constexpr std::uint32_t kNew = ~std::uint32_t{0};
  const auto count = static_cast<std::uint32_t>(needs.size());
  std::vector<std::uint32_t> number(count, kNew);
  std::vector<std::uint32_t> lowest(count, 0);
  std::vector<bool> waiting(count, false);
  std::vector<std::uint32_t> stack;
  std::vector<std::vector<std::uint32_t>> out;
  std::uint32_t next = 0;
  struct Visit {
    std::uint32_t node;
    std::size_t edge;
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (number[start] != kNew) continue;
    std::vector<Visit> way{{start, 0}};
    while (!way.empty()) {
      const std::uint32_t node = way.back().node;
      if (way.back().edge == 0) {
        number[node] = lowest[node] = next++;
        stack.push_back(node);
        waiting[node] = true;
      }
      bool deeper = false;
      while (way.back().edge < needs[node].size()) {
        const std::uint32_t to = needs[node][way.back().edge++];
        if (number[to] == kNew) {
          way.push_back({to, 0});
          deeper = true;
          break;
        }
        if (waiting[to]) lowest[node] = std::min(lowest[node], number[to]);
      }
      if (deeper) continue;
      if (lowest[node] == number[node]) {
        auto& component = out.emplace_back();
        std::uint32_t member = kNew;
        do {
          member = stack.back();
          stack.pop_back();
          waiting[member] = false;
          component.push_back(member);
        } while (member != node);
        std::ranges::sort(component);
      }
      way.pop_back();
      if (!way.empty()) lowest[way.back().node] = std::min(lowest[way.back().node], lowest[node]);
    }
  }
  return out;
}

}  // namespace
}  // namespace detail

using namespace detail;  // NOLINT(google-build-using-namespace): this file is part of the walk

/// One direction through one counted loop.
class ProgramIndexing::Impl::Iterations {
 public:
  Iterations(ProgramIndexing::Impl& program, const Instruction& loop, const Computation& condition,
             const Computation& body, CountedLoop counted, bool forward)
      : program_(program),
        leaves_(program.leaves),
        loop_(loop),
        condition_(condition),
        body_(body),
        counted_(std::move(counted)),
        forward_(forward),
        count_(leaves_.count(loop.type)),
        work_(program.options.max_work) {}

  LoopLinks links();

 private:
  using Matrix = std::vector<std::vector<IndexingSet>>;

  const HloType& type(std::uint32_t leaf) {
    return leaf == count_ ? condition_.root->type : leaves_.type(loop_.type, leaf);
  }
  Domain timeline(std::uint32_t leaf) { return with_count(type(leaf), counted_.trips); }

  /// The iteration with number n, counted from 1 in the direction of the walk.
  Expr iteration(Expr n) const { return forward_ ? Expr::constant(counted_.trips) - n : n - 1; }
  /// The number of the state before the given iteration (after it if `forward`).
  Expr number(Expr iteration) const {
    return forward_ ? Expr::constant(counted_.trips) - iteration : iteration + 1;
  }

  ElementOptions what_iterations_know();
  OperandIndexing timed(OperandIndexing x, Interval iterations);
  IndexingSet timed(const IndexingSet& maps, Interval iterations);
  OperandIndexing without_time(OperandIndexing x) const;
  IndexingSet one_iteration(const IndexingSet& timed) const;
  void find_links();
  void join(IndexingSet& target, const IndexingSet& first, const IndexingSet& second, const HloType& leaf,
            const Domain& start);
  void join(Targets& target, const IndexingSet& first, const Targets& second, const Domain& start);

  /// Where `leaf` leads after one or more iterations through arrays outside its own component.
  Targets through_others(std::uint32_t leaf, const std::vector<std::uint32_t>& component);
  void follow(const std::vector<std::uint32_t>& component);
  void follow_identity(std::uint32_t leaf, Exactness exactness, const std::string& reason);
  void follow_recurrence(const std::vector<std::uint32_t>& component);
  bool powers(const std::vector<std::uint32_t>& component, const Matrix& once, std::vector<Matrix>& out);
  Matrix whole(const std::vector<std::uint32_t>& component, const Matrix& once);
  IndexingSet later(const IndexingSet& power, Index least) const;
  IndexingSet exactly(const IndexingSet& power, Index steps, bool to_end) const;

  std::optional<LoopWrite> write_of(std::uint32_t leaf);
  struct Update {
    const Instruction* instruction = nullptr;
    std::vector<CallSite> calls;
    HloValue origin;  ///< the updated parameter
  };
  std::optional<Update> update_of(const Computation& computation, HloValue value);
  bool in_written_box(const OperandIndexing& timed, const LoopWrite& write) const;

  LoopLinks finish();
  void add_condition(LoopLinks& out);

  ProgramIndexing::Impl& program_;
  Leaves& leaves_;
  const Instruction& loop_;
  const Computation& condition_;
  const Computation& body_;
  CountedLoop counted_;
  bool forward_;
  std::uint32_t count_;  ///< of arrays in the state; the condition is one more target
  std::uint64_t work_;
  std::vector<Targets> once_;    ///< one iteration, over (iteration, index)
  std::vector<Targets> tested_;  ///< forward: what the condition reads, over (iteration, index)
  std::vector<Targets> all_;     ///< any number of iterations, over (number, index)
};

ElementOptions ProgramIndexing::Impl::Iterations::what_iterations_know() {
  // The operand of the loop may be part of a parameter of the computation that contains the loop.
  const auto is_state = [this](const Operand& parameter) {
    const Computation* const in = parameter.instruction->parent;
    return parameter.tuple_index >= 0 && (in == &body_ || in == &condition_);
  };
  return {.resolve = [this, is_state](const Operand& parameter) -> std::optional<Operand> {
            // Arrays that no iteration changes are the loop's operand.
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

OperandIndexing ProgramIndexing::Impl::Iterations::timed(OperandIndexing x, Interval iterations) {
  if (x.exactness == Exactness::unknown) return x;
  for_each_map(x, [&](IndexMap& map, bool) { map = with_dimension(map, iterations); });
  fold_runtime(x, {.elements = what_iterations_know(), .single_values = true});
  for (std::size_t i = 0; i < x.runtime.size();) {
    const RuntimeValue& value = x.runtime[i];
    // Without a source the value is a device's number, which is the same in every iteration.
    if (value.source == nullptr || (value.source->parent == loop_.parent && value.calls.empty())) {
      ++i;
      continue;
    }
    const std::size_t variable = x.map.dim_count() + x.map.range_count() + i;
    if (x.reason.empty()) x.reason = kIterationStart;
    x.exactness = Exactness::superset;
    x.runtime.erase(x.runtime.begin() + static_cast<std::ptrdiff_t>(i));
    make_range(x, variable);
  }
  return normalize(std::move(x));
}

IndexingSet ProgramIndexing::Impl::Iterations::timed(const IndexingSet& maps, Interval iterations) {
  IndexingSet out;
  for (const OperandIndexing& x : maps) insert(out, timed(x, iterations));
  return out;
}

// The maps over the index alone: the union over all iterations.
OperandIndexing ProgramIndexing::Impl::Iterations::without_time(OperandIndexing x) const {
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
  return normalize(std::move(x));
}

// From (n, index) to (n - 1, index).
IndexingSet ProgramIndexing::Impl::Iterations::one_iteration(const IndexingSet& timed) const {
  const Expr n = Expr::variable(0);
  const Interval numbers{1, counted_.trips};
  IndexingSet out;
  for (const OperandIndexing& x : timed) insert(out, retimed(x, numbers, iteration(n), {n - 1}));
  return out;
}

void ProgramIndexing::Impl::Iterations::find_links() {
  once_.resize(count_);
  tested_.resize(count_);
  const Interval iterations{0, counted_.trips - 1};
  const Interval tests{0, counted_.trips};
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    if (type(leaf).is_token()) continue;
    if (!forward_) {
      for (const auto& from : program_.root_to_parameters(body_, leaf)) once_[leaf][from.leaf] = from.maps;
      continue;
    }
    for (const OutputLeafIndexing& to : program_.parameter_to_root(body_, 0, leaf))
      once_[leaf][to.leaf] = to.maps;
    for (const OutputLeafIndexing& to : program_.parameter_to_root(condition_, 0, leaf))
      tested_[leaf][count_] = timed(to.maps, tests);
  }
  if (counted_.trips == 0) once_.assign(count_, {});
  for (Targets& targets : once_) {
    std::erase_if(targets, [](const auto& target) { return is_nothing(target.second); });
    for (auto& [to, maps] : targets) maps = timed(maps, iterations);
    std::erase_if(targets, [](const auto& target) { return is_nothing(target.second); });
  }
}

void ProgramIndexing::Impl::Iterations::join(IndexingSet& target, const IndexingSet& first,
                                             const IndexingSet& second, const HloType& leaf,
                                             const Domain& start) {
  LimitedSet set(target, leaf, start, program_.options);
  for (const OperandIndexing& a : first) {
    for (const OperandIndexing& b : second) {
      if (set.covers(a, b)) continue;
      const std::uint64_t cost = composition_cost(a, b);
      if (cost > work_ && set.cover(a, b)) continue;
      work_ -= std::min(work_, cost);
      OperandIndexing x = compose(a, b);
      bool changed = !x.runtime.empty() && fold_runtime(x, {.single_values = true});
      changed = solve_ranges(x) || changed;
      set.add(changed ? normalize(std::move(x)) : std::move(x));
    }
  }
}

void ProgramIndexing::Impl::Iterations::join(Targets& target, const IndexingSet& first, const Targets& second,
                                             const Domain& start) {
  for (const auto& [to, maps] : second) join(target[to], first, maps, type(to), start);
}

Targets ProgramIndexing::Impl::Iterations::through_others(std::uint32_t leaf,
                                                          const std::vector<std::uint32_t>& component) {
  Targets out;
  for (const auto& [to, maps] : once_[leaf]) {
    if (std::ranges::binary_search(component, to)) continue;
    join(out, one_iteration(maps), all_[to], timeline(leaf));
  }
  return out;
}

/// `steps` iterations of the component, by the maps `power`, from (n, index) to (n - steps, index). `to_end`:
/// n is at least `steps`, and the target is the end itself.
IndexingSet ProgramIndexing::Impl::Iterations::exactly(const IndexingSet& power, Index steps,
                                                       bool to_end) const {
  const Expr n = Expr::variable(0);
  IndexingSet out;
  for (OperandIndexing x : power) {
    if (x.exactness != Exactness::unknown) {
      if (steps > counted_.trips) continue;
      const Interval numbers{steps, counted_.trips};
      x.map = with_dimension(x.map, numbers);
      std::vector<Expr> results(x.map.results().begin(), x.map.results().end());
      if (!to_end) results.insert(results.begin(), n - steps);
      x.map = IndexMap::make_unchecked(x.map.domain(), std::move(results));
    }
    out.push_back(std::move(x));
  }
  return out;
}

/// `least` or more iterations: from (n, index) to (number of s, index) for every iteration s at that
/// distance.
IndexingSet ProgramIndexing::Impl::Iterations::later(const IndexingSet& power, Index least) const {
  IndexingSet out;
  for (OperandIndexing x : power) {
    if (x.exactness != Exactness::unknown) {
      if (least > counted_.trips) continue;
      x.map = with_dimension(x.map, {0, counted_.trips});
      const auto all = x.map.variables();
      const std::size_t dims = x.map.dim_count();
      const std::size_t ranges = x.map.range_count();
      const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
      std::vector<Variable> own(at(dims), at(dims + ranges));
      // Forward, the condition is evaluated once more than the body.
      own.push_back({.bounds = {0, forward_ ? counted_.trips : std::max<Index>(counted_.trips - 1, 0)}});
      const Expr s = Expr::variable(static_cast<Index>(dims + ranges));
      Domain domain({at(0), at(dims)}, std::move(own), {});
      for (const Constraint& c : x.map.constraints()) domain.constrain(c.expr, c.range);
      if (x.map.known_empty()) domain.set_known_empty();
      domain.constrain(Expr::variable(0) - number(s), {least, kPosInf});
      domain.constrain(number(s), {0, counted_.trips});
      std::vector<Expr> results(x.map.results().begin(), x.map.results().end());
      results.insert(results.begin(), number(s));
      x.map = IndexMap::make_unchecked(std::move(domain), std::move(results));
      x = normalize(std::move(x));
    }
    out.push_back(std::move(x));
  }
  return out;
}

void ProgramIndexing::Impl::Iterations::follow(const std::vector<std::uint32_t>& component) {
  // The condition reads the state before an iteration.
  const Expr state = Expr::constant(counted_.trips) - Expr::variable(0);
  for (const std::uint32_t leaf : component) {
    for (const auto& [to, maps] : tested_[leaf]) {
      for (const OperandIndexing& x : maps)
        insert(all_[leaf][to], retimed(x, {0, counted_.trips}, state, {}));
    }
  }
  const std::uint32_t leaf = component[0];
  const bool again = once_[leaf].contains(leaf);
  if (component.size() == 1 && !again) {
    // Either the end itself, or a path through other arrays.
    const OperandIndexing here = identity_indexing(type(leaf));
    for (OperandIndexing& x : exactly({here}, 0, true)) {
      Domain end = x.map.domain();
      end.constrain(Expr::variable(0), {0, 0});
      x.map = IndexMap::make_unchecked(std::move(end), {x.map.results().begin(), x.map.results().end()});
      insert(all_[leaf][leaf], normalize(std::move(x)));
    }
    for (auto& [to, maps] : through_others(leaf, component)) {
      for (OperandIndexing& x : maps) insert(all_[leaf][to], std::move(x));
    }
    return;
  }
  if (component.size() == 1 && is_full_identity({without_time(once_[leaf][leaf][0])}, type(leaf)) &&
      once_[leaf][leaf].size() == 1) {
    return follow_identity(leaf, Exactness::exact, {});
  }
  if (component.size() == 1 && once_[leaf][leaf].size() == 1 &&
      is_identity_like({without_time(once_[leaf][leaf][0])}, type(leaf))) {
    return follow_identity(leaf, Exactness::superset, once_[leaf][leaf][0].reason);
  }
  follow_recurrence(component);
}

// Every iteration passes the array on, either all of it (exact) or all except what it overwrites.
void ProgramIndexing::Impl::Iterations::follow_identity(std::uint32_t leaf, Exactness exactness,
                                                        const std::string& reason) {
  OperandIndexing here = identity_indexing(type(leaf));
  const IndexingSet handed{here};
  const Domain start = timeline(leaf);
  Targets others = through_others(leaf, {leaf});
  for (auto& [to, maps] : all_[leaf]) {
    for (OperandIndexing& x : maps) insert(others[to], std::move(x));
  }
  all_[leaf].clear();
  Targets& out = all_[leaf];
  if (exactness == Exactness::exact) {
    out[leaf] = exactly(handed, 0, true);
    join(out, later(handed, 0), others, start);
    return;
  }
  here.exactness = Exactness::superset;
  here.reason = reason;
  const auto write = write_of(leaf);
  auto kept = write ? untouched(*write, start, counted_.trips, forward_) : std::nullopt;
  out[leaf] = kept ? *std::move(kept) : exactly({here}, 0, true);
  if (!write || !write->apart(counted_.trips)) {
    join(out, later({here}, 0), others, start);
    return;
  }
  // No element is written twice. An element in the box of an iteration (backward: of its map) has its final
  // value from that iteration; the others may have been overwritten on the way.
  Targets in_box;
  Targets elsewhere;
  for (const auto& [to, maps] : once_[leaf]) {
    if (to == leaf) continue;
    for (const OperandIndexing& x : maps) {
      const bool inside = !forward_ && in_written_box(x, *write);
      join(inside ? in_box : elsewhere, one_iteration({x}), all_[to], start);
    }
  }
  for (const auto& [to, maps] : others) {
    if (to == count_) {
      for (const OperandIndexing& x : maps) insert(elsewhere[to], x);
    }
  }
  join(out, later(handed, 0), in_box, start);
  Targets before;
  join(out, exactly(handed, 0, false), elsewhere, start);
  join(before, later({here}, 1), elsewhere, start);
  for (auto& [to, maps] : before) {
    for (OperandIndexing& x : maps) {
      if (!lies_in({x}, out[to])) insert(out[to], std::move(x));
    }
  }
}

ProgramIndexing::Impl::Iterations::Matrix ProgramIndexing::Impl::Iterations::whole(
    const std::vector<std::uint32_t>& component, const Matrix& once) {
  const std::string reason = fmt::format(
      "loop-carried dependence: includes whatever iterations 0 to {} pass on", counted_.trips - 1);
  std::string unknown;
  for (const auto& row : once) {
    for (const IndexingSet& maps : row) {
      for (const OperandIndexing& x : maps) {
        if (x.exactness == Exactness::unknown && unknown.empty()) unknown = x.reason;
        if (!x.replica.empty() && unknown.empty()) unknown = "loop-carried dependence on other replicas";
      }
    }
  }
  const std::size_t n = component.size();
  Matrix out(n, std::vector<IndexingSet>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const Domain start = start_domain(type(component[i]));
    for (std::size_t j = 0; j < n; ++j) {
      if (!unknown.empty()) {
        out[i][j] = {OperandIndexing::unknown(unknown)};
        continue;
      }
      OperandIndexing x = whole_value(start, *extents(type(component[j])), reason);
      if (n == 1 && !x.map.known_empty()) {
        // A dimension that every iteration preserves is preserved over all iterations.
        const std::size_t rank = start.dim_count();
        std::vector<Expr> results(rank);
        std::vector<Variable> ranges;
        for (std::size_t d = 0; d < rank; ++d) {
          const Expr own = Expr::variable(static_cast<Index>(d));
          const bool kept = std::ranges::all_of(once[0][0], [&](const OperandIndexing& y) {
            return y.map.known_empty() || y.map.results()[d] == own;
          });
          results[d] = kept ? own : Expr::variable(static_cast<Index>(rank + ranges.size()));
          if (!kept) ranges.push_back(start.variables()[d]);
        }
        Domain domain({start.variables().begin(), start.variables().end()}, std::move(ranges), {});
        x.map = IndexMap::make_unchecked(std::move(domain), std::move(results));
        x = normalize(std::move(x));
      }
      out[i][j] = {std::move(x)};
    }
  }
  return out;
}

// Computes the powers once, once * once, ... until they repeat. False if that takes too long. If any power is
// a superset, so is the last one, because it covers more iterations than were composed.
bool ProgramIndexing::Impl::Iterations::powers(const std::vector<std::uint32_t>& component,
                                               const Matrix& once, std::vector<Matrix>& out) {
  const std::size_t n = component.size();
  if (n > kMaxRecurrenceArrays) return false;
  const auto is_plain = [](const OperandIndexing& x) {
    return x.exactness != Exactness::unknown && x.runtime.empty() && x.replica.empty();
  };
  for (const auto& row : once) {
    for (const IndexingSet& maps : row) {
      if (maps.size() > kMaxRecurrenceMaps || !std::ranges::all_of(maps, is_plain)) return false;
    }
  }
  out.push_back(once);
  while (out.size() <= kMaxPower) {
    const Matrix& last = out.back();
    Matrix next(n, std::vector<IndexingSet>(n));
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      const Domain start = start_domain(type(component[i]));
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k)
          join(next[i][j], last[i][k], once[k][j], type(component[j]), start);
        std::erase_if(next[i][j], [](const OperandIndexing& x) { return is_nothing({x}); });
        keep_footprint(next[i][j]);
        if (next[i][j].size() > kMaxRecurrenceMaps) return false;
        same = same && lies_in(next[i][j], last[i][j]) && lies_in(last[i][j], next[i][j]);
      }
    }
    if (same) {
      const OperandIndexing* superset = nullptr;
      for (const auto& row : once) {
        for (const IndexingSet& maps : row) {
          const auto found = std::ranges::find(maps, Exactness::superset, &OperandIndexing::exactness);
          if (found != maps.end()) superset = &*found;
        }
      }
      if (superset == nullptr) return true;
      const std::string reason = superset->reason;
      for (auto& row : out.back()) {
        for (IndexingSet& maps : row) {
          for (OperandIndexing& x : maps) {
            if (x.exactness != Exactness::exact || x.map.known_empty()) continue;
            x.exactness = Exactness::superset;
            x.reason = reason;
          }
        }
      }
      return true;
    }
    out.push_back(std::move(next));
  }
  return false;
}

void ProgramIndexing::Impl::Iterations::follow_recurrence(const std::vector<std::uint32_t>& component) {
  const std::size_t n = component.size();
  Matrix once(n, std::vector<IndexingSet>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto found = once_[component[i]].find(component[j]);
      if (found == once_[component[i]].end()) continue;
      for (const OperandIndexing& x : found->second) insert(once[i][j], without_time(x));
      std::erase_if(once[i][j], [](const OperandIndexing& x) { return is_nothing({x}); });
      keep_footprint(once[i][j]);
    }
  }
  std::vector<Matrix> power;
  if (!powers(component, once, power)) power = {whole(component, once)};
  // Fewer than `last` iterations one by one, then all others at once.
  const auto last = static_cast<Index>(power.size());
  std::vector<Targets> others(n);
  for (std::size_t j = 0; j < n; ++j) {
    others[j] = through_others(component[j], component);
    for (auto& [to, maps] : all_[component[j]]) {
      for (OperandIndexing& x : maps) insert(others[j][to], std::move(x));
    }
    all_[component[j]].clear();
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t leaf = component[i];
    const Domain start = timeline(leaf);
    Targets& out = all_[leaf];
    const auto add = [&](std::uint32_t to, IndexingSet maps, std::optional<Index> only) {
      LimitedSet set(out[to], type(to), start, program_.options);
      for (OperandIndexing& x : maps) {
        if (only && x.exactness != Exactness::unknown) {
          Domain domain = x.map.domain();
          domain.constrain(Expr::variable(0), {*only, *only});
          x.map =
              IndexMap::make_unchecked(std::move(domain), {x.map.results().begin(), x.map.results().end()});
        }
        set.add(normalize(std::move(x)));
      }
    };
    for (std::size_t j = 0; j < n; ++j) {
      IndexingSet none;
      if (i == j) none.push_back(identity_indexing(type(leaf)));
      for (Index k = 0; k < last; ++k) {
        const IndexingSet& by = k == 0 ? none : power[static_cast<std::size_t>(k - 1)][i][j];
        add(component[j], exactly(by, k, true), k);
        join(out, exactly(by, k, false), others[j], start);
      }
      add(component[j], exactly(power.back()[i][j], last, true), std::nullopt);
      join(out, later(power.back()[i][j], last), others[j], start);
    }
  }
}

std::optional<ProgramIndexing::Impl::Iterations::Update> ProgramIndexing::Impl::Iterations::update_of(
    const Computation& computation, HloValue value) {
  if (program_.call_height(computation) > kMaxCallHeight) return std::nullopt;
  while (value.instruction->opcode != Opcode::parameter) {
    const Instruction& at = *value.instruction;
    if (!at.sound || at.operands.empty()) return std::nullopt;
    std::optional<OperandArray> from;
    if (only_forwards(at.opcode)) {
      from = program_.forwarded(at, value.leaf);
    } else if (at.opcode == Opcode::copy) {
      from = {.operand = 0, .leaf = value.leaf};
    } else if (at.opcode == Opcode::dynamic_update_slice) {
      const auto origin =
          program_.trace(computation, {at.operands[0].instruction, leaves_.first(at.operands[0])});
      return origin ? std::optional<Update>({&at, {}, *origin}) : std::nullopt;
    } else if ((at.opcode == Opcode::call || at.opcode == Opcode::fusion) && at.called.size() == 1) {
      const Computation& callee = *at.called[0];
      if (callee.root == nullptr || value.leaf >= leaves_.count(callee.root->type)) return std::nullopt;
      if (auto inside = update_of(callee, {callee.root, value.leaf})) {
        const auto number = static_cast<std::size_t>(inside->origin.instruction->parameter_number);
        if (number >= at.operands.size()) return std::nullopt;
        const Operand& operand = at.operands[number];
        const auto origin =
            program_.trace(computation, {operand.instruction, leaves_.first(operand) + inside->origin.leaf});
        if (!origin) return std::nullopt;
        inside->origin = *origin;
        inside->calls.insert(inside->calls.begin(), {&at, 0});
        return inside;
      }
      const auto parameter = program_.unchanged_from(callee, value.leaf);
      if (!parameter) return std::nullopt;
      from = {.operand = static_cast<std::uint32_t>(parameter->instruction->parameter_number),
              .leaf = parameter->leaf};
    }
    if (!from || from->operand >= at.operands.size()) return std::nullopt;
    const Operand& operand = at.operands[from->operand];
    value = {operand.instruction, leaves_.first(operand) + from->leaf};
  }
  return std::nullopt;
}

std::optional<LoopWrite> ProgramIndexing::Impl::Iterations::write_of(std::uint32_t leaf) {
  const auto update = update_of(body_, {body_.root, leaf});
  if (!update || update->origin.instruction->parent != &body_ || update->origin.leaf != leaf)
    return std::nullopt;
  const Instruction& op = *update->instruction;
  if (!op.type.is_array() || op.operands.size() != op.type.rank() + 2 || !op.operand_type(1).is_array() ||
      op.type.array().dims != leaves_.type(loop_.type, leaf).array().dims) {
    return std::nullopt;
  }
  LoopWrite out;
  for (std::size_t d = 0; d < op.type.rank(); ++d) {
    const Operand& start = op.operands[d + 2];
    const Index size = op.operand_type(1).array().dims[d];
    const Interval clamp{0, op.type.array().dims[d] - size};
    if (size < 0 || clamp.upper < 0 || !start.type().is_array() || start.type().rank() != 0)
      return std::nullopt;
    const Domain iterations({{.bounds = {0, counted_.trips - 1}}}, {}, {});
    OperandIndexing x;
    x.map = IndexMap::make_unchecked(Domain({{.bounds = {0, counted_.trips - 1}}}, {}, {{.bounds = clamp}}),
                                     {Expr::variable(1)});
    x.runtime.push_back({.source = start.instruction,
                         .tuple_index = start.tuple_index,
                         .inner = start.inner,
                         .map = IndexMap::make_unchecked(Domain(iterations), {}),
                         .clamp = clamp,
                         .calls = update->calls});
    fold_runtime(x, {.elements = what_iterations_know(), .single_values = true});
    if (!x.runtime.empty()) return std::nullopt;
    const Expr place = simplify(x.map.results()[0], iterations);
    const auto at = [&](Index t) { return evaluate(place, std::vector<Index>{t}); };
    const auto first = at(0);
    const auto second = counted_.trips > 1 ? at(1) : first;
    if (!first || !second) return std::nullopt;
    const LoopCounter progress{*first, *second - *first};
    const Expr difference = place - (Expr::variable(0) * progress.step + progress.first);
    if (!simplify(difference, iterations).is_constant(0)) return std::nullopt;
    out.sizes.push_back(size);
    out.starts.push_back(progress);
  }
  return out;
}

bool ProgramIndexing::Impl::Iterations::in_written_box(const OperandIndexing& timed,
                                                       const LoopWrite& write) const {
  if (timed.exactness == Exactness::unknown) return false;
  for (std::size_t d = 0; d < write.sizes.size(); ++d) {
    const auto [first, step] = write.starts[d];
    const Expr inside = Expr::variable(static_cast<Index>(d) + 1) - (Expr::variable(0) * step + first);
    const Domain& domain = timed.map.domain();
    if (!Interval{0, write.sizes[d] - 1}.contains(range(simplify(inside, domain), domain))) return false;
  }
  return true;
}

LoopLinks ProgramIndexing::Impl::Iterations::links() {
  find_links();
  std::vector<std::vector<std::uint32_t>> needs(count_);
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    for (const auto& [to, maps] : once_[leaf]) needs[leaf].push_back(to);
  }
  all_.resize(count_);
  for (const auto& component : components(needs)) {
    if (!type(component[0]).is_token()) follow(component);
  }
  LoopLinks out = finish();
  add_condition(out);
  return out;
}

// The maps over all iterations.
LoopLinks ProgramIndexing::Impl::Iterations::finish() {
  LoopLinks out(count_);
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    if (type(leaf).is_token()) continue;
    OperandIndexing start = identity_indexing(type(leaf));
    std::vector<Expr> results(start.map.results().begin(), start.map.results().end());
    results.insert(results.begin(), Expr::constant(counted_.trips));
    start.map = IndexMap::make_unchecked(start.map.domain(), std::move(results));
    for (const auto& [to, maps] : all_[leaf]) {
      LoopLink link{.leaf = to, .maps = {}};
      join(link.maps, {start}, maps, type(to), start_domain(type(leaf)));
      if (to != leaf && is_nothing(link.maps)) continue;
      if (to == count_) link.identity = false;
      out[leaf].push_back(std::move(link));
    }
  }
  return out;
}

// For every element that iterations change, the condition decides whether another iteration follows.
void ProgramIndexing::Impl::Iterations::add_condition(LoopLinks& out) {
  const auto add = [&](std::uint32_t from, std::uint32_t to, const IndexingSet& maps,
                       const IndexingSet& then) {
    auto& links = out[from];
    auto link = std::ranges::find(links, to, &LoopLink::leaf);
    if (link == links.end()) link = links.insert(links.end(), {.leaf = to, .maps = {}});
    if (is_nothing(link->maps)) link->maps.clear();
    join(link->maps, maps, then, type(to), start_domain(type(from)));
  };
  if (forward_) {
    for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
      const auto tested = std::ranges::find(out[leaf], count_, &LoopLink::leaf);
      if (tested == out[leaf].end()) continue;
      const IndexingSet maps = std::move(tested->maps);
      out[leaf].erase(tested);
      for (std::uint32_t to = 0; to < count_; ++to) {
        if (type(to).is_token() || program_.handed_through(loop_, to)) continue;
        OperandIndexing all = whole_value(Domain(), *extents(type(to)), {});
        all.exactness = Exactness::exact;
        add(leaf, to, maps, {all});
      }
    }
  } else {
    const Interval tests{0, counted_.trips};
    Targets read;
    for (const auto& from : program_.root_to_parameters(condition_, 0)) {
      IndexingSet state;
      for (OperandIndexing x : timed(from.maps, tests)) {
        // From the number of the state to the number and the element.
        state.push_back(retimed(std::move(x), tests, Expr::variable(0), {Expr::variable(0)}));
      }
      const Domain any({}, {{.bounds = tests}}, {});
      const OperandIndexing number{.map = IndexMap::make_unchecked(Domain(any), {Expr::variable(0)})};
      IndexingSet at_any;
      join(at_any, {number}, state, type(from.leaf), Domain());
      for (const auto& [to, maps] : all_[from.leaf]) join(read[to], at_any, maps, type(to), Domain());
    }
    for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
      if (type(leaf).is_token() || program_.handed_through(loop_, leaf)) continue;
      const OperandIndexing here{.map = IndexMap::make_unchecked(start_domain(type(leaf)), {})};
      for (const auto& [to, maps] : read) {
        if (!is_nothing(maps)) add(leaf, to, {here}, maps);
      }
    }
  }
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    std::ranges::sort(out[leaf], {}, &LoopLink::leaf);
    for (LoopLink& link : out[leaf]) {
      if (exactness(link.maps) == Exactness::exact) keep_footprint(link.maps);
      link.identity = is_full_identity(link.maps, type(link.leaf)) && type(leaf).is_array() &&
                      extents(type(leaf)) == extents(type(link.leaf));
    }
  }
}

const detail::LoopLinks* ProgramIndexing::Impl::loop_links(const Instruction& loop, bool forward) {
  auto& memo = iterations_memo[forward ? 1 : 0];
  if (const auto found = memo.find(&loop); found != memo.end())
    return found->second ? &*found->second : nullptr;
  std::optional<detail::LoopLinks> out;
  const Computation* const body = called_as(loop, "body");
  const Computation* const condition = called_as(loop, "condition");
  const auto fits = [&](const HloType& type) {
    if (leaves.count(type) != leaves.count(loop.type)) return false;
    for (std::uint32_t leaf = 0; leaf < leaves.count(type); ++leaf) {
      const HloType& a = leaves.type(type, leaf);
      const HloType& b = leaves.type(loop.type, leaf);
      if (a.is_token() != b.is_token()) return false;
      if (a.is_token()) continue;
      if (!detail::extents(a) || detail::extents(a) != detail::extents(b)) return false;
    }
    return true;
  };
  if (body != nullptr && condition != nullptr && loop.sound && loop.operands.size() == 1 &&
      std::max(call_height(*body), call_height(*condition)) < detail::kMaxCallHeight) {
    auto counted = detail::counted_loop(loop, *condition, *body, leaves);
    if (counted && fits(loop.operand_type(0)) && fits(body->root->type) && fits(body->parameters[0]->type) &&
        fits(condition->parameters[0]->type) && leaves.count(condition->root->type) == 1 &&
        condition->root->type.is_array() && condition->root->type.rank() == 0) {
      out = Iterations(*this, loop, *condition, *body, *std::move(counted), forward).links();
    }
  }
  const auto& kept = memo.emplace(&loop, std::move(out)).first->second;
  return kept ? &*kept : nullptr;
}

}  // namespace tessera
