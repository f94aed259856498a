// SPDX-License-Identifier: Apache-2.0
// Splits the result of an index map into summands.
#include <algorithm>
#include <numeric>

#include "expr/questions/view.h"
#include "map/values/enumerate.h"
#include "notation/summands.h"

namespace tessera::detail {
namespace {

using WindowList = std::vector<Window>;

std::optional<Index> lcm_of(Index a, Index b) { return checked_mul(a / std::gcd(a, b), b); }

void make_endless(Window& w) {
  w.to = kEndless;
  w.slope = 0;
}

void multiply(WindowList& windows, Index factor) {
  for (Window& w : windows) {
    if (w.to != kEndless && mul_overflows(w.slope, factor, w.slope)) make_endless(w);
  }
}

// The window of the sum of two functions of the same dimension.
Window sum_of(const Window& a, const Window& b) {
  Window w{.dim = a.dim, .from = std::gcd(a.from, b.from)};
  const auto to = a.to == kEndless || b.to == kEndless ? std::nullopt : lcm_of(a.to, b.to);
  const auto first = to ? checked_mul(a.slope, *to / a.to) : std::nullopt;
  const auto second = to ? checked_mul(b.slope, *to / b.to) : std::nullopt;
  const auto slope = first && second ? checked_add(*first, *second) : std::nullopt;
  if (slope) {
    w.to = *to;
    w.slope = *slope;
  } else {
    make_endless(w);
  }
  return w;
}

void add(WindowList& sum, const WindowList& other) {
  for (const Window& w : other) {
    const auto own = std::ranges::find(sum, w.dim, &Window::dim);
    own == sum.end() ? sum.push_back(w) : void(*own = sum_of(*own, w));
  }
}

// Turns the windows of a dividend into those of its quotient by `divisor` or, with `is_remainder`, of its
// remainder. They repeat when the dividend has changed by a multiple of the divisor.
void divide(WindowList& windows, Index divisor, bool is_remainder) {
  for (Window& w : windows) {
    if (w.to == kEndless) continue;
    const Index times = divisor / std::gcd(w.slope, divisor);
    Index total = 0;
    if (mul_overflows(w.to, times, w.to) || mul_overflows(w.slope, times, total)) {
      make_endless(w);
    } else {
      w.slope = is_remainder ? 0 : total / divisor;
    }
  }
}

WindowList windows_of(const DigitTerm& term, std::span<const Interval> box);

WindowList windows_of(const ExprView& view, std::span<const Interval> box) {
  WindowList sum;
  for (const DigitTerm& term : view.terms) {
    WindowList own = windows_of(term, box);
    multiply(own, term.coefficient);
    add(sum, own);
  }
  return sum;
}

// The windows of a term without its coefficient.
WindowList windows_of(const DigitTerm& term, std::span<const Interval> box) {
  if (term.base.is_variable()) {
    Window w{.dim = static_cast<std::size_t>(term.base.value()), .from = term.divisor, .to = term.divisor};
    if (term.modulus == 0) {
      w.slope = 1;
    } else if (mul_overflows(w.to, term.modulus, w.to)) {
      make_endless(w);
    }
    return {w};
  }
  const auto base = term.opaque ? std::nullopt : view(term.base, box);
  if (!base) {
    WindowList all;
    for (const Index v : term.variables) all.push_back({.dim = static_cast<std::size_t>(v), .to = kEndless});
    return all;
  }
  WindowList windows = windows_of(*base, box);
  if (term.divisor != 1) divide(windows, term.divisor, false);
  if (term.modulus != 0) divide(windows, term.modulus, true);
  for (Window& w : windows) {
    if (term.at_least_zero && w.slope != 0) make_endless(w);
  }
  return windows;
}

}  // namespace

std::vector<Summand> summands(const IndexMap& map) {
  const Expr offset = map.results()[0];
  const std::vector<Interval> box = box_of(map.domain());
  auto offset_view = view(offset, box);
  if (!offset_view) {
    offset_view.emplace();
    offset_view->terms.push_back({.base = offset, .opaque = true, .variables = variables(offset)});
  }
  std::vector<Summand> out;
  for (const DigitTerm& term : offset_view->terms) {
    Summand summand{.windows = windows_of(term, box)};
    multiply(summand.windows, term.coefficient);
    if (term.base.is_variable() && !term.at_least_zero) summand.stride = term.coefficient;
    out.push_back(std::move(summand));
  }
  return out;
}

}  // namespace tessera::detail
