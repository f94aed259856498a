// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "tessera/placement/placement.h"

namespace tessera {
namespace {

// floor(flat / weight) mod extent, from the dimensions.
Expr digit_value(std::span<const Index> shape, Index weight, Index extent) {
  const std::vector<Index> strides = detail::row_major_strides(shape);
  // Usually the digit is one of a single dimension.
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index below = strides[d];
    const Index div = weight / below;
    if (weight % below != 0 || shape[d] / div < extent || shape[d] % (div * extent) != 0) continue;
    const Expr x = Expr::variable(static_cast<Index>(d));
    const Expr high = div == 1 ? x : floor_div(x, div);
    return div * extent == shape[d] ? high : mod(high, extent);
  }
  Expr flat = Expr::constant(0);
  for (std::size_t d = 0; d < shape.size(); ++d)
    flat = flat + Expr::variable(static_cast<Index>(d)) * strides[d];
  return mod(floor_div(flat, weight), extent);
}

Expr bit_of(Expr x, int bit) { return mod(floor_div(x, Index{1} << bit), 2); }

// x with the bits that the swizzle writes flipped where those that it reads are set.
Expr swizzled(Expr x, const Swizzle& swizzle) {
  Expr out = x;
  for (int b = 0; b < swizzle.bits; ++b) {
    const int read = swizzle.base + std::max(swizzle.shift, 0) + b;
    const int write = swizzle.base + std::max(-swizzle.shift, 0) + b;
    out = out + (mod(bit_of(x, write) + bit_of(x, read), 2) - bit_of(x, write)) * (Index{1} << write);
  }
  return out;
}

struct Term {
  Expr digit;
  Index step;
};

Expr combined(std::span<const Term> terms, Index offset, DigitCombination combination) {
  if (combination == DigitCombination::sum) {
    Expr out = Expr::constant(0);
    for (const Term& term : terms) out = out + term.digit * term.step;
    return out + offset;
  }
  Expr out = Expr::constant(0);
  for (int bit = 0; bit < 62; ++bit) {
    const Index mask = Index{1} << bit;
    Index count = 0;
    Expr sum = Expr::constant(0);
    for (const Term& term : terms) {
      if ((term.step & mask) == 0) continue;
      sum = sum + term.digit;
      ++count;
    }
    if ((offset & mask) != 0) {
      sum = sum + 1;
      ++count;
    }
    if (count > 0) out = out + (count == 1 ? sum : mod(sum, 2)) * mask;
  }
  return out;
}

IndexMap map_of(const Placement& placement, const PlacementDigits& digits) {
  std::vector<Variable> dims;
  std::vector<Variable> ranges;
  for (const Index extent : placement.shape()) dims.push_back({Interval::of_extent(extent)});
  for (const PlacementDigit& replica : digits.replicas)
    ranges.push_back({Interval::of_extent(replica.extent)});
  const Domain domain(std::move(dims), std::move(ranges), {});
  std::vector<Expr> results;
  for (std::size_t a = 0; a < placement.axes().size(); ++a) {
    std::vector<Term> terms;
    Index weight = placement.size();
    for (const PlacementDigit& digit : digits.index) {
      weight /= digit.extent;
      if (digit.step[a] != 0 && digit.extent > 1)
        terms.push_back({digit_value(placement.shape(), weight, digit.extent), digit.step[a]});
    }
    for (std::size_t r = 0; r < digits.replicas.size(); ++r) {
      if (digits.replicas[r].step[a] != 0)
        terms.push_back(
            {Expr::variable(static_cast<Index>(placement.rank() + r)), digits.replicas[r].step[a]});
    }
    Expr value = combined(terms, digits.offset[a], digits.combination);
    if (digits.swizzle && digits.swizzle->axis == a) value = swizzled(value, digits.swizzle->swizzle);
    results.push_back(value);
  }
  return IndexMap::make_unchecked(domain, std::move(results));
}

}  // namespace

std::vector<IndexMap> Placement::maps() const {
  if (const PlacementDigits* const by_digits = digits()) {
    if (size_ == 0) return {};
    return {map_of(*this, *by_digits)};
  }
  return std::get<std::vector<IndexMap>>(form_);
}

}  // namespace tessera
