// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expr/range.h"
#include "map/constraint_system.h"

namespace tessera::detail {
namespace {

constexpr std::uint64_t kMostWork = 8000;        // points * terms for exact intervals and redundancy
constexpr std::uint64_t kMostPoints = 1u << 16;  // emptiness alone

struct Axis {
  std::uint32_t variable;
  Interval bounds;
  Index step;
  Interval seen{kPosInf, kPosInf};  // hull of the feasible values, valid once any is
};

Index value_of(const Atom* a, std::span<const Index> values);

Index checked(bool overflow, Index value) {
  if (overflow) throw Overflow{};
  return value;
}

std::uint64_t count_atoms(const Form* form) {
  std::uint64_t count = 0;
  for (const Term& t : form->terms()) {
    ++count;
    if (t.atom->form != nullptr) count += count_atoms(t.atom->form);
    if (t.atom->right_form != nullptr) count += count_atoms(t.atom->right_form);
    if (t.atom->left != nullptr) count += 4;
  }
  return count;
}

void collect(const Form* form, std::vector<std::uint32_t>& out);

void collect(const Atom* a, std::vector<std::uint32_t>& out) {
  if (a->kind == AtomKind::variable || a->kind == AtomKind::scaled) out.push_back(a->variable);
  if (a->form != nullptr) collect(a->form, out);
  if (a->right_form != nullptr) collect(a->right_form, out);
  if (a->left != nullptr) collect(a->left, out);
  if (a->right != nullptr) collect(a->right, out);
}

void collect(const Form* form, std::vector<std::uint32_t>& out) {
  for (const Term& t : form->terms()) collect(t.atom, out);
}

Index value_of(const Atom* a, std::span<const Index> values) {
  switch (a->kind) {
    case AtomKind::variable:
      return values[a->variable];
    case AtomKind::quotient:
      return tessera::floor_div(evaluate(a->form, values), a->number);
    case AtomKind::max0:
      return std::max<Index>(0, evaluate(a->form, values));
    case AtomKind::product: {
      Index product = 0;
      const bool overflow = mul_overflows(value_of(a->left, values), value_of(a->right, values), product);
      return checked(overflow, product);
    }
    case AtomKind::scaled:
      return tessera::floor_div(values[a->variable] - a->residue, a->number);
    case AtomKind::operation: {
      const Expr folded = Expr::binary(a->op, Expr::constant(evaluate(a->form, values)),
                                       Expr::constant(evaluate(a->right_form, values)));
      return folded.is_constant() ? folded.value() : throw Overflow{};
    }
  }
  return 0;
}

}  // namespace

Index evaluate(const Form* form, std::span<const Index> values) {
  Index sum = form->constant;
  for (const Term& t : form->terms()) {
    Index product = 0;
    if (mul_overflows(t.coefficient, value_of(t.atom, values), product) || add_overflows(sum, product, sum)) {
      throw Overflow{};
    }
  }
  return sum;
}

bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& environment_changed) {
  if (constraints.empty() || constraints.size() > 64) return true;
  std::vector<std::uint32_t> used;
  std::uint64_t terms = 0;
  for (const LinearConstraint& c : constraints) {
    collect(c.form, used);
    terms += count_atoms(c.form);
  }
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  std::uint64_t points = 1;
  std::vector<Axis> axes;
  for (const std::uint32_t variable : used) {
    const VariableState& v = ws.variables[variable];
    const auto count = v.bounds.count();
    if (!count) return true;
    const std::uint64_t steps = static_cast<std::uint64_t>((*count - 1) / v.modulus) + 1;
    if (steps > kMostPoints || (points *= steps) > kMostPoints) return true;
    axes.push_back({variable, v.bounds, v.modulus});
  }
  const bool exact = points * terms <= kMostWork;
  std::vector<Index> values(ws.variables.size(), 0);
  const auto for_each_point = [&](const auto& visit) {
    for (const Axis& a : axes) values[a.variable] = a.bounds.lower;
    for (;;) {
      if (!visit()) return;
      std::size_t i = axes.size();
      while (i > 0) {
        Axis& a = axes[i - 1];
        if (a.bounds.upper - values[a.variable] >= a.step) {
          values[a.variable] += a.step;
          break;
        }
        values[a.variable] = a.bounds.lower;
        --i;
      }
      if (i == 0) return;
    }
  };
  const auto violated = [&](std::size_t i) {
    return !constraints[i].range.contains(evaluate(constraints[i].form, values));
  };
  try {
    bool any = false;
    std::vector<std::uint64_t> masks;  // of the constraints that each point violates
    if (exact) masks.reserve(points);
    for_each_point([&] {
      std::uint64_t mask = 0;
      for (std::size_t i = 0; i < constraints.size(); ++i) {
        mask |= std::uint64_t{violated(i)} << i;
        if (mask != 0 && !exact) return true;
      }
      if (exact) masks.push_back(mask);
      if (mask != 0) return true;
      for (Axis& a : axes) {
        const Index v = values[a.variable];
        a.seen = any ? Interval{std::min(a.seen.lower, v), std::max(a.seen.upper, v)} : Interval::point(v);
      }
      any = true;
      return exact;
    });
    if (!any) return false;
    if (!exact) return true;
    // A constraint that is violated nowhere alone follows from the others and the narrowed intervals.
    // Dropping one can make another one necessary, so the masks lose its bit one at a time, the longest
    // constraint first.
    std::size_t at = 0;
    std::size_t inside = 0;
    for_each_point([&] {
      const std::uint64_t mask = masks[at++];
      const bool in_hull =
          std::ranges::all_of(axes, [&](const Axis& a) { return a.seen.contains(values[a.variable]); });
      if (mask != 0 && in_hull) masks[inside++] = mask;
      return true;
    });
    masks.resize(inside);
    std::ranges::sort(masks);
    masks.erase(std::ranges::unique(masks).begin(), masks.end());
    for (const Axis& a : axes) {
      VariableState& v = ws.variables[a.variable];
      environment_changed |= v.bounds != a.seen;
      v.bounds = a.seen;
    }
    std::vector<std::size_t> order(constraints.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return count_atoms(constraints[a].form) > count_atoms(constraints[b].form);
    });
    std::uint64_t dropped = 0;
    for (const std::size_t i : order) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (std::ranges::any_of(masks, [&](std::uint64_t m) { return (m & ~dropped) == bit; })) continue;
      dropped |= bit;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      if ((dropped >> i & 1) == 0) constraints[kept++] = constraints[i];
    }
    environment_changed |= kept != constraints.size();
    constraints.resize(kept);
  } catch (const Overflow&) {
    return true;  // undefined at some point: say nothing
  }
  return true;
}

}  // namespace tessera::detail
