// SPDX-License-Identifier: Apache-2.0
/// \file
/// Inverses of index maps.
#pragma once

#include <span>
#include <string>

#include "tessera/map/judge.h"

namespace tessera {

/// The map from results back to dimensions: y -> the dimension point x with map(x) = y, for y in the image.
/// Its dimensions are the results of `map`, its results the dimensions; runtime variables stay. Reads off the
/// digits of sums and quotients if they determine the variables; otherwise returns the relational inverse, in
/// which undetermined variables are range variables. Simplified. Exact. Errors: not_invertible when two
/// points with different dimensions have the same value (the witness names them), undecided when neither
/// digits nor enumeration nor isl can exclude such points. Example: the inverse of (d0, d1) -> (d0 * 8 + d1)
/// on 4 x 8 is `(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]`.
Result<IndexMap> inverse(const IndexMap& map, const JudgeLimits& limits = {});

/// All dimension points x with map(x) = y, whether there is one or many: the relation in the other direction.
/// Variables that y does not determine become range variables, tied to y by constraints `result - y in [0,
/// 0]`. Simplified. Exact. Example: the relational inverse of (d0)[s0] -> (d0 * 2 + s0) on d0 in [0, 9], s0
/// in [0, 2] is `(d0)[s0] -> (s0), domain: d0 in [0, 20], s0 in [0, 9], s0 * -2 + d0 in [0, 2]`.
IndexMap relational_inverse(const IndexMap& map);

struct Bijection {
  Verdict verdict = Verdict::undecided;
  std::string witness = {};  ///< for `no`: the points or the value that show it
  std::string reason = {};   ///< for `no`: what is wrong; for `undecided`: the limit
};

/// Whether the map sends the points of its domain (dimensions and range variables) one to one onto the box
/// `codomain`. Decided by enumeration up to the limit, otherwise by reading off digits. Exact.
Bijection verify_bijection(const IndexMap& map, std::span<const Interval> codomain,
                           const JudgeLimits& limits = {});

}  // namespace tessera
