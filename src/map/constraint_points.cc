// SPDX-License-Identifier: Apache-2.0
#include "map/constraint_points.h"

#include <algorithm>
#include <new>
#include <span>

#include "expr/range.h"

namespace tessera::detail {
namespace {

constexpr std::uint64_t kMostWork = 8000;        // points * terms for exact intervals and redundancy
constexpr std::uint64_t kMostPoints = 1u << 16;  // emptiness alone

struct Axis {
  std::uint32_t variable;
  Interval bounds;
  Index step;
  std::uint64_t steps;
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
      return tessera::floor_div(values[a->variable], a->number);  // residue is the remainder
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

namespace {

// The box of the variables that occur in constraints, walked row by row; the last axis is the longest.
class Box {
 public:
  Box(Workspace& ws, std::span<const LinearConstraint> constraints) {
    const std::size_t variable_count = ws.variables.size();
    values_ = {ws.arena.array<Index>(variable_count), variable_count};
    auto* const axes = ws.arena.array<Axis>(variable_count);
    std::ranges::fill(values_, 0);
    std::uint64_t mask = 0;
    for (const LinearConstraint& c : constraints) mask |= c.form->mask;
    std::size_t count_of_axes = 0;
    for (std::uint32_t variable = 0; variable < variable_count; ++variable) {
      if ((mask >> (variable % 64) & 1) == 0) continue;
      const VariableState& v = ws.variables[variable];
      const auto count = v.bounds.count();
      const std::uint64_t steps =
          count ? static_cast<std::uint64_t>((*count - 1) / v.modulus) + 1 : UINT64_MAX;
      if (steps > kMostPoints || (points_ *= steps) > kMostPoints) {
        points_ = UINT64_MAX;
        return;
      }
      new (axes + count_of_axes++) Axis{variable, v.bounds, v.modulus, steps};
    }
    axes_ = {axes, count_of_axes};
    const auto longest = std::ranges::max_element(axes_, {}, &Axis::steps);
    if (longest != axes_.end()) std::rotate(longest, longest + 1, axes_.end());
  }

  // UINT64_MAX when there are more than kMostPoints.
  std::uint64_t points() const { return points_; }
  std::uint64_t row_size() const { return axes_.empty() ? 1 : axes_.back().steps; }
  std::span<Axis> axes() { return axes_; }
  std::span<const Index> values() const { return values_; }
  // The point of the row at `column`.
  std::span<const Index> at(std::uint64_t column) {
    if (!axes_.empty()) {
      const Axis& a = axes_.back();
      values_[a.variable] = a.bounds.lower + static_cast<Index>(column) * a.step;
    }
    return values_;
  }

  // Calls `visit` for each row until it returns false.
  template <class Visit>
  void for_each_row(const Visit& visit) {
    for (const Axis& a : axes_) values_[a.variable] = a.bounds.lower;
    for (;;) {
      if (!visit()) return;
      std::size_t i = axes_.empty() ? 0 : axes_.size() - 1;
      for (; i > 0; --i) {
        Axis& a = axes_[i - 1];
        if (a.bounds.upper - values_[a.variable] >= a.step) {
          values_[a.variable] += a.step;
          break;
        }
        values_[a.variable] = a.bounds.lower;
      }
      if (i == 0) return;
    }
  }

 private:
  std::span<Axis> axes_;
  std::span<Index> values_;
  std::uint64_t points_ = 1;
};

bool has_point(Box& box, std::span<const LinearConstraint> constraints) {
  bool any = false;
  box.for_each_row([&] {
    for (std::uint64_t column = 0; column < box.row_size() && !any; ++column) {
      const auto point = box.at(column);
      any = std::ranges::all_of(
          constraints, [&](const LinearConstraint& c) { return c.range.contains(evaluate(c.form, point)); });
    }
    return !any;
  });
  return any;
}

// Of the points of a row, the constraints that each violates, as bits. A linear constraint is an arithmetic
// progression along the row; its ends fit, so the values between them do.
void row_masks(Box& box, std::span<const LinearConstraint> constraints, std::span<std::uint64_t> masks) {
  std::ranges::fill(masks, 0);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Interval range = constraints[i].range;
    const Form* const form = constraints[i].form;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (masks.size() < 3 || !is_linear(form)) {
      for (std::uint64_t column = 0; column < masks.size(); ++column) {
        if (!range.contains(evaluate(form, box.at(column)))) masks[column] |= bit;
      }
      continue;
    }
    Index value = evaluate(form, box.at(0));
    const Index last = evaluate(form, box.at(masks.size() - 1));
    Index difference = 0;
    if (sub_overflows(last, value, difference)) throw Overflow{};
    const Index slope = difference / static_cast<Index>(masks.size() - 1);
    for (std::uint64_t column = 0;; value += slope) {
      if (!range.contains(value)) masks[column] |= bit;
      if (++column == masks.size()) break;
    }
  }
}

}  // namespace

bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& environment_changed) {
  if (constraints.empty() || constraints.size() > 64) return true;
  std::uint64_t terms = 0;
  for (const LinearConstraint& c : constraints) terms += count_atoms(c.form);
  Box box(ws, constraints);
  if (box.points() > kMostPoints) return true;
  try {
    if (box.points() * terms > kMostWork) return has_point(box, constraints);
    bool any = false;
    // Of the constraints that each point violates.
    std::span<std::uint64_t> masks(ws.arena.array<std::uint64_t>(box.points()), box.points());
    std::size_t at = 0;
    const std::span<Axis> axes = box.axes();
    box.for_each_row([&] {
      const std::span<std::uint64_t> row(masks.data() + at, box.row_size());
      at += row.size();
      row_masks(box, constraints, row);
      const auto first = std::ranges::find(row, std::uint64_t{0});
      if (first == row.end()) return true;
      const auto last = std::ranges::find(row.rbegin(), row.rend(), std::uint64_t{0}).base() - 1;
      for (const auto end : {first, last}) {
        box.at(static_cast<std::uint64_t>(end - row.begin()));
        for (Axis& a : axes) {
          const Index v = box.values()[a.variable];
          a.seen = any ? Interval{std::min(a.seen.lower, v), std::max(a.seen.upper, v)} : Interval::point(v);
        }
        any = true;
      }
      return true;
    });
    if (!any) return false;
    // A constraint that is violated nowhere alone follows from the others and the narrowed intervals.
    // Dropping one can make another one necessary, so the masks lose its bit one at a time, the longest
    // constraint first.
    std::size_t inside = 0;
    at = 0;
    box.for_each_row([&] {
      for (std::uint64_t column = 0; column < box.row_size(); ++column) {
        const std::uint64_t mask = masks[at++];
        if (mask == 0) continue;
        box.at(column);
        const bool in_hull = std::ranges::all_of(
            axes, [&](const Axis& a) { return a.seen.contains(box.values()[a.variable]); });
        if (in_hull) masks[inside++] = mask;
      }
      return true;
    });
    masks = masks.first(inside);
    std::ranges::sort(masks);
    masks = {masks.begin(), std::ranges::unique(masks).begin()};
    for (const Axis& a : axes) {
      VariableState& v = ws.variables[a.variable];
      environment_changed |= v.bounds != a.seen;
      v.bounds = a.seen;
    }
    struct Sized {
      std::uint64_t atoms;
      std::size_t i;
    };
    const std::span<Sized> order(ws.arena.array<Sized>(constraints.size()), constraints.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = {count_atoms(constraints[i].form), i};
    std::ranges::sort(order, [](const Sized& a, const Sized& b) {
      return a.atoms != b.atoms ? a.atoms > b.atoms : a.i < b.i;
    });
    std::uint64_t dropped = 0;
    for (const auto& [atoms, i] : order) {
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
