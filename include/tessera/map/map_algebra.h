// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on index maps: compose, restrict, remove and convert variables. For inverse, image and count
/// see inverse.h and image.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// `second` after `first`: x -> second(first(x)). Dimensions are those of `first`; range variables are those
/// of `second`, then of `first`, runtime variables likewise. Each result of `first` is constrained to the
/// interval of the dimension of `second` that it replaces. Known empty if either is. Not simplified.
/// Variables keep their names; a duplicate name is replaced by the default. Errors: rank_mismatch if `first`
/// does not have as many results as `second` has dimensions. Exact. O(distinct nodes). Example: (d0) -> (d0 +
/// 5) on [0, 9], then (d0) -> (d0 * 2) on [0, 9], is `(d0) -> ((d0 + 5) * 2), domain: d0 in [0, 9], d0 + 5 in
/// [0, 9]`.
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

/// Results [start, start + count) and the whole domain. Errors: index_out_of_range.
Result<IndexMap> sub_map(const IndexMap& map, std::size_t start, std::size_t count = 1);

/// The map with its variables replaced by these values: one for each dimension, or one for each variable
/// (dimensions, range variables, runtime variables). The result is a map without dimensions, over the range
/// and runtime variables that were not replaced. Simplified. Errors: value_count for any other number of
/// values; undefined_value if the point is outside the domain, or if a result has no value there (a division
/// by 0, or beyond 64 bits): the message names the variable or the constraint. Exact. O(distinct nodes).
/// Example: (d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 3] at (5) is `()[s0] -> (5, s0), domain: s0
/// in [0, 3]`.
Result<IndexMap> at_point(const IndexMap& map, std::span<const Index> values);

}  // namespace tessera
