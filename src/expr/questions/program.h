// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles expressions for evaluation at many points.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// The distinct nodes of expressions as a list of steps, operands before their operation.
class Program {
 public:
  struct Step {
    ExprKind kind;
    Index value;  ///< the value of a constant, or the number of a variable
    std::uint32_t lhs = 0;
    std::uint32_t rhs = 0;

    bool is_binary() const { return kind < ExprKind::variable; }
  };

  /// The number of the step that computes the expression.
  std::uint32_t add(Expr expr);
  std::span<const Step> steps() const { return steps_; }

  /// An interval that contains the last step, by interval arithmetic over a box with an interval for each
  /// variable. Empty if a step may overflow 64 bits or divide by 0.
  std::optional<Interval> bounds(std::span<const Interval> box) const;
  /// The value of the last step, without checks. If `bounds` is empty, requires that every step has a value
  /// at the point.
  Index run(std::span<const Index> point) const;

 private:
  std::vector<Step> steps_;
  std::unordered_map<const void*, std::uint32_t> numbers_;
};

}  // namespace tessera::detail
