// SPDX-License-Identifier: Apache-2.0
/// \file
/// The constraints of one map in normal form, and what follows from them.
#pragma once

#include <vector>

#include "expr/workspace.h"
#include "tessera/map/domain.h"

namespace tessera::detail {

/// `form` (no constant, coefficients without a common factor, the first one positive) lies in `range`.
struct LinearConstraint {
  const Form* form;
  Interval range;
};

/// Narrows the environment of the workspace by constraints and keeps those that still say something. Steps:
///   normal form   constant and common factor move into the interval; what is always or never true is
///   decided; one
///                 variable, one quotient, one max0 bound what is inside; a fine part that cannot matter is
///                 dropped
///   propagation   the interval left by the other terms bounds each term, and so on down to the variables
///   congruence    x mod n = r leaves the list: x becomes n*q + r everywhere, so that several moduli combine
///   redundancy    what the other constraints imply is dropped, what they shorten is replaced
///   enumeration   small boxes: exact emptiness, exact intervals, no constraint that is never violated alone
class ConstraintSystem {
 public:
  /// The constraints of a domain that outlives this; the bounds of its variables must be in the environment.
  ConstraintSystem(Workspace& ws, const Domain& domain);

  /// False when the domain is empty. The order of the constraints does not matter.
  bool solve();
  /// Normal form and propagation only, for ranges.
  bool propagate();

  std::span<const LinearConstraint> constraints() const { return list_; }
  /// Makes the constraints facts of the environment, with those that follow for quotients.
  void set_facts();
  /// As text, congruences included; in an environment without facts.
  std::vector<Constraint> written();
  /// Some constraints of `written` are as they came.
  bool keeps_some_as_written() const { return as_written_ || !partial_.empty(); }

 private:
  enum class Outcome { keep, drop, empty };

  void sort_in(std::span<const Constraint> constraints);
  void start_over();
  bool may_be_undefined(Expr e);
  bool partial_have_point() const;

  Outcome normalise(LinearConstraint& c);
  Outcome drop_fine(LinearConstraint& c, Interval bounds, bool& changed);
  bool extract_congruence(const LinearConstraint& c, Outcome& outcome);
  bool strip(LinearConstraint& c);
  bool absorb_quotient(LinearConstraint& c);
  bool solve_total();
  bool run_rounds();
  bool reread();
  bool pairs_have_points() const;
  bool drop_redundant(bool& replaced);
  void sort();
  bool merge_equal();

  bool tighten(const Form* form, Interval range, int depth);
  bool tighten(const Atom* atom, Interval range, int depth);
  bool tighten_extrema(const Form* form, Interval range, int depth);
  bool tighten_variable(std::uint32_t variable, Interval range);
  bool align(std::uint32_t variable);

  Workspace& ws_;
  const Domain& domain_;
  std::vector<LinearConstraint> list_;
  // Kept as they came: where they have no value is outside of the domain, or an end of the range is an end of
  // the 64 bits.
  std::vector<Constraint> partial_;
  bool environment_changed_ = false;
  bool as_written_ = false;
  bool last_round_ = false;
  std::vector<std::uint32_t> moved_;  // variables that the last round has narrowed
  int restarts_ = 0;
  std::vector<bool> frozen_;  // variables that keep their bounds; empty when there are none
};

/// Looks at every point of the variables that occur in constraints. False when there is none.
/// Exact intervals and redundancy where points * terms is small, emptiness alone up to 2^16 points.
bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& environment_changed);

/// The value of a form at a point. Throws Overflow.
Index evaluate(const Form* form, std::span<const Index> values);

}  // namespace tessera::detail
