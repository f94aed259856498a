// SPDX-License-Identifier: Apache-2.0
/// \file
/// Derives bounds of variables from bounds of sums.
#pragma once

#include <vector>

#include "expr/form/workspace.h"

namespace tessera::detail {

/// Narrows the variables of the environment. The bounds of a sum and the ranges of its other terms bound each
/// term, and the bounds of a term bound the variables in it. The caller calls Environment::changed afterward.
class BoundPropagation {
 public:
  explicit BoundPropagation(Workspace& ws) : ws_(ws) {}

  /// Starts a round. With `watch`, the round records which variables become narrower.
  void start_round(bool watch);
  /// Whether the round narrowed a variable.
  bool changed() const { return changed_; }
  /// Whether the round was watched and narrowed a variable.
  bool any_watched() const { return !moved_.empty(); }
  /// The variables that this watched round narrowed keep their bounds from now on.
  void freeze_watched();

  /// Narrows variables, given that the form or the atom lies in `allowed`. False if no value is left.
  bool tighten(const Form* form, Interval allowed, int depth = 0);
  bool tighten(const FormAtom* atom, Interval allowed, int depth = 0);
  /// Records that the variable is `residue` modulo `modulus`, a multiple of its earlier modulus. False if no
  /// value is left.
  bool set_congruence(std::uint32_t variable, Index modulus, Index residue);

 private:
  bool tighten_extrema(const Form* form, Interval allowed, int depth);
  bool tighten_variable(std::uint32_t variable, Interval range);
  bool align(std::uint32_t variable);

  Workspace& ws_;
  bool changed_ = false;
  bool watching_ = false;
  std::vector<std::uint32_t> moved_;
  std::vector<bool> frozen_;  // empty if there are none
};

}  // namespace tessera::detail
