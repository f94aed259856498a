// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/loop_write.h"

#include <cstdlib>
#include <utility>

#include "tessera/hlo/indexing_set.h"

namespace tessera::detail {

std::optional<std::size_t> LoopWrite::apart(Index trips) const {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::abs(starts[i].step) >= sizes[i]) return i;
  }
  return trips <= 1 ? std::optional<std::size_t>(0) : std::nullopt;
}

std::optional<IndexingSet> untouched(const LoopWrite& write, const Domain& timeline, Index trips,
                                     bool forward) {
  if (!write.apart(trips)) return std::nullopt;
  std::size_t moving = 0;
  for (const LoopCounter& start : write.starts) moving += start.step != 0 ? 1 : 0;
  if (moving > 1) return std::nullopt;
  IndexingSet out;
  std::vector<Expr> index;
  for (std::size_t i = 0; i < write.sizes.size(); ++i)
    index.push_back(Expr::variable(static_cast<Index>(i) + 1));
  const auto where = [&](Expr e, Interval range) {
    Domain domain = timeline;
    domain.constrain(e, range);
    insert(out, normalize({.map = IndexMap::make_unchecked(std::move(domain), index)}));
  };
  const Expr count = Expr::variable(0);
  if (moving == 0) {
    // There is one box; before the first iteration nothing is overwritten.
    where(count, {0, 0});
  }
  for (std::size_t i = 0; i < write.sizes.size(); ++i) {
    const Index size = write.sizes[i];
    LoopCounter start = write.starts[i];
    if (start.step == 0) {
      where(index[i], {kNegInf, start.first - 1});
      where(index[i], {start.first + size, kPosInf});
      continue;
    }
    // Box number v, counted from 1 in the direction of the walk, starts at first + step * v.
    start = forward ? LoopCounter{start.first + start.step * trips, -start.step}
                    : LoopCounter{start.first - start.step, start.step};
    const Expr last = count * start.step + start.first;
    const Expr first = Expr::constant(start.first + start.step);
    const Expr low = start.step > 0 ? first : last;
    const Expr high = start.step > 0 ? last : first;
    where(index[i] - low, {kNegInf, -1});
    where(index[i] - high, {size, kPosInf});
    const Index stride = std::abs(start.step);
    if (size < stride) where(mod(index[i] - first, stride), {size, stride - 1});
  }
  return out;
}

}  // namespace tessera::detail
