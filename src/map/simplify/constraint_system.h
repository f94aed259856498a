// SPDX-License-Identifier: Apache-2.0
/// \file
/// The constraints of one map in normal form, and what follows from them.
#pragma once

#include <vector>

#include "expr/form/workspace.h"
#include "map/simplify/bound_propagation.h"
#include "map/simplify/linear_constraint.h"
#include "tessera/map/index_map.h"

namespace tessera::detail {

/// Narrows the environment of the workspace by constraints and keeps the constraints that still matter.
/// Steps:
///   normal form   of each constraint (linear_constraint.h); congruences move to the environment
///   propagation   the bounds of a sum and of its other terms bound each term (bound_propagation.h)
///   redundancy    drops constraints that the others imply, replaces those that the others shorten
///                 (constraint_redundancy.h)
///   enumeration   for small boxes: exact emptiness, exact intervals, drops constraints that no point violates
///                 alone (constraint_points.h)
class ConstraintSystem {
 public:
  /// The domain must outlive this object; the bounds of its variables must be in the environment.
  ConstraintSystem(Workspace& ws, const Domain& domain);

  /// Runs all steps. False if the domain is empty. The order of the constraints does not matter.
  bool solve();
  /// Runs only the normal form and propagation, for ranges. False if the domain is empty.
  bool propagate();

  std::span<const LinearConstraint> constraints() const { return list_; }
  /// Makes the constraints facts of the environment, and adds facts about quotients that follow from them.
  void set_facts();
  /// The constraints as text, including congruences. Requires an environment without facts.
  std::vector<Constraint> spelled();
  /// Whether `spelled` keeps some constraints as given.
  bool keeps_some_as_given() const { return as_given_ || !partial_.empty(); }

 private:
  void read_given();
  void sort_in(const Constraint& constraint);
  void start_over();

  template <class Step>
  bool for_each_group(const Step& step);
  bool strengthen(bool& changed);
  bool take_in_partial();
  bool run_rounds();
  bool reread();
  void sort();
  bool merge_equal();

  Workspace& ws_;
  const Domain& domain_;
  std::span<const Constraint*> given_;  // the constraints of the domain, in the order of expressions
  std::vector<LinearConstraint> list_;
  // Constraints kept as given: those that may have no value at some points (which are then outside the
  // domain), and those whose interval ends at a limit of 64 bits.
  std::vector<Constraint> partial_;
  BoundPropagation bounds_;
  bool as_given_ = false;
  int restarts_ = 0;
};

}  // namespace tessera::detail
