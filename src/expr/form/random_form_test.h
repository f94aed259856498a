// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random expressions over a box and their values, for the tests of this folder.
#pragma once

#include <random>
#include <vector>

#include "expr/form/workspace.h"

namespace tessera::testing_forms {

inline const std::vector<Interval> kBox = {{0, 11}, {-3, 8}};

/// A workspace over `box`, without facts.
struct BoxWorkspace : detail::Workspace {
  explicit BoxWorkspace(const std::vector<Interval>& box = kBox) {
    start(box.size(), 1'000'000);
    for (std::size_t i = 0; i < box.size(); ++i) variables[i].bounds = box[i];
  }
};

inline Expr random_expr(std::mt19937& random, int depth) {
  const auto small = [&] { return static_cast<Index>(random() % 9) - 4; };
  if (depth == 0 || random() % 8 == 0) {
    return random() % 4 == 0 ? Expr::constant(small()) : Expr::variable(static_cast<Index>(random() % 2));
  }
  const Expr a = random_expr(random, depth - 1);
  const Index divisor = static_cast<Index>(random() % 6) + 1;
  switch (random() % 8) {
    case 0:
      return a * small();
    case 1:
      return floor_div(a, divisor);
    case 2:
      return mod(a, divisor);
    case 3:
      return max(a, random_expr(random, depth - 1));
    case 4:
      return min(a, random_expr(random, depth - 1));
    default:
      return a + random_expr(random, depth - 1);
  }
}

/// Calls `visit` with every point of a box of two variables.
template <class Visit>
void for_each_point(const std::vector<Interval>& box, const Visit& visit) {
  for (Index x = box[0].lower; x <= box[0].upper; ++x) {
    for (Index y = box[1].lower; y <= box[1].upper; ++y) visit(std::vector<Index>{x, y});
  }
}

}  // namespace tessera::testing_forms
