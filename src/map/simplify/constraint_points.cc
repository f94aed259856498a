// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/constraint_points.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "expr/form/sum.h"
#include "expr/limits.h"
#include "map/simplify/affine_span.h"
#include "map/simplify/variable_box.h"

namespace tessera::detail {
namespace {

// Whether no point satisfies all constraints. A row in which a constraint has no value at some point counts
// as if all its points satisfied it.
bool has_no_point(Workspace& ws, VariableBox& box, std::span<const LinearConstraint> constraints) {
  const std::span<Index> values(ws.arena.array<Index>(box.row_size()), box.row_size());
  const std::span<std::uint8_t> inside(ws.arena.array<std::uint8_t>(values.size()), values.size());
  bool maybe = false;
  box.for_each_row([&] {
    std::ranges::fill(inside, std::uint8_t{1});
    for (const LinearConstraint& c : constraints) {
      if (!box.row_values(c.form, values)) continue;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!c.range.contains(values[i])) inside[i] = 0;
      }
    }
    maybe = std::ranges::find(inside, std::uint8_t{1}) != inside.end();
    return !maybe;
  });
  return !maybe;
}

// The values of the constraints at every point of a box, where all of them have one.
class Values {
 public:
  Values(Workspace& ws, VariableBox& box, std::span<const LinearConstraint> constraints)
      : points_(box.points()),
        values_(ws.arena.array<Index>(points_ * constraints.size()), points_ * constraints.size()) {
    std::uint64_t at = 0;
    box.for_each_row([&] {
      for (std::size_t i = 0; i < constraints.size() && defined_; ++i) {
        defined_ = box.row_values(constraints[i].form, values_.subspan(i * points_ + at, box.row_size()));
      }
      at += box.row_size();
      return defined_;
    });
  }

  bool defined() const { return defined_; }

  std::span<const Index> of(std::size_t constraint) const {
    return values_.subspan(constraint * points_, points_);
  }

  // For each point, a mask of the constraints that it violates.
  void masks(std::span<const LinearConstraint> constraints, std::span<std::uint64_t> out) const {
    std::ranges::fill(out, 0);
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const auto values = of(i);
      const Interval range = constraints[i].range;
      for (std::uint64_t at = 0; at < points_; ++at) {
        out[at] |= std::uint64_t{!range.contains(values[at])} << i;
      }
    }
  }

 private:
  std::uint64_t points_;
  std::span<Index> values_;
  bool defined_ = true;
};

// The constraints at the points of a small box. In masks, bit i is constraint i of the list.
class PointwiseView {
 public:
  PointwiseView(Workspace& ws, VariableBox& box, std::vector<LinearConstraint>& constraints)
      : ws_(ws),
        box_(box),
        constraints_(constraints),
        values_(ws, box, constraints),
        masks_(ws.arena.array<std::uint64_t>(box.points()), box.points()) {
    if (values_.defined()) values_.masks(constraints, masks_);
    if (box.axes().size() <= AffineSpan::kVariables) span_.emplace(box.axes().size());
  }

  // Whether every constraint has a value at every point. Otherwise the points prove nothing.
  bool defined() const { return values_.defined(); }

  // Stores the hull of the domain's points in BoxAxis::seen; false if there are no points.
  bool find_hull() {
    bool any = false;
    std::size_t at = 0;
    const std::span<BoxAxis> axes = box_.axes();
    box_.for_each_row([&] {
      const std::span<std::uint64_t> row(masks_.data() + at, box_.row_size());
      at += row.size();
      const auto first = std::ranges::find(row, std::uint64_t{0});
      if (first == row.end()) return true;
      const auto last = std::ranges::find(row.rbegin(), row.rend(), std::uint64_t{0}).base() - 1;
      for (const auto end : {first, last}) {
        box_.at(static_cast<std::uint64_t>(end - row.begin()));
        for (BoxAxis& a : axes) {
          const Index v = box_.values()[a.variable];
          a.seen = any ? Interval{std::min(a.seen.lower, v), std::max(a.seen.upper, v)} : Interval::point(v);
        }
        add_to_span(any);
        any = true;
      }
      return true;
    });
    return any;
  }

  // Narrows each constraint to the least interval that contains its values at all points of the domain. True
  // if one became narrower.
  bool narrow_to_values() {
    bool narrower = false;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      Interval hull = kNothing;
      const auto own = values_.of(i);
      for (std::size_t at = 0; at < masks_.size(); ++at) {
        if (masks_[at] == 0) hull = {std::min(hull.lower, own[at]), std::max(hull.upper, own[at])};
      }
      if (hull.upper == kNegInf || hull.lower == kPosInf) continue;  // would be mistaken for infinity
      narrower |= hull != constraints_[i].range;
      constraints_[i].range = hull;
    }
    if (narrower) values_.masks(constraints_, masks_);
    return narrower;
  }

  // Adds the equations of variables that hold at all points of the domain, such as d0 = d1 for two variables
  // in [0, 1] with d0 + d1 even, unless they are known. True if there were any.
  bool add_equations() {
    const std::span<const BoxAxis> axes = box_.axes();
    if (!span_ || span_->rank() == axes.size()) return false;
    AffineSpan known(axes.size());  // here a row has the factors of an equation
    for (std::size_t i = 0; i < axes.size(); ++i) {
      AffineSpan::Row row{};
      row[i] = axes[i].seen.is_point() ? 1 : 0;
      known.add(row);
    }
    for (const LinearConstraint& c : constraints_) {
      if (c.range.is_point() && is_linear(c.form)) known.add(factors(c.form));
    }
    bool added = false;
    for (const AffineSpan::Row& vector : span_->orthogonal()) {
      const std::size_t before = known.rank();
      if (!known.add(vector) || known.rank() == before) continue;
      Sum sum(ws_);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const Index own = vector[i];
        sum.add(own, atom_of(axes[i]));
        Index product = 0;
        if (mul_overflows(own, first_[i], product) || product == kIndexMin) return added;
        sum.add_constant(-product);
      }
      LinearConstraint equation{sum.intern(), Interval::point(0)};
      if (equation.form->overflow || !strip(ws_, equation)) return added;
      constraints_.push_back(equation);
      added = true;
    }
    return added;
  }

  // Drops constraints that no point violates alone: they follow from the others and the hull. Dropping one
  // can make another necessary, so they are dropped one at a time: equations last, otherwise the longest
  // first. True if any was dropped.
  bool drop_redundant() {
    const std::span<const std::uint64_t> outside = masks_outside();
    struct Sized {
      bool is_equation;
      std::uint64_t atoms;
      std::size_t i;
    };
    const std::span<Sized> order(ws_.arena.array<Sized>(constraints_.size()), constraints_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = {constraints_[i].range.is_point(), count_atoms(constraints_[i].form), i};
    }
    std::ranges::sort(order, [](const Sized& a, const Sized& b) {
      if (a.is_equation != b.is_equation) return b.is_equation;
      return a.atoms != b.atoms ? a.atoms > b.atoms : a.i < b.i;
    });
    std::uint64_t redundant = 0;
    for (const auto& [is_equation, atoms, i] : order) {
      const auto is_alone = [&](std::uint64_t mask) { return (mask & ~redundant) == bit(i); };
      if (std::ranges::none_of(outside, is_alone)) redundant |= bit(i);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      if ((redundant & bit(i)) == 0) constraints_[kept++] = constraints_[i];
    }
    const bool fewer = kept != constraints_.size();
    constraints_.resize(kept);
    return fewer;
  }

 private:
  // The variable of an axis, or x for m * x + r if it has the congruence r modulo m.
  const FormAtom* atom_of(const BoxAxis& a) {
    const VariableState& v = ws_.variables[a.variable];
    return v.modulus > 1 ? ws_.scaled(a.variable, v.modulus, v.residue) : ws_.variable(a.variable);
  }
  AffineSpan::Row factors(const Form* linear) {
    AffineSpan::Row row{};
    for (std::size_t i = 0; i < box_.axes().size(); ++i)
      row[i] = coefficient(linear, atom_of(box_.axes()[i]));
    return row;
  }
  // Adds the current point. A row is a line, so two of its points are enough.
  void add_to_span(bool has_first) {
    if (!span_ || span_->rank() == box_.axes().size()) return;
    AffineSpan::Row point{};
    for (std::size_t i = 0; i < box_.axes().size(); ++i) {
      const BoxAxis& a = box_.axes()[i];
      point[i] = tessera::floor_div(box_.values()[a.variable], a.step);
    }
    if (!has_first) {
      first_ = point;
      return;
    }
    for (std::size_t i = 0; i < point.size(); ++i) point[i] -= first_[i];
    if (!span_->add(point)) span_.reset();
  }

  static constexpr Interval kNothing{kPosInf, kNegInf};
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

  // The distinct masks of the points that are in the hull but not in the domain.
  std::span<const std::uint64_t> masks_outside() {
    std::span<std::uint64_t> outside(ws_.arena.array<std::uint64_t>(masks_.size()), masks_.size());
    std::size_t count = 0;
    std::size_t at = 0;
    const std::span<const BoxAxis> axes = box_.axes();
    box_.for_each_row([&] {
      for (std::uint64_t column = 0; column < box_.row_size(); ++column, ++at) {
        if (masks_[at] == 0) continue;
        box_.at(column);
        const bool in_hull = std::ranges::all_of(
            axes, [&](const BoxAxis& a) { return a.seen.contains(box_.values()[a.variable]); });
        if (in_hull) outside[count++] = masks_[at];
      }
      return true;
    });
    outside = outside.first(count);
    std::ranges::sort(outside);
    return {outside.begin(), std::ranges::unique(outside).begin()};
  }

  Workspace& ws_;
  VariableBox& box_;
  std::vector<LinearConstraint>& constraints_;
  Values values_;
  std::span<std::uint64_t> masks_;  // the constraints that each point violates
  std::optional<AffineSpan> span_;  // of the points of the domain; empty if there are too many variables
  AffineSpan::Row first_{};         // the first of these points
};

}  // namespace

namespace {

std::uint64_t variables_of(std::span<const LinearConstraint> constraints) {
  std::uint64_t mask = 0;
  for (const LinearConstraint& c : constraints) mask |= c.form->mask;
  return mask;
}

// Whether propagation already found everything that the points could show. That holds for sums and
// differences of variables whose constraints form a forest: at most one path of constraints connects two
// variables. A sum of intervals with factors 1 and -1 takes every value between its ends. So each remaining
// value of a variable extends to a point of the domain, and each constraint excludes a point that all others
// allow.
bool propagation_suffices(const Workspace& ws, std::span<const LinearConstraint> constraints) {
  std::vector<std::uint64_t> trees;  // the variables of each
  for (const LinearConstraint& c : constraints) {
    const bool plain = std::ranges::all_of(c.form->terms(), [&](const Term& t) {
      return t.atom->kind == FormAtomKind::variable && (t.coefficient == 1 || t.coefficient == -1) &&
             ws.variables[t.atom->variable].modulus <= 1;
    });
    if (!plain || std::popcount(c.form->mask) != static_cast<int>(c.form->size)) return false;
    std::uint64_t joined = c.form->mask;
    for (std::uint64_t& tree : trees) {
      if (std::popcount(tree & c.form->mask) > 1) return false;  // a cycle
      if ((tree & c.form->mask) != 0) joined |= std::exchange(tree, 0);
    }
    trees.push_back(joined);
  }
  return true;
}

}  // namespace

bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, std::uint64_t& work,
                      bool& environment_changed) {
  if (constraints.empty() || constraints.size() > kLimits.point_constraints ||
      propagation_suffices(ws, constraints))
    return true;
  std::uint64_t terms = 0;
  for (const LinearConstraint& c : constraints) terms += count_atoms(c.form);
  VariableBox box(ws, variables_of(constraints));
  if (!box.is_small()) return true;
  if (box.points() * terms > work) {
    ws.spend(box.points() * terms / 32);  // a step here costs less than a step on forms
    return box.points() * terms > kLimits.emptiness_work || ws.exhausted ||
           !has_no_point(ws, box, constraints);
  }
  work -= box.points() * terms;
  PointwiseView points(ws, box, constraints);
  if (!points.defined()) return true;
  if (!points.find_hull()) return false;
  for (const BoxAxis& a : box.axes()) {
    VariableState& v = ws.variables[a.variable];
    environment_changed |= v.bounds != a.seen;
    v.bounds = a.seen;
  }
  environment_changed |= points.narrow_to_values();
  if (points.add_equations()) {
    environment_changed = true;
    return true;  // the next pass decides which of the others are redundant
  }
  environment_changed |= points.drop_redundant();
  return true;
}

}  // namespace tessera::detail
