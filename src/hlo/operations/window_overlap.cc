// SPDX-License-Identifier: Apache-2.0
#include "hlo/operations/window_overlap.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/saturating.h"
#include "hlo/limits.h"
#include "tessera/base/index.h"

namespace tessera::detail {
namespace {

constexpr const char* kTooLong = "the window and the result are too long to count";

// x with a * x = 1 mod m, for coprime a and m.
Index modular_inverse(Index a, Index m) {
  Index x = 1;
  Index y = 0;
  Index left = mod(a, m);
  Index right = m;
  while (left > 1 && right > 0) {
    const Index quotient = left / right;
    left = std::exchange(right, left - quotient * right);
    x = std::exchange(y, x - quotient * y);
  }
  return mod(x, m);
}

// The number of x in [0, n) for which first + x * step is in [0, last] and a multiple of m.
Index count_multiples(Index n, Index first, Index step, Index last, Index m) {
  const Index lower = std::max<Index>(first >= 0 ? 0 : ceil_div(-first, step), 0);
  const Index upper = std::min(n - 1, floor_div(last - first, step));
  if (lower > upper) return 0;
  if (m == 1) return upper - lower + 1;
  const Index common = std::gcd(step, m);
  if (first % common != 0) return 0;
  const Index period = m / common;
  const Index residue = mod(-(first / common), period);
  const Index start = mod(residue * modular_inverse(step / common, period), period);
  // The x of [lower, upper] that are `start` modulo `period`.
  const Index smallest = lower + mod(start - lower, period);
  return smallest > upper ? 0 : (upper - smallest) / period + 1;
}

}  // namespace

WindowOverlap window_overlap(const WindowAxis& axis) {
  const Index in = axis.in;
  const Index out = axis.out;
  const WindowDim& window = axis.window;
  if (in <= 0 || out <= 0 || window.size <= 0) return {{0, 0}, {0, 0}};
  const Index all = saturating_mul(out, window.size);
  const auto place = [&](Index o, Index k) -> std::optional<Index> {
    const auto a = checked_mul(o, window.stride);
    const auto b = checked_mul(k, window.rhs_dilate);
    const auto both = a && b ? checked_add(*a, *b) : std::nullopt;
    return both ? checked_sub(*both, window.pad_low) : std::nullopt;
  };
  const auto last = checked_mul(in - 1, window.lhs_dilate);
  const auto fits = [&](const std::optional<Index>& x) {
    return x && *x < kHloLimits.operations.window_end && *x > -kHloLimits.operations.window_end;
  };
  const bool countable = window.stride >= 1 && window.rhs_dilate >= 1 && window.lhs_dilate >= 1 &&
                         window.lhs_dilate < kHloLimits.operations.window_modulus && fits(last) &&
                         fits(place(0, 0)) && fits(place(out - 1, window.size - 1)) &&
                         std::min(out, window.size) <= kHloLimits.operations.window_places;
  if (!countable) return {{0, all, kTooLong}, {0, out, kTooLong}};
  WindowOverlap result{{0, 0}, {0, 0}};
  Index pairs = 0;
  Index covered = 0;
  const bool by_output = out <= window.size || out <= kHloLimits.operations.window_places;
  if (by_output) {
    for (Index o = 0; o < out; ++o) {
      const Index here =
          count_multiples(window.size, *place(o, 0), window.rhs_dilate, *last, window.lhs_dilate);
      pairs = saturating_add(pairs, here);
      covered += here > 0 ? 1 : 0;
    }
    result.covered = {covered, covered};
  } else {
    for (Index k = 0; k < window.size; ++k)
      pairs =
          saturating_add(pairs, count_multiples(out, *place(0, k), window.stride, *last, window.lhs_dilate));
    const bool inside =
        *place(0, 0) >= 0 && *place(out - 1, window.size - 1) <= *last && window.lhs_dilate == 1;
    result.covered = inside ? Count{out, out} : Count{0, out, kTooLong};
  }
  result.pairs = {pairs, pairs};
  return result;
}

}  // namespace tessera::detail
