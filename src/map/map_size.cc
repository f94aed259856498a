// SPDX-License-Identifier: Apache-2.0
#include "tessera/map/index_map.h"

namespace tessera {

MapSize size(const IndexMap& map) {
  MapSize total;
  const auto add = [&](Expr e) {
    const ExprSize part = size(e);
    if (__builtin_add_overflow(total.operators, part.operators, &total.operators))
      total.operators = UINT64_MAX;
    if (__builtin_add_overflow(total.signs, part.signs, &total.signs)) total.signs = UINT64_MAX;
  };
  for (const Expr e : map.results()) add(e);
  for (const Constraint& c : map.constraints()) add(c.expr);
  if (__builtin_add_overflow(total.operators, map.constraints().size(), &total.operators)) {
    total.operators = UINT64_MAX;
  }
  return total;
}

}  // namespace tessera
