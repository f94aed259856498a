// SPDX-License-Identifier: Apache-2.0
/// \file
/// IndexMap: a domain (variables, their intervals, constraints) and a list of results.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/expr/expr.h"

namespace tessera {

/// dimension: an index of the tensor from which the map starts. range: takes every value of its interval for
/// each start index. runtime: one value, known only when the program runs.
enum class VariableKind : std::uint8_t { dimension, range, runtime };

/// The name of a variable, one pointer wide, so that maps copy their variables quickly. Each text is stored
/// once and lives as long as the process.
class VariableName {
 public:
  /// No name.
  VariableName() = default;
  VariableName(std::string_view text);
  VariableName(const std::string& text) : VariableName(std::string_view(text)) {}
  VariableName(const char* text) : VariableName(std::string_view(text)) {}

  bool empty() const { return text_ == nullptr; }
  void clear() { text_ = nullptr; }
  std::string str() const { return text_ == nullptr ? std::string() : *text_; }

  friend bool operator==(VariableName, VariableName) = default;

 private:
  const std::string* text_ = nullptr;  // null for the empty text
};

/// A variable of a map: its interval and its name. The name is empty for the default (d0, s0 or rt0, by kind
/// and position). Comparisons ignore the name, but not the interval.
struct Variable {
  Interval bounds;
  VariableName name = {};
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

/// How many variables of a list are dimensions and range variables; the rest are runtime variables.
struct KindCounts {
  std::size_t dims = 0;
  std::size_t ranges = 0;
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
  /// As above, from one list of all variables: `Domain::of(all, {.dims = 2, .ranges = 1})`.
  static Domain of(std::vector<Variable> all, KindCounts counts);
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

  /// Adds `expr in range`. Narrows the interval of a variable or of an existing constraint, decides a
  /// constant at once, and makes the domain known empty if the constraint cannot hold. An empty range never
  /// holds.
  void constrain(Expr expr, Interval range);
  void set_known_empty();
  /// The same variables with these intervals (one per variable) and constraints, which are distinct and
  /// neither bare variables nor constants.
  Domain with(std::span<const Interval> bounds, std::vector<Constraint> constraints) const&;
  Domain with(std::span<const Interval> bounds, std::vector<Constraint> constraints) &&;
  /// Makes room for this many constraints.
  void reserve_constraints(std::size_t count) { constraints_.reserve(count); }
  /// Removes the constraints; the intervals stay.
  void clear_constraints() { constraints_.clear(); }
  /// Appends a variable after those of its kind; expressions over later variables are not renumbered.
  void append_runtime(Variable variable) { variables_.push_back(variable); }

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

/// Numbers of dimensions and of symbols (range and runtime variables).
struct VariableCounts {
  std::size_t dims = 0;
  std::size_t symbols = 0;
};

/// A function from the points of a domain to tuples of integers. Results use only the domain's variables; a
/// known empty map has the constant 0 for every result. Immutable.
///
/// `(d0, d1)[s0] -> (d0, s0, d1), domain: d0 in [0, 3], d1 in [0, 127], s0 in [0, 255]` maps the start index
/// (d0, d1) to all elements (d0, s0, d1) with s0 in [0, 255].
class IndexMap {
 public:
  /// () -> ().
  IndexMap() = default;
  /// A map from a domain to results. Errors: variable_mismatch when a result or a constraint uses a variable
  /// that the domain does not have.
  static Result<IndexMap> make(Domain domain, std::vector<Expr> results);
  /// Like the above, but also checks that the domain has these numbers of variables:
  /// `make(domain, {.dims = 2, .symbols = 1}, results)`. Errors: variable_mismatch.
  static Result<IndexMap> make(Domain domain, VariableCounts counts, std::vector<Expr> results);
  /// Like make, but without checks: the caller guarantees that the domain declares all variables.
  static IndexMap make_unchecked(Domain domain, std::vector<Expr> results);
  /// (d0, d1, ...) -> (d0, d1, ...) over the box of these extents.
  static IndexMap identity(std::span<const Index> extents);
  /// A known empty map with the variables of `domain` and `result_count` results.
  static IndexMap empty(const Domain& domain, std::size_t result_count);

  const Domain& domain() const { return domain_; }
  std::span<const Expr> results() const { return results_; }
  std::span<const Variable> variables() const { return domain_.variables(); }
  std::span<const Constraint> constraints() const { return domain_.constraints(); }
  std::size_t dim_count() const { return domain_.dim_count(); }
  std::size_t range_count() const { return domain_.range_count(); }
  std::size_t runtime_count() const { return domain_.runtime_count(); }
  bool known_empty() const { return domain_.known_empty(); }

  /// The parts of a map that is not used again.
  Domain take_domain() && { return std::move(domain_); }
  std::vector<Expr> take_results() && { return std::move(results_); }

  /// The results at a point (one value per variable). Ignores intervals and constraints. Empty if a result
  /// has no value.
  std::optional<std::vector<Index>> evaluate(std::span<const Index> values) const;

  /// Whether every result i is dimension i, with no other variables and no constraints.
  bool is_identity() const;

  /// Structural equality: the same numbers of variables, intervals and results, and the same set of
  /// constraints. Maps that differ here may still be the same function: see `equal` in judge.h.
  friend bool operator==(const IndexMap& a, const IndexMap& b) = default;

 private:
  Domain domain_;
  std::vector<Expr> results_;
};

/// The size of a map; smaller is simpler. `operators` counts the operator nodes of results and constraints
/// plus the constraints; `signs` counts negative constants.
struct MapSize {
  std::uint64_t operators = 0;
  std::uint64_t signs = 0;
  friend auto operator<=>(const MapSize&, const MapSize&) = default;
};
MapSize size(const IndexMap& map);

/// The text of a map: `(d0) -> (d0 mod 2), domain: d0 in [0, 3]`, constraints sorted as strings, `KNOWN
/// EMPTY` for a map that is known to have no points. `parse_index_map` (text/index_map.h) reads it back.
std::string to_string(const IndexMap& map);
std::ostream& operator<<(std::ostream& out, const IndexMap& map);

}  // namespace tessera
