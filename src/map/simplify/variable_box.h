// SPDX-License-Identifier: Apache-2.0
/// \file
/// The points of small boxes of variables, and the values of forms at them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/index_walk.h"
#include "expr/form/workspace.h"
#include "expr/limits.h"

namespace tessera::detail {

/// The value of a form at a point; empty if it has none or a step overflows 64 bits.
std::optional<Index> form_value(const Form* form, std::span<const Index> values);
/// As above, but faster for many points: sets `undefined` instead of returning an empty value.
Index form_value(const Form* form, std::span<const Index> values, bool& undefined);

/// The number of atoms at all depths, which is the cost of `evaluate`. Stops counting soon after 2^20.
std::uint64_t count_atoms(const Form* form);

/// A variable of a box, and its values in the box.
struct BoxAxis {
  std::uint32_t variable;
  Interval bounds;
  Index step;
  std::uint64_t steps;
  Interval seen{kPosInf, kPosInf};  // hull of the values in the domain; valid if there are any
};

/// The box of some variables in the environment, walked row by row; the last axis is the longest. Only for
/// small boxes, of at most 2^16 points.
class VariableBox {
 public:
  /// `mask` has a bit for each variable: its number modulo 64.
  VariableBox(Workspace& ws, std::uint64_t mask);

  bool is_small() const { return points_ <= kLimits.points; }
  std::uint64_t points() const { return points_; }
  std::uint64_t row_size() const { return axes_.empty() ? 1 : axes_.back().steps; }
  std::span<BoxAxis> axes() { return axes_; }
  std::span<const BoxAxis> axes() const { return axes_; }
  std::span<const Index> values() const { return values_; }
  /// The point of the row at `column`, a value for each variable of the environment.
  std::span<const Index> at(std::uint64_t column) {
    if (!axes_.empty()) {
      const BoxAxis& a = axes_.back();
      values_[a.variable] = a.bounds.lower + static_cast<Index>(column) * a.step;
    }
    return values_;
  }

  /// The values of a form at all points of the row: `out` has one place for each. False if some step has no
  /// value or overflows 64 bits at one of the points. O(atoms * points) without a call for each point.
  bool row_values(const Form* form, std::span<Index> out);

  /// Calls `visit` for each row until it returns false.
  template <class Visit>
  void for_each_row(const Visit& visit) {
    for (const BoxAxis& a : axes_) values_[a.variable] = a.bounds.lower;
    const auto advance = [this](std::size_t i) {
      const BoxAxis& a = axes_[i];
      return next_step(values_[a.variable], a.bounds.lower, a.bounds.upper, a.step);
    };
    const std::size_t above_rows = axes_.empty() ? 0 : axes_.size() - 1;
    while (visit() && advance_last(above_rows, advance)) {
    }
  }

  /// Calls `visit` with the values at each point until it returns false.
  template <class Visit>
  void for_each_point(const Visit& visit) {
    for_each_row([&] {
      for (std::uint64_t column = 0; column < row_size(); ++column) {
        if (!visit(at(column))) return false;
      }
      return true;
    });
  }

 private:
  // a * x + b for the columns x = 0, 1, ... of the row.
  struct Line {
    Index slope = 0;
    Index first = 0;
  };
  std::optional<Line> line(const Form* form) const;
  bool atom_values(const FormAtom* atom, std::span<Index> out);
  std::span<Index> scratch(std::size_t depth);

  Workspace& ws_;
  std::span<BoxAxis> axes_;
  std::span<Index> values_;
  std::uint64_t points_ = 1;
  std::vector<std::span<Index>> scratch_;  // a row for each level of nested calls
  std::size_t depth_ = 0;
};

}  // namespace tessera::detail
