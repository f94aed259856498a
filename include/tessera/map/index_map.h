// SPDX-License-Identifier: Apache-2.0
/// \file
/// IndexMap: an exact symbolic function between index spaces.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/map/domain.h"

namespace tessera {

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
  /// Like the above, but also checks that the domain has `dim_count` dimensions and `symbol_count` symbols
  /// (range and runtime variables). Errors: variable_mismatch.
  static Result<IndexMap> make(Domain domain, std::size_t dim_count, std::size_t symbol_count,
                               std::vector<Expr> results);
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
