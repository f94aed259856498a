// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/zero_count.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "expr/questions/view.h"
#include "hlo/limits.h"
#include "map/values/enumerate.h"

namespace tessera::detail {
namespace {

// Values, smallest first, each with the number of points that have it.
using Histogram = std::vector<std::pair<Index, Index>>;

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

void join_equal(Histogram& values) {
  std::ranges::sort(values);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept > 0 && values[kept - 1].first == values[i].first) {
      values[kept - 1].second += values[i].second;
    } else {
      values[kept++] = values[i];
    }
  }
  values.resize(kept);
}

// For each sum of the group's terms, the number of points that give it.
std::optional<Histogram> histogram_of(const TermGroup& group, std::span<const Interval> box) {
  if (group.points > kHloLimits.analysis.zero_steps) return std::nullopt;
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
  out.reserve(static_cast<std::size_t>(group.points));
  for (BoxRows rows(own_box); rows.next();) {
    evaluator.run(rows.base(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.defined(0, i)) return std::nullopt;
      out.emplace_back(evaluator.value(0, i), 1);
    }
  }
  if (cancelled()) return std::nullopt;
  join_equal(out);
  return out;
}

Interval reach(const Histogram& values) { return {values.front().first, values.back().first}; }

// The sums that the values of `rest` can bring back to 0: the others count no zero. A sum of strides is
// decided by the largest ones, so few are left.
std::optional<Histogram> sum_of(const Histogram& a, const Histogram& b, const Interval& rest) {
  Histogram out;
  for (const auto& [x, count] : a) {
    Index least = 0;
    Index most = 0;
    if (add_overflows(x, rest.upper, least) || add_overflows(x, rest.lower, most)) return std::nullopt;
    if (least == kIndexMin || most == kIndexMin) return std::nullopt;
    const auto first = std::ranges::lower_bound(b, -least, {}, &Histogram::value_type::first);
    for (auto it = first; it != b.end() && it->first <= -most; ++it) {
      Index value = 0;
      if (add_overflows(x, it->first, value) || std::ssize(out) == kHloLimits.analysis.zero_steps)
        return std::nullopt;
      out.emplace_back(value, count * it->second);
    }
  }
  join_equal(out);
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
  if (groups.empty()) return seen->constant == 0 ? unused : 0;
  // The values of the largest group are looked up at the end: if they are the multiples of a variable,
  // without a table.
  std::ranges::sort(groups, {}, &TermGroup::points);
  const TermGroup& last = groups.back();
  const Interval bounds = box[static_cast<std::size_t>(last.variables.front())];
  Index factor = 0;
  Interval rest;  // what this group can add, later what all can add that are not yet added
  std::optional<Histogram> last_values;
  if (last.is_linear()) {
    for (const DigitTerm& term : last.terms) {
      if (add_overflows(factor, term.coefficient, factor)) return std::nullopt;
    }
    if (mul_overflows(factor, bounds.lower, rest.lower) || mul_overflows(factor, bounds.upper, rest.upper))
      return std::nullopt;
    if (factor < 0) std::swap(rest.lower, rest.upper);
  } else {
    last_values = histogram_of(last, box);
    if (!last_values) return std::nullopt;
    rest = reach(*last_values);
  }
  std::vector<Histogram> others;
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    auto values = histogram_of(groups[i], box);
    if (!values) return std::nullopt;
    others.push_back(std::move(*values));
  }
  // The widest is added first. rests[i]: what all after others[i] can add.
  std::ranges::sort(others, std::ranges::greater(), [](const Histogram& values) {
    return static_cast<std::uint64_t>(reach(values).upper) - static_cast<std::uint64_t>(reach(values).lower);
  });
  std::vector<Interval> rests(others.size());
  for (std::size_t i = others.size(); i-- > 0;) {
    rests[i] = rest;
    const Interval own = reach(others[i]);
    if (add_overflows(rest.lower, own.lower, rest.lower) || add_overflows(rest.upper, own.upper, rest.upper))
      return std::nullopt;
  }
  Histogram sums{{seen->constant, 1}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    auto more = sum_of(sums, others[i], rests[i]);
    if (!more) return std::nullopt;
    sums = std::move(*more);
  }
  Index zeros = 0;
  for (const auto& [value, count] : sums) {
    if (value == kIndexMin) continue;
    if (last_values) {
      const auto found = std::ranges::lower_bound(*last_values, -value, {}, &Histogram::value_type::first);
      if (found != last_values->end() && found->first == -value) zeros += count * found->second;
    } else if (factor == 0) {
      if (value == 0) zeros += count * last.points;
    } else if (value % factor == 0) {  // -value = factor * x
      if (bounds.contains(-value / factor)) zeros += count;
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
    if (looked >= kHloLimits.analysis.zero_steps) return {};
  }
  return {.complete = !cancelled()};
}

}  // namespace tessera::detail
