// SPDX-License-Identifier: Apache-2.0
/// \file
/// The values a map takes, and how many there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/map/judge.h"

namespace tessera {

/// The set of result tuples: the union of the pieces, each a domain over dimensions r0, r1, ... No pieces: no
/// value.
struct Image {
  std::vector<Domain> pieces;
  bool exact = true;        ///< otherwise a superset
  std::string reason = {};  ///< why it is only a superset
};

/// All tuples that the results take over the domain, runtime variables included. Parts of the map that share
/// no variable are treated on their own: in closed form for evenly spaced values and for digits, by a table
/// of the values of sums and remainders, by enumeration up to the limit, by isl, and as a box that contains
/// them otherwise (then `exact` is false). Example: of (d0, d1)
/// -> (d0 * 8 + d1) on 4 x 4 it is `r0 in [0, 27], r0 mod 8 in [0, 3]`.
Image image(const IndexMap& map, const JudgeLimits& limits = {});

/// `r0 in [0, 7], r1 in [0, 3], r0 mod 2 in [0, 0]`; pieces joined by ` or `, `()` for the one empty tuple,
/// `KNOWN EMPTY` for no value.
std::string to_string(const Image& image);

/// A number that is known, or lies between bounds.
struct Count {
  Index lower = 0;
  std::optional<Index> upper = 0;  ///< nothing: infinite, or beyond 64 bits
  std::string reason = {};         ///< where it is not exact: the limit that was reached
  bool exact() const { return upper && *upper == lower; }
  friend bool operator==(const Count&, const Count&) = default;
};

/// `375`, `between 1 and 400`, `at least 1`. The reason is not part of it.
std::string to_string(const Count& count);

/// Number of points of the domain. Exact where connected parts are boxes or can be enumerated; otherwise
/// bounds.
Count count_points(const IndexMap& map, const JudgeLimits& limits = {});

/// Number of distinct result tuples. Exact where each part is in closed form, has a table of values or can be
/// enumerated; otherwise bounds.
Count count_image(const IndexMap& map, const JudgeLimits& limits = {});

}  // namespace tessera
