// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on index maps: simplify, compose, restrict, remove and convert variables, inverse, image,
/// count.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/map/judge.h"

namespace tessera {

/// What happens in results to dimensions with a single value. `replace`: the value replaces them. `preserve`:
/// they stay. In constraints they are always replaced.
enum class Points : std::uint8_t { replace, preserve };

/// An equivalent map: the same points of the same variables, the same values on them, in the shortest text
/// found (fewest divisions, then fewest operators), with tightened intervals and without redundant
/// constraints. A second call rarely changes the text; depends only on the map's content. Known empty if the
/// domain is proved empty, as it is for almost all boxes of at most 2^16 points; `is_empty` in judge.h
/// decides the rest. Exact. Time linear in distinct nodes of the input. Thread-safe: each thread has its own
/// workspace.
IndexMap simplify(const IndexMap& map, Points points = Points::replace);

/// Simplifies one expression over a domain, using the variables' intervals and the domain's constraints.
Expr simplify(Expr expr, const Domain& domain);

/// A sound range of an expression over a domain; `use_constraints` also intersects with constraints on it.
Interval range(Expr expr, const Domain& domain, bool use_constraints = true);

/// Whether the maps have the same normal form: domains with the same text, and equal sums as results. `true`:
/// the same function on the same domain. `false`: different variables or numbers of results. Empty: not
/// decided here; see judge.h. Cheaper than simplifying both and comparing the texts, because normal forms are
/// compared in one workspace without being turned into text.
std::optional<bool> equal_forms(const IndexMap& a, const IndexMap& b);

/// `second` after `first`: x -> second(first(x)). Dimensions are those of `first`; range variables are those
/// of `second`, then of `first`, runtime variables likewise. Each result of `first` is constrained to the
/// interval of the dimension of `second` that it replaces. Known empty if either is. Not simplified.
/// Variables keep their names; a duplicate name is replaced by the default. Errors: rank_mismatch if `first`
/// does not have as many results as `second` has dimensions, undefined_value if a result divides by a value
/// that is always 0. Exact. O(distinct nodes). Example: (d0) -> (d0 + 5) on [0, 9], then (d0) -> (d0 * 2) on
/// [0, 9], is `(d0) -> ((d0 + 5) * 2), domain: d0 in [0, 9], d0 + 5 in [0, 9]`.
Result<IndexMap> compose(const IndexMap& first, const IndexMap& second);

/// The map restricted to points where `expr`, over the map's variables, lies in `range`. Errors:
/// variable_mismatch.
Result<IndexMap> restrict_to(const IndexMap& map, Expr expr, Interval range);

/// A map after the removal of variables; `removed` has one flag per original variable, and is empty if
/// nothing was removed.
struct Removal {
  IndexMap map;
  std::vector<bool> removed = {};
};

/// Removes range and runtime variables that no result uses, and constraints over only such variables. A
/// constraint over any other variable keeps all its variables. If the removed constraints contradict each
/// other, the map becomes known empty; if that could not be decided, they stay with their variables.
Removal remove_unused_symbols(const IndexMap& map);
/// Also removes unused dimensions.
Removal remove_unused_vars(const IndexMap& map);

/// Removes the flagged variables (one flag per dimension, one per symbol). Constraints get 0 in their place;
/// the caller guarantees that this changes nothing. Errors: value_count for a wrong number of flags,
/// variable_mismatch when a result uses a flagged variable.
Result<IndexMap> compress_vars(const IndexMap& map, const std::vector<bool>& dims,
                               const std::vector<bool>& symbols);

/// A map, and whether rescale_symbols changed it.
struct Rescaling {
  IndexMap map;
  bool changed = false;
};

/// Replaces each range variable s that has a constraint `s mod m in [r, r]` by s * m + r, with the interval
/// of the quotient; several congruences of one variable are first combined (Chinese remainder). Not
/// simplified. Example: `s0 mod 6 in [3, 3]` with s0 in [0, 41] becomes s0 * 6 + 3 with s0 in [0, 6].
Rescaling rescale_symbols(const IndexMap& map);

/// Range variables, then runtime variables, become unnamed dimensions after the existing ones.
IndexMap symbols_to_dims(const IndexMap& map);

/// The range variables with these numbers (strictly increasing, counted among the range variables) become
/// dimensions after the existing ones and keep their names. Errors: index_out_of_range.
Result<IndexMap> range_vars_to_dims(const IndexMap& map, std::span<const std::size_t> indices);

/// Consecutive results of a map: those with the numbers [start, start + count).
struct ResultRange {
  std::size_t start = 0;
  std::size_t count = 1;
};

/// These results and the whole domain. Exact. O(count). Errors: index_out_of_range. Example: the results
/// `{.start = 1}` of (d0, d1) -> (d0, d1 * 2) on 3 x 4 are `(d0, d1) -> (d1 * 2), domain: d0 in [0, 2], d1 in
/// [0, 3]`.
Result<IndexMap> sub_map(const IndexMap& map, ResultRange results);

/// The map with its variables replaced by these values: one for each dimension, or one for each variable
/// (dimensions, range variables, runtime variables). The result is a map without dimensions, over the range
/// and runtime variables that were not replaced. Simplified. Errors: value_count for any other number of
/// values; undefined_value if the point is outside the domain, or if a result has no value there (a division
/// by 0, or beyond 64 bits): the message names the variable or the constraint. Exact. O(distinct nodes).
/// Example: (d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 3] at (5) is `()[s0] -> (5, s0), domain: s0
/// in [0, 3]`.
Result<IndexMap> fix_variables(const IndexMap& map, std::span<const Index> values);

/// The map from results back to dimensions: y -> the dimension point x with map(x) = y, for y in the image.
/// Its dimensions are the results of `map`, its results the dimensions; runtime variables stay. Reads off the
/// digits of sums and quotients if they determine the variables; otherwise returns the relational inverse, in
/// which undetermined variables are range variables. Simplified. Exact. Errors: not_invertible when two
/// points with different dimensions have the same value (the witness names them), undecided when neither
/// digits nor enumeration nor isl can exclude such points, or the inverse may exceed 64 bits. Example: the
/// inverse of (d0, d1) -> (d0 * 8 + d1) on 4 x 8 is `(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]`.
Result<IndexMap> inverse(const IndexMap& map, const JudgeLimits& limits = {});

/// All dimension points x with map(x) = y, whether there is one or many: the relation in the other direction.
/// Variables that y does not determine become range variables, tied to y by constraints `result - y in [0,
/// 0]`. Simplified. Exact. Errors: undecided when its steps may exceed 64 bits at such a point. Example: the
/// relational inverse of (d0)[s0] -> (d0 * 2 + s0) on d0 in [0, 9], s0 in [0, 2] is `(d0)[s0] -> (s0),
/// domain: d0 in [0, 20], s0 in [0, 9], s0 * -2 + d0 in [0, 2]`.
Result<IndexMap> relational_inverse(const IndexMap& map);

/// The answer of verify_bijection. For `no`, `reason` says what is wrong, and `witness` shows it: a point
/// whose value is outside the box, two points with one value, or a value that no point has. It is empty if
/// only numbers show it: of dimensions, or of points.
struct Bijection {
  Verdict verdict = Verdict::undecided;
  std::string witness = {};  ///< for `no`: the point, the points or the value that show it
  std::string reason = {};   ///< for `no`: what is wrong; for `undecided`: the limit
};

/// Whether the map sends the points of its domain (dimensions and range variables) one to one onto the box
/// `codomain`. Decided by enumeration up to the limit, otherwise by reading off digits. Exact.
Bijection verify_bijection(const IndexMap& map, std::span<const Interval> codomain,
                           const JudgeLimits& limits = {});

/// The set of result tuples: the union of the pieces, each a domain over dimensions r0, r1, ... Without
/// pieces the set is empty.
struct Image {
  std::vector<Domain> pieces;
  bool exact = true;        ///< otherwise a superset
  std::string reason = {};  ///< why it is only a superset
};

/// All tuples that the results take over the domain, runtime variables included. Parts of the map that share
/// no variable are treated separately: in closed form for evenly spaced values and for digits, by a table of
/// the values of sums and remainders, by enumeration up to the limit, or by isl. Failing these, the image is
/// a box that contains the values, and `exact` is false. A point where a result has no value (a division by
/// 0, or beyond 64 bits) adds nothing. Example: the image of (d0, d1) -> (d0 * 8 + d1) on 4 x 4 is `r0 in [0,
/// 27], r0 mod 8 in [0, 3]`.
Image image(const IndexMap& map, const JudgeLimits& limits = {});

/// `r0 in [0, 7], r1 in [0, 3], r0 mod 2 in [0, 0]`, with pieces joined by ` or `; `()` if the only value is
/// the empty tuple, `KNOWN EMPTY` if there is no value.
std::string to_string(const Image& image);

/// A number, or bounds on it.
struct Count {
  Index lower = 0;
  std::optional<Index> upper = 0;  ///< empty: infinite, or beyond 64 bits
  std::string reason = {};         ///< the limit that was reached; empty if the count is exact
  bool exact() const { return upper && *upper == lower; }
  friend bool operator==(const Count&, const Count&) = default;
};

/// `375`, `between 1 and 400`, `at least 1`, without the reason.
std::string to_string(const Count& count);

/// The number of points of the domain. Exact if connected parts are boxes or can be enumerated; otherwise
/// bounds.
Count count_points(const IndexMap& map, const JudgeLimits& limits = {});

/// The number of distinct result tuples. Exact if each part has a closed form or a table of values, or can be
/// enumerated; otherwise bounds.
Count count_image(const IndexMap& map, const JudgeLimits& limits = {});

}  // namespace tessera
