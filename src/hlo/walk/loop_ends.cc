// SPDX-License-Identifier: Apache-2.0
// Where a walk through a loop begins and ends: the loop's result, its operand, and its condition.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/map_builder.h"
#include "hlo/walk/components.h"
#include "hlo/walk/iterations.h"
#include "hlo/walk/loop_time.h"
#include "hlo/walk/steps.h"

namespace tessera {

using namespace detail;  // NOLINT(google-build-using-namespace): this file is part of the walk

namespace {

LoopLink& link_between(LoopLinks& links, std::uint32_t from, std::uint32_t to) {
  auto& all = links[from];
  const auto link = std::ranges::find(all, to, &LoopLink::leaf);
  return link != all.end() ? *link : *all.insert(all.end(), {.leaf = to, .maps = {}});
}

}  // namespace

// Adds the start of the loop as the last runtime variable, with these values.
Indexing ProgramIndexing::Impl::Iterations::with_start(Indexing x, Interval values) const {
  add_runtime(x,
              {.source = loop_.operands[0].instruction,
               .tuple_index = static_cast<std::int32_t>(counted_.start->element),
               .map = {},
               .clamp = counted_.start->clamp},
              values);
  return x;
}

// The number of the first iteration. The start of the loop is the last variable of `x`.
Expr ProgramIndexing::Impl::Iterations::first_iteration(const Indexing& x) const {
  const LoopCounter counter = *counted_.counters[counted_.start->array];
  const auto last = static_cast<Index>(x.map.variables().size()) - 1;
  return (Expr::variable(last) - counter.first) * counter.step;
}

// The number of the state where the walk ends. A start that is known only at run time is the last variable of
// `x`.
Expr ProgramIndexing::Impl::Iterations::end(const Indexing& x) const {
  return ends_at_runtime() ? first_iteration(x) : Expr();
}

// Restricts the indexing to states at this distance, in iterations, from the end of the walk.
Indexing ProgramIndexing::Impl::Iterations::at_distance(Indexing x, Interval distance) const {
  if (ends_at_runtime()) x = with_start(std::move(x), counted_.start->followed);
  Domain domain = x.map.domain();
  domain.constrain(Expr::variable(0) - end(x), distance);
  x.map = IndexMap::make_unchecked(std::move(domain), {x.map.results().begin(), x.map.results().end()});
  return normalize(std::move(x));
}

LoopLinks ProgramIndexing::Impl::Iterations::finish() {
  LoopLinks out(count_);
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    if (type(leaf).is_token()) continue;
    // The distance between the two ends of the walk is the number of iterations.
    Indexing here = identity_indexing(type(leaf));
    Expr distance = Expr::constant(counted_.trips);
    if (counted_.start && forward_) {
      here = with_start(std::move(here), counted_.start->followed);
      distance = distance - first_iteration(here);
    }
    std::vector<Expr> results(here.map.results().begin(), here.map.results().end());
    results.insert(results.begin(), distance);
    here.map = IndexMap::make_unchecked(here.map.domain(), std::move(results));
    here = normalize(std::move(here));
    for (const auto& [to, maps] : all_[leaf]) {
      LoopLink link{.leaf = to, .maps = {}};
      if (to == leaf && program_.handed_through(loop_, leaf)) {
        link.maps = {normalize(identity_indexing(type(leaf)))};
      } else {
        join(link.maps, {here}, maps, type(to), start_domain(type(leaf)));
      }
      if (to != leaf && reads_nothing(link.maps)) continue;
      out[leaf].push_back(std::move(link));
    }
  }
  return out;
}

// Adds the reads of the condition, on which every element that iterations may change depends.
void ProgramIndexing::Impl::Iterations::add_condition(LoopLinks& out) {
  const auto add = [&](std::uint32_t from, std::uint32_t to, const IndexingSet& maps,
                       const IndexingSet& then) {
    IndexingSet& link = link_between(out, from, to).maps;
    if (reads_nothing(link)) link.clear();
    join(link, maps, then, type(to), start_domain(type(from)));
  };
  if (forward_) {
    for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
      const auto tested = std::ranges::find(out[leaf], count_, &LoopLink::leaf);
      if (tested == out[leaf].end()) continue;
      const IndexingSet maps = std::move(tested->maps);
      out[leaf].erase(tested);
      for (std::uint32_t to = 0; to < count_; ++to) {
        if (type(to).is_token() || program_.handed_through(loop_, to)) continue;
        Indexing all = whole_value(Domain(), *extents(type(to)), {});
        all.exactness = Exactness::exact;
        if (type(to).is_array() && !type(to).array().is_static())
          all = detail::as_superset(std::move(all), detail::kSizeIsData);
        add(leaf, to, maps, {all});
      }
    }
  } else {
    const Interval tests{0, counted_.trips};
    Targets read;
    for (const auto& from : program_.root_to_parameters(condition_, 0)) {
      IndexingSet state;
      for (Indexing x : timed(from.maps, tests)) {
        // From the number of the state to the number and the element.
        state.push_back(retimed(std::move(x), tests, Expr::variable(0), {Expr::variable(0)}));
      }
      const Domain any({}, {{.bounds = tests}}, {});
      const Indexing number = normalize({.map = IndexMap::make_unchecked(Domain(any), {Expr::variable(0)})});
      IndexingSet at_any;
      join(at_any, {number}, state, type(from.leaf), Domain());
      for (const auto& [to, maps] : all_[from.leaf]) join(read[to], at_any, maps, type(to), Domain());
    }
    for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
      if (type(leaf).is_token() || program_.handed_through(loop_, leaf)) continue;
      const Indexing here{.map = IndexMap::make_unchecked(start_domain(type(leaf)), {})};
      for (const auto& [to, maps] : read) {
        if (!reads_nothing(maps)) add(leaf, to, {here}, maps);
      }
    }
  }
}

// Adds a superset of everything that the loop may pass on, for start values outside the range that is
// followed.
void ProgramIndexing::Impl::Iterations::add_other_starts(LoopLinks& out) {
  if (!counted_.start || counted_.start->clamp.lower >= counted_.start->followed.lower) return;
  const Interval others{counted_.start->clamp.lower, counted_.start->followed.lower - 1};
  const Dependences& may_read = program_.loop_dependences(loop_);
  const std::string reason = fmt::format(
      "a loop that starts below {}: includes everything that it may pass on", counted_.start->followed.lower);
  for (std::uint32_t from = 0; from < count_; ++from) {
    for (std::uint32_t to = 0; to < count_; ++to) {
      const std::uint32_t result = forward_ ? to : from;
      const std::uint32_t operand = forward_ ? from : to;
      if (type(from).is_token() || type(to).is_token() || !may_read(result, operand) ||
          program_.handed_through(loop_, result)) {
        continue;
      }
      Indexing x = whole_value(start_domain(type(from)), *extents(type(to)), reason);
      if (x.map.known_empty()) continue;
      x = with_start(std::move(x), others);
      fold_runtime(x);
      insert(link_between(out, from, to).maps, normalize(std::move(x)));
    }
  }
}

LoopLinks ProgramIndexing::Impl::Iterations::links() {
  find_links();
  std::vector<std::vector<std::uint32_t>> needs(count_);
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    for (const auto& [to, maps] : once_[leaf]) needs[leaf].push_back(to);
  }
  all_.resize(count_);
  for (const auto& component : strong_components(needs)) {
    if (!type(component[0]).is_token()) follow(component);
  }
  LoopLinks out = finish();
  add_condition(out);
  add_other_starts(out);
  for (std::uint32_t leaf = 0; leaf < count_; ++leaf) {
    std::ranges::sort(out[leaf], {}, &LoopLink::leaf);
    for (LoopLink& link : out[leaf]) {
      keep_footprint(link.maps);
      link.identity = is_full_identity(link.maps, type(link.leaf)) && type(leaf).is_array() &&
                      same_extents(type(leaf), type(link.leaf));
    }
  }
  return out;
}

}  // namespace tessera
