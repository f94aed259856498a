// SPDX-License-Identifier: Apache-2.0
/// \file
/// The set of values of a map, and its size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/map/judge.h"

namespace tessera {

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
/// a box that contains the values, and `exact` is false. Example: the image of (d0, d1) -> (d0 * 8 + d1) on 4
/// x 4 is `r0 in [0, 27], r0 mod 8 in [0, 3]`.
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
