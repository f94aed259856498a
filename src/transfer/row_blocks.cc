// SPDX-License-Identifier: Apache-2.0
#include "transfer/row_blocks.h"

#include <functional>
#include <set>
#include <vector>

#include "expr/questions/view.h"
#include "tessera/map/map_algebra.h"
#include "transfer/limits.h"
#include "transfer/pair_verifier.h"

namespace tessera::transfer {

RowBlocks RowBlocks::of(const Layout& layout) {
  if (layout.shape().empty() || layout.size() == 0) return {};
  const Expr offset = ComparedPart::defining_map(layout).results()[0];
  if (offset.node_count() > kTransferLimits.row_nodes) return {};
  const Index extent = layout.shape().back();
  const std::size_t last = layout.shape().size() - 1;
  std::vector<Interval> box;
  for (const Index size : layout.shape()) box.push_back({0, size - 1});
  const auto digits = detail::view(offset, box);
  if (!digits) return {};
  std::set<Index, std::greater<>> blocks = {extent};
  for (const detail::DigitTerm& digit : digits->terms) {
    if (!digit.mentions(static_cast<Index>(last))) continue;
    for (const Index block : {digit.divisor, checked_mul(digit.divisor, digit.modulus).value_or(0)}) {
      if (block < extent) blocks.insert(block);
    }
  }
  for (const Index block : blocks) {
    if (block < 2) break;
    // The last index is block * number + inside.
    std::vector<Index> extents(layout.shape().begin(), layout.shape().end());
    extents.back() = ceil_div(extent, block);
    extents.push_back(block);
    const Expr inside = Expr::variable(static_cast<Index>(last) + 1);
    std::vector<Expr> index;
    for (std::size_t d = 0; d <= last; ++d) index.push_back(Expr::variable(static_cast<Index>(d)));
    index.back() = index.back() * block;
    const Expr begin = substitute(offset, index);
    index.back() = index.back() + inside;
    const Expr apart = substitute(offset, index) - begin;
    std::vector<Index> second(extents.size(), 0);
    second.back() = 1;
    const auto step = evaluate(apart, second);
    if (step && simplify(apart - inside * *step, Domain::box(extents)).is_constant(0)) return {block, *step};
  }
  return {};
}

}  // namespace tessera::transfer
