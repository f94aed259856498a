// SPDX-License-Identifier: Apache-2.0
// Arrays of a loop's state that depend on themselves: powers of the maps of one iteration.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/limits.h"
#include "hlo/walk/iterations.h"
#include "hlo/walk/limited_set.h"
#include "hlo/walk/loop_time.h"
#include "hlo/walk/steps.h"

namespace tessera {

using namespace detail;  // NOLINT(google-build-using-namespace): this file is part of the walk

namespace {

/// Whether each member of `a` is contained in a member of `b`.
bool all_lie_in(const IndexingSet& a, const IndexingSet& b) {
  return std::ranges::all_of(a, [&](const Indexing& x) {
    return std::ranges::any_of(b, [&](const Indexing& y) { return same_relation(x, y) || contained(x, y); });
  });
}

}  // namespace

// The maps `power` of `steps` iterations, from (n, index) to (n - steps, index).
IndexingSet ProgramIndexing::Impl::Iterations::exactly(const IndexingSet& power, Index steps) const {
  IndexingSet out;
  if (steps > counted_.trips) return out;
  for (Indexing x : power) {
    if (x.exactness != Exactness::unknown) {
      x.map = with_dimension(x.map, {steps, counted_.trips});
      std::vector<Expr> results(x.map.results().begin(), x.map.results().end());
      results.insert(results.begin(), Expr::variable(0) - steps);
      x.map = IndexMap::make_unchecked(x.map.domain(), std::move(results));
      x = normalize(std::move(x));
    }
    out.push_back(std::move(x));
  }
  return out;
}

// The maps `power` from (n, index) to the index at the end of the walk, for states at this distance from it.
IndexingSet ProgramIndexing::Impl::Iterations::to_end(const IndexingSet& power, Interval steps) const {
  IndexingSet out;
  for (Indexing x : power) {
    if (x.exactness != Exactness::unknown) {
      x.map = with_dimension(x.map, {0, counted_.trips});
      x = at_distance(std::move(x), steps);
    }
    out.push_back(std::move(x));
  }
  return out;
}

// Maps from (n, index) to (number of s, index), for every iteration s that is `least` or more iterations
// away. `power` holds the maps of that many iterations, to (index).
IndexingSet ProgramIndexing::Impl::Iterations::later(const IndexingSet& power, Index least) const {
  IndexingSet out;
  for (Indexing x : power) {
    if (x.exactness != Exactness::unknown) {
      if (least > counted_.trips) continue;
      x.map = with_dimension(x.map, {0, counted_.trips});
      const auto all = x.map.variables();
      const std::size_t dims = x.map.dim_count();
      const std::size_t ranges = x.map.range_count();
      const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
      std::vector<Variable> own(at(dims), at(dims + ranges));
      // Forward, s has one more value, because the condition is evaluated once more than the body.
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

ProgramIndexing::Impl::Iterations::Matrix ProgramIndexing::Impl::Iterations::whole(
    const std::vector<std::uint32_t>& component, const Matrix& once) {
  const std::string reason = fmt::format(
      "loop-carried dependence: includes whatever iterations 0 to {} pass on", counted_.trips - 1);
  std::string unknown;
  for (const auto& row : once) {
    for (const IndexingSet& maps : row) {
      for (const Indexing& x : maps) {
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
        out[i][j] = {Indexing::unknown(unknown)};
        continue;
      }
      Indexing x = whole_value(start, *extents(type(component[j])), reason);
      if (n == 1 && !x.map.known_empty()) {
        // If every iteration keeps a dimension, all of them together keep it.
        const std::size_t rank = start.dim_count();
        std::vector<Expr> results(rank);
        std::vector<Variable> ranges;
        for (std::size_t d = 0; d < rank; ++d) {
          const Expr own = Expr::variable(static_cast<Index>(d));
          const bool kept = std::ranges::all_of(once[0][0], [&](const Indexing& y) {
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

// Computes the powers of `once` until the last one repeats. Returns false if that takes too many powers. If a
// map of `once` is a superset, so is the last power, because it covers more iterations than were composed.
bool ProgramIndexing::Impl::Iterations::powers(const std::vector<std::uint32_t>& component,
                                               const Matrix& once, std::vector<Matrix>& out) {
  const std::size_t n = component.size();
  if (n > detail::kHloLimits.walk.recurrence_arrays) return false;
  const auto is_plain = [](const Indexing& x) {
    return x.exactness != Exactness::unknown && x.runtime.empty() && x.replica.empty();
  };
  for (const auto& row : once) {
    for (const IndexingSet& maps : row) {
      if (maps.size() > detail::kHloLimits.walk.recurrence_maps || !std::ranges::all_of(maps, is_plain))
        return false;
    }
  }
  out.push_back(once);
  while (out.size() <= detail::kHloLimits.walk.powers) {
    const Matrix& last = out.back();
    Matrix next(n, std::vector<IndexingSet>(n));
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      const Domain start = start_domain(type(component[i]));
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k)
          join(next[i][j], last[i][k], once[k][j], type(component[j]), start);
        std::erase_if(next[i][j], [](const Indexing& x) { return reads_nothing({x}); });
        keep_footprint(next[i][j]);
        if (next[i][j].size() > detail::kHloLimits.walk.recurrence_maps) return false;
        same = same && all_lie_in(next[i][j], last[i][j]) && all_lie_in(last[i][j], next[i][j]);
      }
    }
    if (same) {
      const Indexing* superset = nullptr;
      for (const auto& row : once) {
        for (const IndexingSet& maps : row) {
          const auto found = std::ranges::find(maps, Exactness::superset, &Indexing::exactness);
          if (found != maps.end()) superset = &*found;
        }
      }
      if (superset == nullptr) return true;
      const std::string reason = superset->reason;
      for (auto& row : out.back()) {
        for (IndexingSet& maps : row) {
          for (Indexing& x : maps) {
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
      for (const Indexing& x : found->second) insert(once[i][j], without_time(x));
      std::erase_if(once[i][j], [](const Indexing& x) { return reads_nothing({x}); });
      keep_footprint(once[i][j]);
    }
  }
  std::vector<Matrix> power;
  if (!powers(component, once, power)) power = {whole(component, once)};
  // Each number of iterations below `last` has a power of its own; all others share one.
  const auto last = static_cast<Index>(power.size());
  std::vector<Targets> others(n);
  for (std::size_t j = 0; j < n; ++j) {
    others[j] = through_others(component[j], component);
    for (auto& [to, maps] : all_[component[j]]) {
      for (Indexing& x : maps) insert(others[j][to], std::move(x));
    }
    all_[component[j]].clear();
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t leaf = component[i];
    const Domain start = timeline(leaf);
    Targets& out = all_[leaf];
    const auto add = [&](std::uint32_t to, IndexingSet maps) {
      std::vector<Fingerprint> fingerprints;
      LimitedSet set(out[to], fingerprints, type(to), start, program_.options);
      for (Indexing& x : maps) set.add(std::move(x));
    };
    for (std::size_t j = 0; j < n; ++j) {
      IndexingSet none;
      if (i == j) none.push_back(identity_indexing(type(leaf)));
      for (Index k = 0; k < last; ++k) {
        const IndexingSet& by = k == 0 ? none : power[static_cast<std::size_t>(k - 1)][i][j];
        add(component[j], to_end(by, {k, k}));
        join(out, exactly(by, k), others[j], start);
      }
      add(component[j], to_end(power.back()[i][j], {last, kPosInf}));
      join(out, later(power.back()[i][j], last), others[j], start);
    }
  }
}

}  // namespace tessera
