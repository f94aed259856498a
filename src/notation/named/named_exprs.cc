// SPDX-License-Identifier: Apache-2.0
#include "notation/named/named_exprs.h"

#include <algorithm>
#include <vector>

namespace tessera::detail {
namespace {

// The offset of a region; `index` are the variables, the bit of the value last.
Expr region_expr(const Region& region, const NamedLayout::State& state, const std::vector<Expr>& index,
                 std::span<const Index> shape) {
  const std::size_t bit = state.shape.size();
  Expr sum = Expr::constant(0);
  for (const Digit& digit : region.digits) {
    const auto dim = static_cast<std::size_t>(digit.dim);
    Expr x = index[dim];
    Index extent = dim < bit ? shape[dim] : state.type.bits;
    if (region.merge != 0 && dim == bit) continue;
    if (region.merge != 0 && dim == state.batch) {
      x = x * region.merge + index[bit];
      extent = extent * region.merge;
    }
    if (digit.div > 1) x = floor_div(x, digit.div);
    const auto covers = checked_mul(digit.div, digit.ext);
    if (covers && *covers < extent) x = mod(x, digit.ext);
    sum = sum + x * digit.stride;
  }
  return sum + region.base;
}

// The largest value of a region with strides that are not negative.
Index largest(const Region& region) {
  Index sum = region.base;
  for (const Digit& digit : region.digits) sum += digit.stride * (digit.ext - 1);
  return sum;
}

std::vector<Expr> variables(std::size_t count) {
  std::vector<Expr> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(Expr::variable(static_cast<Index>(i)));
  return list;
}

// 1 if x >= bound, else 0; for x >= 0 and bound >= 1.
Expr reaches(Expr x, Index bound) { return min(floor_div(x, bound), Expr::constant(1)); }

// `value` where begin <= x < end, else 0; for 0 <= value <= most. An end beyond `extent` is never reached.
Expr between(Expr value, Index most, Expr x, Interval part, Index extent) {
  const Expr from = part.lower > 0 ? min(value, reaches(x, part.lower) * most) : value;
  return part.upper < extent ? from - min(value, reaches(x, part.upper) * most) : from;
}

Expr grouped_expr(const NamedLayout::State& state) {
  const std::vector<Expr> index = variables(state.shape.size());
  const Expr x = index[state.group_dim];
  const Index extent = state.shape[state.group_dim];
  Expr sum = Expr::constant(0);
  for (const GroupPart& group : state.groups) {
    std::vector<Expr> local = index;
    std::vector<Index> shape = state.shape;
    local[state.group_dim] = min(max(x - group.begin, Expr::constant(0)), Expr::constant(group.size - 1));
    shape[state.group_dim] = group.size;
    const Region& region = group.regions.front();
    local.push_back(Expr::constant(0));
    sum = sum + between(region_expr(region, state, local, shape), largest(region), x,
                        {group.begin, group.begin + group.size}, extent);
  }
  return sum;
}

}  // namespace

Expr cell_expr(const NamedLayout::State& state) {
  if (!state.groups.empty()) return grouped_expr(state);
  std::vector<Expr> index = variables(state.shape.size());
  index.push_back(Expr::constant(0));
  return region_expr(state.regions.front(), state, index, state.shape);
}

Expr bit_expr(const NamedLayout::State& state) {
  const Expr bit = Expr::variable(std::ssize(state.shape));
  if (!state.groups.empty()) return grouped_expr(state) * state.type.bits + bit;
  const std::vector<Expr> index = variables(state.shape.size() + 1);
  if (state.kind == NamedKind::stream) return region_expr(state.regions.front(), state, index, state.shape);
  Expr sum = bit;
  Index before = 0;  // bits of the plane before this one
  for (const Region& region : state.regions) {
    const Expr value = region_expr(region, state, index, state.shape) * region.width;
    sum = sum + between(value, largest(region) * region.width, bit,
                        {region.first, region.first + region.width}, state.type.bits);
    if (region.first > 0) sum = sum - reaches(bit, region.first) * before;
    before = region.width;
  }
  return sum;
}

Expr stream_bit_expr(const NamedLayout::State& state, int bit) {
  std::vector<Expr> index = variables(state.shape.size());
  index.push_back(Expr::constant(bit));
  return region_expr(state.regions.front(), state, index, state.shape);
}

}  // namespace tessera::detail
