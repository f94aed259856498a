// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps like those of programs: chains of tensor operations, composed but not simplified.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tessera/map/index_map.h"
#include "tessera/map/map_algebra.h"

namespace tessera::testing_chains {

using Random = std::mt19937_64;
using Extents = std::vector<Index>;

inline Index pick(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// One step from the indices of a result to those of its operand.
struct Step {
  IndexMap map;     // from the indices of the result to those of the operand
  Extents operand;  // extents of the operand
};

inline Index product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
}

inline Step transpose(Random& random, const Extents& shape) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Extents operand(shape.size());
  std::vector<Expr> results(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    operand[i] = shape[order[i]];
    results[i] = Expr::variable(static_cast<Index>(order[i]));
  }
  return {IndexMap::make_unchecked(Domain::box(shape), results), operand};
}

/// Maps an index of one shape to its row-major number, and the number to an index of the other shape. If
/// `nested`, splits off one digit at a time; otherwise each digit is a quotient and a remainder of the whole
/// number.
inline Step reshape_to(const Extents& shape, const Extents& operand, bool nested) {
  Expr linear = Expr::constant(0);
  Index stride = product(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    stride /= shape[i];
    linear = linear + Expr::variable(static_cast<Index>(i)) * stride;
  }
  std::vector<Expr> results;
  stride = product(operand);
  for (std::size_t i = 0; i < operand.size(); ++i) {
    stride /= operand[i];
    if (nested) {
      results.push_back(floor_div(linear, stride));
      linear = mod(linear, stride);
    } else {
      const Expr digit = floor_div(linear, stride);
      results.push_back(i == 0 ? digit : mod(digit, operand[i]));
    }
  }
  return {IndexMap::make_unchecked(Domain::box(shape), results), operand};
}

inline Step reshape(Random& random, const Extents& shape) {
  std::vector<Index> primes;
  for (Index extent : shape) {
    for (Index p = 2; extent > 1; ++p) {
      for (; extent % p == 0; extent /= p) primes.push_back(p);
    }
  }
  std::shuffle(primes.begin(), primes.end(), random);
  Extents operand(static_cast<std::size_t>(pick(random, 1, 4)), 1);
  for (const Index p : primes) operand[random() % operand.size()] *= p;
  return reshape_to(shape, operand, random() % 2 == 0);
}

inline Step elementwise(Random& random, const Extents& shape) {
  Domain domain = Domain::box(shape);
  std::vector<Expr> results;
  Extents operand = shape;
  std::vector<Variable> ranges;
  const std::size_t at = random() % shape.size();
  const auto kind = random() % 6;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Expr d = Expr::variable(static_cast<Index>(i));
    if (i != at && kind != 0) {
      results.push_back(d);
      continue;
    }
    switch (kind) {
      case 0:  // reverse, any dimensions
        results.push_back(random() % 2 == 0 ? d : d * -1 + (shape[i] - 1));
        break;
      case 1: {  // slice
        const Index start = pick(random, 0, 5);
        const Index stride = pick(random, 1, 3);
        operand[i] = start + (shape[i] - 1) * stride + 1 + pick(random, 0, 2);
        results.push_back(d * stride + start);
        break;
      }
      case 2: {  // pad, with interior padding
        const Index low = pick(random, -2, std::min<Index>(3, shape[i] - 1));
        const Index step = pick(random, 1, 3);
        operand[i] = std::max<Index>(1, (shape[i] - std::max<Index>(low, 0) + step - 1) / step);
        results.push_back(step == 1 ? d - low : floor_div(d - low, step));
        domain.constrain(results.back(), {0, operand[i] - 1});
        if (step > 1) domain.constrain(mod(d - low, step), {0, 0});
        break;
      }
      case 3: {  // one operand of a concatenation
        const Index offset = pick(random, 0, shape[i] - 1);
        operand[i] = pick(random, 1, shape[i] - offset);
        domain.constrain(d, {offset, offset + operand[i] - 1});
        results.push_back(d - offset);
        break;
      }
      case 4: {  // window
        const Index size = pick(random, 2, 3);
        const Index stride = pick(random, 1, 2);
        const Index padding = pick(random, 0, 1);
        operand[i] = std::max<Index>(1, (shape[i] - 1) * stride + size - 2 * padding);
        ranges.push_back({Interval::of_extent(size)});
        results.push_back(d * stride + Expr::variable(static_cast<Index>(shape.size())) - padding);
        break;
      }
      default: {  // broadcast from a scalar dimension
        operand[i] = 1;
        results.push_back(Expr::constant(0));
      }
    }
  }
  if (!ranges.empty()) {
    Domain with_range({domain.variables().begin(), domain.variables().end()}, ranges, {});
    for (const Constraint& c : domain.constraints()) with_range.constrain(c.expr, c.range);
    with_range.constrain(results[at], {0, operand[at] - 1});
    domain = with_range;
  }
  return {IndexMap::make_unchecked(domain, results), operand};
}

inline Step reduce(Random& random, const Extents& shape) {
  const Index extent = pick(random, 2, 6);
  std::vector<Variable> dims;
  for (const Index e : shape) dims.push_back({Interval::of_extent(e)});
  const std::size_t at = random() % (shape.size() + 1);  // the position of the reduced dimension
  std::vector<Expr> results;
  Extents operand;
  for (std::size_t i = 0; i <= shape.size(); ++i) {
    if (i == at) {
      results.push_back(Expr::variable(static_cast<Index>(shape.size())));
      operand.push_back(extent);
    }
    if (i < shape.size()) {
      results.push_back(Expr::variable(static_cast<Index>(i)));
      operand.push_back(shape[i]);
    }
  }
  return {IndexMap::make_unchecked(Domain(dims, {{Interval::of_extent(extent)}}, {}), results), operand};
}

/// Threads and blocks over a linear index with at most threads * blocks * vector elements.
inline Step tiling(Random& random, const Extents& shape) {
  const Index total = product(shape);
  const Index threads = Index{1} << pick(random, 2, 7);
  const Index vector = Index{1} << pick(random, 0, 2);
  const Index blocks = std::max<Index>(1, (total + threads * vector - 1) / (threads * vector));
  const Domain grid({{Interval::of_extent(threads)}, {Interval::of_extent(blocks)}},
                    {{Interval::of_extent(vector)}}, {});
  const Expr linear = Expr::variable(1) * (threads * vector) + Expr::variable(0) * vector + Expr::variable(2);
  Domain domain = grid;
  domain.constrain(linear, {0, total - 1});
  const Step back = reshape_to({total}, shape, random() % 2 == 0);
  std::vector<Expr> results;
  for (const Expr e : back.map.results()) results.push_back(substitute(e, std::vector<Expr>{linear}));
  return {IndexMap::make_unchecked(domain, results), shape};
}

inline Step random_step(Random& random, const Extents& shape) {
  const auto kind = random() % 10;
  if (kind < 4) return reshape(random, shape);
  if (kind < 6) return transpose(random, shape);
  if (kind < 9 || shape.size() > 4) return elementwise(random, shape);
  return reduce(random, shape);
}

inline Extents random_shape(Random& random) {
  static constexpr Index kExtents[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 128};
  Extents shape(static_cast<std::size_t>(pick(random, 1, 4)));
  const std::size_t limit =
      random() % 3 == 0 ? std::size(kExtents) : 9;  // so that most chains are small enough to enumerate
  for (Index& extent : shape) extent = kExtents[random() % limit];
  return shape;
}

/// The steps of one chain of `length` operations, from the last result to the first operand.
inline std::vector<IndexMap> random_chain(Random& random, int length) {
  Extents shape = random_shape(random);
  std::vector<IndexMap> steps;
  if (random() % 6 == 0) {
    Step step = tiling(random, shape);
    steps.push_back(step.map);
    shape = step.operand;
    --length;
  }
  for (; length > 0; --length) {
    Step step = random_step(random, shape);
    steps.push_back(step.map);
    shape = step.operand;
  }
  return steps;
}

inline IndexMap compose_all(const std::vector<IndexMap>& steps) {
  IndexMap map = steps[0];
  for (std::size_t i = 1; i < steps.size(); ++i) map = *compose(map, steps[i]);
  return map;
}

}  // namespace tessera::testing_chains
