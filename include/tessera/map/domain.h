// SPDX-License-Identifier: Apache-2.0
/// \file
/// Variables with intervals and constraints: where an index map is defined.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/expr/expr.h"
#include "tessera/expr/interval.h"

namespace tessera {

/// dimension: an index of the tensor from which the map starts. range: takes every value of its interval for
/// each start index. runtime: one value, known only when the program runs.
enum class VariableKind : std::uint8_t { dimension, range, runtime };

/// A variable of a map: its interval and its name. The name is empty for the default (d0, s0 or rt0, by kind
/// and position). Comparisons ignore the name, but not the interval.
struct Variable {
  Interval bounds;
  std::string name = {};
};

/// The role of a variable by its name: `thread x` for th_x, `block x` for bl_x (likewise y and z), `warp` for
/// warp, `lane` for th_w, and `default` for any other name.
std::string_view role_of_name(std::string_view name);

/// `expr` lies in `range`.
struct Constraint {
  Expr expr;
  Interval range;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// All assignments with every variable in its interval and every constraint satisfied. Variables are one flat
/// list, dimensions first, then range, then runtime variables; constraints are distinct and never a bare
/// variable or a constant. A domain known to be empty keeps only its variable counts, with intervals [0, 0].
/// A domain that is not known_empty() may still be empty.
class Domain {
 public:
  /// No variables: one point.
  Domain() = default;
  Domain(std::vector<Variable> dims, std::vector<Variable> ranges, std::vector<Variable> runtimes);
  /// Dimensions d0, d1, ... with di in [0, extents[i] - 1], and nothing else; known empty if an extent is 0.
  static Domain box(std::span<const Index> extents);

  std::size_t dim_count() const { return dim_count_; }
  std::size_t range_count() const { return range_count_; }
  std::size_t runtime_count() const { return variables_.size() - dim_count_ - range_count_; }
  /// Range and runtime variables together.
  std::size_t symbol_count() const { return variables_.size() - dim_count_; }
  std::size_t variable_count() const { return variables_.size(); }
  VariableKind kind(std::size_t variable) const;

  std::span<const Variable> variables() const { return variables_; }
  std::span<const Constraint> constraints() const { return constraints_; }
  bool known_empty() const { return known_empty_; }

  /// The printed name of a variable: its own, or the default for its kind and position.
  std::string name(std::size_t variable) const;

  /// Adds `expr in [lower, upper]`. Narrows the interval of a variable or of an existing constraint, decides
  /// a constant at once, and makes the domain known empty if the constraint cannot hold.
  void constrain(Expr expr, Index lower, Index upper);
  void constrain(Expr expr, Interval range) { constrain(expr, range.lower, range.upper); }
  void set_known_empty();
  /// The same variables with these intervals (one per variable) and constraints, which are distinct and
  /// neither bare variables nor constants.
  Domain with(std::span<const Interval> bounds, std::vector<Constraint> constraints) const;
  /// Removes the constraints; the intervals stay.
  void clear_constraints() { constraints_.clear(); }
  /// Appends a variable after those of its kind; expressions over later variables are not renumbered.
  void append_runtime(Variable variable) { variables_.push_back(std::move(variable)); }

  /// Whether the constraints hold at this point (one value per variable). Does not check intervals. False if
  /// a constraint has no value there, and for a known empty domain.
  bool constraints_satisfied(std::span<const Index> values) const;
  /// Whether the intervals and the constraints hold at this point.
  bool contains(std::span<const Index> values) const;

  /// Whether both have the same numbers of variables, the same intervals and the same set of constraints.
  /// Ignores names.
  friend bool operator==(const Domain& a, const Domain& b);

 private:
  std::vector<Variable> variables_;
  std::vector<Constraint> constraints_;
  std::uint32_t dim_count_ = 0;
  std::uint32_t range_count_ = 0;
  bool known_empty_ = false;
};

}  // namespace tessera
