// SPDX-License-Identifier: Apache-2.0
/// \file
/// Small random maps for the tests of this folder.
#pragma once

#include <random>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera::testing_maps {

inline Index small(std::mt19937& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// Sums, multiples, quotients, remainders, min and max over `variables` variables; quasi-affine.
inline Expr random_expr(std::mt19937& random, Index variables, int depth) {
  if (depth == 0 || random() % 6 == 0) {
    if (variables == 0 || random() % 5 == 0) return Expr::constant(small(random, -4, 4));
    return Expr::variable(small(random, 0, variables - 1));
  }
  const Expr a = random_expr(random, variables, depth - 1);
  switch (random() % 8) {
    case 0:
      return a * small(random, -4, 4);
    case 1:
      return floor_div(a, small(random, 1, 5));
    case 2:
      return mod(a, small(random, 1, 6));
    case 3:
      return floor_div(a, small(random, -4, -1));
    case 4:
      return random() % 2 == 0 ? min(a, random_expr(random, variables, depth - 1))
                               : max(a, random_expr(random, variables, depth - 1));
    default:
      return a + random_expr(random, variables, depth - 1);
  }
}

/// A map with these numbers of dimensions, range variables and results over intervals of at most six values,
/// with up to two constraints.
inline IndexMap random_map(std::mt19937& random, std::size_t dims, std::size_t ranges, std::size_t results,
                           int depth = 3) {
  const auto variables = [&](std::size_t count) {
    std::vector<Variable> out;
    for (std::size_t i = 0; i < count; ++i) {
      const Index lower = small(random, -3, 2);
      out.push_back({Interval{lower, lower + small(random, 0, 5)}});
    }
    return out;
  };
  Domain domain(variables(dims), variables(ranges), {});
  const auto count = static_cast<Index>(dims + ranges);
  for (auto i = random() % 3; i > 0; --i) {
    const Index lower = small(random, -3, 3);
    domain.constrain(random_expr(random, count, depth - 1), {lower, lower + small(random, 0, 6)});
  }
  std::vector<Expr> values;
  for (std::size_t i = 0; i < results; ++i) values.push_back(random_expr(random, count, depth));
  return IndexMap::make_unchecked(std::move(domain), std::move(values));
}

}  // namespace tessera::testing_maps
