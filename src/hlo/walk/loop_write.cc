// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/loop_write.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tessera::detail {

std::optional<std::size_t> LoopWrite::apart(Index trips) const {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::abs(starts[i].step) >= sizes[i]) return i;
  }
  return trips <= 1 ? std::optional<std::size_t>(0) : std::nullopt;
}

namespace {

std::ptrdiff_t moving_dimensions(const LoopWrite& write) {
  return std::ranges::count_if(write.starts, [](const LoopCounter& start) { return start.step != 0; });
}

}  // namespace

bool can_tell_untouched(const LoopWrite& write, Index trips) {
  return write.apart(trips).has_value() && moving_dimensions(write) <= 1;
}

std::vector<Domain> untouched(const LoopWrite& write, const Domain& states, Expr end, Index trips,
                              bool forward) {
  std::vector<Domain> out;
  const auto index = [](std::size_t i) { return Expr::variable(static_cast<Index>(i) + 1); };
  const Expr number = Expr::variable(0);
  const auto where = [&](Expr e, Interval range) {
    Domain domain = states;
    domain.constrain(e, range);
    domain.constrain(number - end, {0, kPosInf});  // the end may be known only at run time
    out.push_back(std::move(domain));
  };
  if (moving_dimensions(write) == 0) {
    // All iterations write the same box. Without an iteration nothing is overwritten.
    where(number - end, {0, 0});
  }
  for (std::size_t i = 0; i < write.sizes.size(); ++i) {
    const Index size = write.sizes[i];
    LoopCounter start = write.starts[i];
    if (start.step == 0) {
      where(index(i), {kNegInf, start.first - 1});
      where(index(i), {start.first + size, kPosInf});
      continue;
    }
    // The iteration between the states n - 1 and n writes the box at first + step * n.
    start = forward ? LoopCounter{start.first + start.step * trips, -start.step}
                    : LoopCounter{start.first - start.step, start.step};
    const Expr last = number * start.step + start.first;
    const Expr first = (end + 1) * start.step + start.first;
    const Expr low = start.step > 0 ? first : last;
    const Expr high = start.step > 0 ? last : first;
    where(index(i) - low, {kNegInf, -1});
    where(index(i) - high, {size, kPosInf});
    const Index stride = std::abs(start.step);
    if (size < stride) where(mod(index(i) - start.first, stride), {size, stride - 1});
  }
  return out;
}

}  // namespace tessera::detail
