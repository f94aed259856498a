// SPDX-License-Identifier: Apache-2.0
/// \file
/// From the bounds of sums to the bounds of their variables.
#pragma once

#include <vector>

#include "expr/workspace.h"

namespace tessera::detail {

/// Narrows the variables of the environment: the interval that the other terms of a sum leave bounds each
/// term, and so on down to the variables. The caller then calls Workspace::changed.
class BoundPropagation {
 public:
  explicit BoundPropagation(Workspace& ws) : ws_(ws) {}

  /// Starts a round in which nothing has moved. `watch`: remembers which variables move.
  void start_round(bool watch);
  /// Variables have moved in this round.
  bool changed() const { return changed_; }
  /// Variables have moved in this round, which was watched.
  bool any_watched() const { return !moved_.empty(); }
  /// The variables that moved in this watched round keep their bounds from now on.
  void freeze_watched();

  /// The form, the atom lies in `allowed`. False when no value is left.
  bool tighten(const Form* form, Interval allowed, int depth = 0);
  bool tighten(const Atom* atom, Interval allowed, int depth = 0);
  /// The variable is `residue` modulo `modulus`, which its earlier modulus divides. False when no value is
  /// left.
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
