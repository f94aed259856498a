// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "tessera/map/map_algebra.h"
#include "tessera/tile/tile.h"
#include "tile/limits.h"

namespace tessera {
namespace {

using Conjunction = TileConstraint::Conjunction;

// Adds a condition. Returns false if the conjunction can no longer hold.
bool add_condition(Conjunction& all, const Constraint& added) {
  for (Constraint& known : all) {
    if (known.expr != added.expr) continue;
    const auto range = intersect(known.range, added.range);
    if (!range) return false;
    known.range = *range;
    return true;
  }
  all.push_back(added);
  return true;
}

// For one variable, one flag for each value from the lower end of its interval: true if the conditions hold.
using Values = std::vector<bool>;

bool includes(const Values& larger, const Values& smaller) {
  for (std::size_t i = 0; i < larger.size(); ++i)
    if (smaller[i] && !larger[i]) return false;
  return true;
}

class Simplifier {
 public:
  explicit Simplifier(std::span<const Interval> box) : box_(box) {}

  TileConstraint run(const TileConstraint& constraint) {
    std::vector<Conjunction> kept;
    for (const Conjunction& all : constraint.conjunctions()) {
      if (auto reduced = reduce(all)) {
        if (reduced->empty()) return TileConstraint();
        kept.push_back(*std::move(reduced));
      }
    }
    std::vector<Conjunction> out;
    std::vector<ValueSets> sets;
    for (const Conjunction& all : kept) sets.push_back(sets_of(all));
    const auto covers = [&](std::size_t i, std::size_t j) { return implies(kept[i], sets[i], kept[j]); };
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto absorbs = [&](std::size_t j) { return i != j && covers(i, j) && (j < i || !covers(j, i)); };
      bool absorbed = false;
      for (std::size_t j = 0; j < kept.size() && !absorbed; ++j) absorbed = absorbs(j);
      if (!absorbed) out.push_back(kept[i]);
    }
    return TileConstraint(std::move(out));
  }

 private:
  // For each variable, the values allowed by the conditions of a conjunction that contain no other variable.
  using ValueSets = std::map<std::size_t, Values>;

  // The only variable of an expression, if that variable has few values.
  std::optional<std::size_t> only_variable(Expr e) const {
    const std::vector<Index> used = variables(e);
    if (used.size() != 1 || static_cast<std::size_t>(used[0]) >= box_.size()) return std::nullopt;
    const auto count = box_[static_cast<std::size_t>(used[0])].count();
    if (!count || *count > detail::kTileLimits.constraint_values) return std::nullopt;
    return static_cast<std::size_t>(used[0]);
  }

  const Values& values_of(const Constraint& c, std::size_t variable) {
    const auto [known, fresh] = values_.try_emplace({c.expr.id(), c.range.lower, c.range.upper});
    if (!fresh) return known->second;
    std::vector<Index> point(box_.size(), 0);
    const Interval bounds = box_[variable];
    for (Index x = bounds.lower; x <= bounds.upper; ++x) {
      point[variable] = x;
      const auto value = evaluate(c.expr, point);
      known->second.push_back(value && c.range.contains(*value));
    }
    return known->second;
  }

  ValueSets sets_of(const Conjunction& all) {
    ValueSets sets;
    for (const Constraint& c : all) {
      const auto variable = only_variable(c.expr);
      if (!variable) continue;
      const Values& own = values_of(c, *variable);
      const auto [known, fresh] = sets.try_emplace(*variable, own);
      for (std::size_t i = 0; !fresh && i < own.size(); ++i)
        if (!own[i]) known->second[i] = false;
    }
    return sets;
  }

  // The conjunction without conditions that the others imply. Empty if conditions contradict each other.
  std::optional<Conjunction> reduce(const Conjunction& all) {
    Conjunction out;
    for (const Constraint& c : all) {
      if (c.expr.is_constant()) {
        if (!c.range.contains(c.expr.value())) return std::nullopt;
        continue;
      }
      const Interval reached = range_of(c.expr);
      if (c.range.contains(reached)) continue;
      Constraint own = c;  // an open end gets the bound of the expression
      if (own.range.lower == kNegInf) own.range.lower = std::min(reached.lower, own.range.upper);
      if (own.range.upper == kPosInf) own.range.upper = std::max(reached.upper, own.range.lower);
      if (!c.range.intersects(reached) || !add_condition(out, own)) return std::nullopt;
    }
    for (const auto& [variable, set] : sets_of(out))
      if (std::ranges::find(set, true) == set.end()) return std::nullopt;
    std::ranges::stable_sort(out, {}, [](const Constraint& c) { return c.expr.node_count(); });
    for (std::size_t i = out.size(); i-- > 0;) {
      const auto variable = only_variable(out[i].expr);
      if (!variable) continue;
      Values others(static_cast<std::size_t>(*box_[*variable].count()), true);
      for (std::size_t j = 0; j < out.size(); ++j) {
        if (j == i || only_variable(out[j].expr) != variable) continue;
        const Values& own = values_of(out[j], *variable);
        for (std::size_t k = 0; k < own.size(); ++k) others[k] = others[k] && own[k];
      }
      if (includes(values_of(out[i], *variable), others))
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return out;
  }

  // True if every point that `a` allows is known to be allowed by `b`. May be false even if that holds.
  // `sets` are those of `a`.
  bool implies(const Conjunction& a, const ValueSets& sets, const Conjunction& b) {
    return std::ranges::all_of(b, [&](const Constraint& wanted) {
      if (const auto variable = only_variable(wanted.expr)) {
        const auto found = sets.find(*variable);
        if (found != sets.end() && includes(values_of(wanted, *variable), found->second)) return true;
      }
      return std::ranges::any_of(
          a, [&](const Constraint& c) { return c.expr == wanted.expr && wanted.range.contains(c.range); });
    });
  }

  Interval range_of(Expr e) const {
    Index most = -1;
    for (const Index v : variables(e)) most = std::max(most, v);
    std::vector<Variable> all;
    for (Index v = 0; v <= most; ++v) {
      const auto i = static_cast<std::size_t>(v);
      all.push_back({i < box_.size() ? box_[i] : Interval{}});
    }
    return tessera::range(e, Domain(std::move(all), {}, {}));
  }

  std::span<const Interval> box_;
  std::map<std::tuple<const void*, Index, Index>, Values> values_;
};

}  // namespace

bool TileConstraint::satisfied(std::span<const Index> values) const {
  return std::ranges::any_of(conjunctions_, [&](const Conjunction& all) {
    return std::ranges::all_of(all, [&](const Constraint& c) {
      const auto value = evaluate(c.expr, values);
      return value && c.range.contains(*value);
    });
  });
}

TileConstraint both(const TileConstraint& a, const TileConstraint& b) {
  std::vector<Conjunction> out;
  for (const Conjunction& first : a.conjunctions()) {
    for (const Conjunction& second : b.conjunctions()) {
      Conjunction joined = first;
      if (std::ranges::all_of(second, [&](const Constraint& c) { return add_condition(joined, c); }))
        out.push_back(std::move(joined));
    }
  }
  return TileConstraint(std::move(out));
}

TileConstraint either(const TileConstraint& a, const TileConstraint& b) {
  std::vector<Conjunction> out(a.conjunctions().begin(), a.conjunctions().end());
  out.insert(out.end(), b.conjunctions().begin(), b.conjunctions().end());
  return TileConstraint(std::move(out));
}

TileConstraint simplify(const TileConstraint& constraint, std::span<const Interval> box) {
  return Simplifier(box).run(constraint);
}

Verdict satisfiable(const TileConstraint& constraint, std::span<const Interval> box) {
  bool undecided = false;
  const TileConstraint simple = simplify(constraint, box);
  for (const Conjunction& all : simple.conjunctions()) {
    std::set<Index> coupled;
    for (const Constraint& c : all) {
      const auto used = variables(c.expr);
      coupled.insert(used.begin(), used.end());
    }
    Index points = 1;
    std::vector<Index> point;
    for (const Interval& bounds : box) point.push_back(bounds.lower);
    for (const Index v : coupled) {
      const auto count =
          static_cast<std::size_t>(v) < box.size() ? box[static_cast<std::size_t>(v)].count() : std::nullopt;
      if (!count || mul_overflows(points, *count, points) || points > detail::kTileLimits.constraint_points)
        points = detail::kTileLimits.constraint_points + 1;
    }
    if (points > detail::kTileLimits.constraint_points) {
      undecided = true;
      continue;
    }
    const TileConstraint one({all});
    for (Index number = 0; number < points; ++number) {
      Index rest = number;
      for (const Index v : coupled) {
        const Interval bounds = box[static_cast<std::size_t>(v)];
        const Index count = *bounds.count();
        point[static_cast<std::size_t>(v)] = bounds.lower + rest % count;
        rest /= count;
      }
      if (one.satisfied(point)) return Verdict::yes;
    }
  }
  return undecided ? Verdict::undecided : Verdict::no;
}

std::string to_string(const TileConstraint& constraint, const VariableNamer& namer) {
  if (constraint.always_satisfied()) return "always satisfied";
  if (constraint.unsatisfiable()) return "unsatisfiable";
  std::set<std::string> out;
  for (const Conjunction& all : constraint.conjunctions()) {
    std::set<std::string> conditions;
    for (const Constraint& c : all)
      conditions.insert(fmt::format("{} in {}", to_string(c.expr, namer), to_string(c.range)));
    out.insert(fmt::format("{}", fmt::join(conditions, " && ")));
  }
  return fmt::format("{}", fmt::join(out, " || "));
}

}  // namespace tessera
