// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds quotients that are affine where the constraints hold.
#pragma once

#include <optional>
#include <vector>

#include "map/simplify/affine_span.h"
#include "map/simplify/variable_box.h"

namespace tessera::detail {

/// The points that satisfy the facts of an environment, collected once for all results of a map.
class PointFit {
 public:
  explicit PointFit(Workspace& ws) : ws_(ws) {}

  /// The form with each quotient, or else the sum of all, replaced by an affine form that has the same values
  /// at every point where the facts hold. The form itself if there is none, if the box of the variables is
  /// not small, or if no point satisfies the facts. Exact: every point is compared. O(points * atoms).
  const Form* replaced(const Form* form);

 private:
  const Form* replace(const Form* form);
  void collect(std::uint64_t variables);
  AffineSpan::Row point(std::size_t number) const;
  bool samples_fit(const Form* form);
  bool values_of(const Form* form, std::span<Index> out);
  const Form* affine(const Form* form);

  Workspace& ws_;
  const Form* last_ = nullptr;  // the last form, and its result
  const Form* last_replaced_ = nullptr;
  std::uint64_t variables_ = 0;  // of the box: their numbers modulo 64
  std::optional<VariableBox> box_;
  std::span<std::uint8_t> inside_;        // whether each point of the box satisfies the facts
  std::size_t count_ = 0;                 // of those that do
  std::vector<AffineSpan::Row> samples_;  // some of them that are far apart
  std::vector<Index> point_;              // one of them, with a value for each variable
};

}  // namespace tessera::detail
