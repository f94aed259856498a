// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/zero_count.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "expr/questions/view.h"
#include "map/values/enumerate.h"

namespace tessera::detail {
namespace {

using Histogram = std::unordered_map<Index, Index>;  // value -> number of points

// Variables that occur together in terms, and those terms.
struct TermGroup {
  std::vector<Index> variables = {};
  std::vector<DigitTerm> terms = {};
  Index points = 1;

  bool is_linear() const { return std::ranges::all_of(terms, &DigitTerm::is_variable); }
};

std::vector<TermGroup> groups_of(std::span<const DigitTerm> terms, std::size_t variable_count) {
  std::vector<std::size_t> leader(variable_count);
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](Index variable) {
    auto v = static_cast<std::size_t>(variable);
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  for (const DigitTerm& term : terms) {
    for (const Index v : term.variables) leader[find(v)] = find(term.variables.front());
  }
  std::vector<TermGroup> groups;
  std::vector<std::size_t> place(variable_count, variable_count);
  for (const DigitTerm& term : terms) {
    const std::vector<Index>& used = term.variables;
    if (used.empty()) continue;
    std::size_t& at = place[find(used.front())];
    if (at == variable_count) {
      at = groups.size();
      groups.emplace_back();
    }
    TermGroup& group = groups[at];
    group.terms.push_back(term);
    group.variables.insert(group.variables.end(), used.begin(), used.end());
  }
  for (TermGroup& group : groups) {
    std::ranges::sort(group.variables);
    group.variables.erase(std::ranges::unique(group.variables).begin(), group.variables.end());
  }
  return groups;
}

// For each sum of the group's terms, the number of points that give it.
std::optional<Histogram> histogram_of(const TermGroup& group, std::span<const Interval> box) {
  if (group.points > kMaxZeroSteps) return std::nullopt;
  std::vector<Expr> own(box.size());
  std::vector<Interval> own_box;
  for (const Index v : group.variables) {
    own[static_cast<std::size_t>(v)] = Expr::variable(static_cast<Index>(own_box.size()));
    own_box.push_back(box[static_cast<std::size_t>(v)]);
  }
  Expr sum;
  for (const DigitTerm& term : group.terms) sum = sum + substitute(term.digit(), own) * term.coefficient;
  RowEvaluator evaluator(std::span(&sum, 1), own_box.size());
  Histogram out;
  for (BoxRows rows(own_box); rows.next();) {
    evaluator.run(rows.base(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.defined(0, i)) return std::nullopt;
      ++out[evaluator.value(0, i)];
    }
  }
  return out;
}

std::optional<Histogram> sum_of(const Histogram& a, const Histogram& b) {
  if (static_cast<Index>(a.size()) > kMaxZeroSteps / static_cast<Index>(b.size())) return std::nullopt;
  Histogram out;
  for (const auto& [x, count] : a) {
    for (const auto& [y, other] : b) {
      Index value = 0;
      if (add_overflows(x, y, value)) return std::nullopt;
      out[value] += count * other;
    }
  }
  return out;
}

}  // namespace

std::optional<Index> count_zeros(Expr e, std::span<const Interval> box) {
  const auto all = point_count(box);
  const auto seen = view(e, box);
  if (!all || !seen || !seen->has_values) return std::nullopt;
  if (*all == 0) return 0;
  std::vector<TermGroup> groups = groups_of(seen->terms, box.size());
  Index counted = 1;
  for (TermGroup& group : groups) {
    for (const Index v : group.variables) {
      const Interval bounds = box[static_cast<std::size_t>(v)];
      group.points *= bounds.upper - bounds.lower + 1;
    }
    counted *= group.points;
  }
  const Index unused = *all / counted;  // combinations of the variables that do not occur
  std::ranges::sort(groups, {}, &TermGroup::points);

  // Convolves the histograms of all groups except the last. That one is the largest, and its histogram is
  // only looked up.
  Histogram sums{{seen->constant, 1}};
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    const auto next = histogram_of(groups[i], box);
    if (!next) return std::nullopt;
    auto more = sum_of(sums, *next);
    if (!more) return std::nullopt;
    sums = std::move(*more);
  }
  Index zeros = 0;
  if (groups.empty()) {
    zeros = seen->constant == 0 ? 1 : 0;
  } else if (const TermGroup& last = groups.back(); last.is_linear()) {
    const Interval bounds = box[static_cast<std::size_t>(last.variables.front())];
    Index factor = 0;
    for (const DigitTerm& term : last.terms) {
      if (add_overflows(factor, term.coefficient, factor)) return std::nullopt;
    }
    for (const auto& [value, count] : sums) {
      // Solves -value = factor * x.
      if (factor == 0) {
        if (value == 0) zeros += count * last.points;
      } else if (value != kIndexMin && value % factor == 0) {
        const Index x = -value / factor;
        if (bounds.lower <= x && x <= bounds.upper) zeros += count;
      }
    }
  } else {
    const auto table = histogram_of(last, box);
    if (!table) return std::nullopt;
    for (const auto& [value, count] : sums) {
      if (value == kIndexMin) continue;
      const auto found = table->find(-value);
      if (found != table->end()) zeros += count * found->second;
    }
  }
  return zeros * unused;
}

FirstNonzero first_nonzero(Expr e, std::span<const Interval> box) {
  if (point_count(box) == Index{0}) return {.complete = true};
  // Variables that do not occur in `e` stay at their lower bounds.
  const std::vector<Index> used = variables(e);
  std::vector<Interval> seen;
  std::vector<Expr> renumbered(box.size());
  for (const Index v : used) {
    renumbered[static_cast<std::size_t>(v)] = Expr::variable(static_cast<Index>(seen.size()));
    seen.push_back(box[static_cast<std::size_t>(v)]);
  }
  const Expr own = substitute(e, renumbered);
  RowEvaluator evaluator(std::span(&own, 1), seen.size());
  Index looked = 0;
  for (BoxRows rows(seen); rows.next();) {
    evaluator.run(rows.base(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.defined(0, i)) return {};
      if (evaluator.value(0, i) == 0) continue;
      const std::vector<Index> values = rows.point(i);
      FirstNonzero out;
      for (const Interval& bounds : box) out.point.push_back(bounds.lower);
      for (std::size_t k = 0; k < used.size(); ++k) out.point[static_cast<std::size_t>(used[k])] = values[k];
      return out;
    }
    looked += static_cast<Index>(rows.size());
    if (looked >= kMaxZeroSteps) return {};
  }
  return {.complete = true};
}

}  // namespace tessera::detail
