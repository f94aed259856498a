// SPDX-License-Identifier: Apache-2.0
// The summands of an expression.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "notation/summands.h"

namespace tessera::detail {
namespace {

std::optional<Index> lcm_of(Index a, Index b) { return checked_mul(a / std::gcd(a, b), b); }

// How one node of an expression depends on each variable.
struct Seen {
  std::vector<Window> windows = {};
  // The node is floor(x / windows[0].from) mod modulus of one variable; 0: without mod.
  std::optional<Index> plain_modulus = std::nullopt;
};

void make_endless(Window& w) {
  w.to = kEndless;
  w.slope = 0;
}

// The windows of a function of two functions. `combine` gives the slope of a step that occurs `times` times
// in both.
template <class Combine>
std::vector<Window> merged(const Seen& a, const Seen& b, const Combine& combine) {
  std::vector<Window> windows;
  const auto of = [](const Seen& seen, std::size_t dim) {
    const auto found = std::ranges::find(seen.windows, dim, &Window::dim);
    return found == seen.windows.end() ? nullptr : &*found;
  };
  const auto merge = [&](std::size_t dim) {
    const Window* x = of(a, dim);
    const Window* y = of(b, dim);
    Window w = x != nullptr ? *x : *y;
    w.from = x == nullptr || y == nullptr ? w.from : std::gcd(x->from, y->from);
    const bool endless = (x != nullptr && x->to == kEndless) || (y != nullptr && y->to == kEndless);
    const auto to = x == nullptr || y == nullptr || endless ? std::optional(w.to) : lcm_of(x->to, y->to);
    if (endless || !to) {
      make_endless(w);
    } else {
      w.to = *to;
      const auto slope_in = [&](const Window* v) {
        return v == nullptr ? std::optional<Index>(0) : checked_mul(v->slope, *to / v->to);
      };
      const auto own = slope_in(x);
      const auto other = slope_in(y);
      const auto slope = own && other ? combine(*own, *other) : std::nullopt;
      slope ? void(w.slope = *slope) : make_endless(w);
    }
    windows.push_back(w);
  };
  for (const Window& w : a.windows) merge(w.dim);
  for (const Window& w : b.windows) {
    if (of(a, w.dim) == nullptr) merge(w.dim);
  }
  return windows;
}

Seen all_endless(const Seen& a, const Seen& b) {
  Seen out{.windows = merged(a, b, [](Index, Index) { return std::optional<Index>(); })};
  std::ranges::for_each(out.windows, make_endless);
  return out;
}

// Windows of a function that repeats if the value moves by multiples of `divisor`.
Seen in_steps_of(const Seen& a, Index divisor, bool is_mod) {
  Seen out = a;
  out.plain_modulus.reset();
  for (Window& w : out.windows) {
    if (w.to == kEndless) continue;
    const Index times = divisor / std::gcd(w.slope, divisor);
    Index total = 0;
    if (mul_overflows(w.to, times, w.to) || mul_overflows(w.slope, times, total)) {
      make_endless(w);
    } else {
      w.slope = is_mod ? 0 : total / divisor;
    }
  }
  return out;
}

class Analysis {
 public:
  // The terms of the sum `e`, each times `factor`.
  void add_terms(Expr e, Index factor) {
    if (e.kind() == ExprKind::add) {
      add_terms(e.lhs(), factor);
      add_terms(e.rhs(), factor);
      return;
    }
    if (e.kind() == ExprKind::mul && e.rhs().is_constant()) {
      if (const auto product = checked_mul(factor, e.rhs().value())) return add_terms(e.lhs(), *product);
    }
    const Seen& seen = see(e);
    if (seen.windows.empty()) return;
    Summand summand{.windows = seen.windows};
    for (Window& w : summand.windows) {
      if (w.to != kEndless && mul_overflows(w.slope, factor, w.slope)) make_endless(w);
    }
    if (seen.plain_modulus) summand.stride = factor;
    terms_.push_back(std::move(summand));
  }

  std::vector<Summand> take() { return std::move(terms_); }

 private:
  const Seen& see(Expr e) {
    if (const auto known = seen_.find(e.id()); known != seen_.end()) return known->second;
    Seen seen = look(e);
    return seen_.emplace(e.id(), std::move(seen)).first->second;
  }

  Seen look(Expr e) {
    if (e.is_constant()) return {};
    if (e.is_variable())
      return {.windows = {{.dim = static_cast<std::size_t>(e.value()), .slope = 1}}, .plain_modulus = 0};
    const Seen a = see(e.lhs());
    const Seen b = see(e.rhs());
    const bool number = e.rhs().is_constant() && e.rhs().value() != 0 && e.rhs().value() != kIndexMin;
    switch (e.kind()) {
      case ExprKind::add:
        return {.windows = merged(a, b, [](Index x, Index y) { return checked_add(x, y); })};
      case ExprKind::mul: {
        if (!number) return all_endless(a, b);
        Seen out{.windows = a.windows};
        for (Window& w : out.windows) {
          if (w.to != kEndless && mul_overflows(w.slope, e.rhs().value(), w.slope)) make_endless(w);
        }
        return out;
      }
      case ExprKind::floor_div:
      case ExprKind::ceil_div:
        return number ? divided(a, e.kind(), e.rhs().value()) : all_endless(a, b);
      case ExprKind::mod:
        return number ? reduced(a, e.rhs().value()) : all_endless(a, b);
      default:
        return {.windows =
                    merged(a, b, [](Index x, Index y) { return x == y ? std::optional(x) : std::nullopt; })};
    }
  }

  static Seen divided(const Seen& a, ExprKind kind, Index divisor) {
    if (a.plain_modulus && kind == ExprKind::floor_div && divisor > 0 && *a.plain_modulus % divisor == 0) {
      Seen out = a;
      Window& w = out.windows[0];
      if (!mul_overflows(w.from, divisor, w.from)) {
        if (*a.plain_modulus == 0) w.to = w.from;
        out.plain_modulus = *a.plain_modulus / divisor;
        if (out.plain_modulus == 1) return {};
        return out;
      }
    }
    Seen out = in_steps_of(a, divisor < 0 ? -divisor : divisor, false);
    if (divisor < 0) {
      for (Window& w : out.windows) w.slope = -w.slope;
    }
    return out;
  }

  static Seen reduced(const Seen& a, Index modulus) {
    modulus = modulus < 0 ? -modulus : modulus;
    if (modulus == 1) return {};
    if (a.plain_modulus) {
      if (*a.plain_modulus != 0 && *a.plain_modulus <= modulus) return a;
      Seen out = a;
      Window& w = out.windows[0];
      if (*a.plain_modulus % modulus == 0 && !mul_overflows(w.from, modulus, w.to)) {
        w.slope = 0;
        out.plain_modulus = modulus;
        return out;
      }
    }
    return in_steps_of(a, modulus, true);
  }

  std::vector<Summand> terms_;
  std::unordered_map<const void*, Seen> seen_;
};

}  // namespace

std::vector<Summand> summands(Expr offset) {
  Analysis analysis;
  analysis.add_terms(offset, 1);
  return analysis.take();
}

}  // namespace tessera::detail
