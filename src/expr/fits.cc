// SPDX-License-Identifier: Apache-2.0
#include "expr/fits.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "expr/convert.h"
#include "expr/measure.h"
#include "expr/range.h"
#include "expr/sum.h"

namespace tessera::detail {
namespace {

// Every value of e is below 2^bits in magnitude; kTooManyBits when some step of it may not fit, or when there
// are more than `steps`.
int bits_of_steps(Workspace& ws, Expr e, int& steps) {
  if (e.is_constant()) return bits_of(e.value());
  if (e.is_variable()) return bits_of(ws.variables[static_cast<std::size_t>(e.value())].bounds);
  constexpr std::uint32_t kSmallTree = 6;  // walking it again costs no more than looking it up
  Workspace::BitsMemo* memo = nullptr;
  if (e.node_count() > kSmallTree) {
    memo = &ws.bits[(e.hash() ^ e.hash() >> 32) % ws.bits.size()];
    if (memo->run == ws.run && memo->id == e.id()) return memo->bits;
    if (--steps < 0) return kTooManyBits;
  }
  const int lhs = bits_of_steps(ws, e.lhs(), steps);
  const int rhs = bits_of_steps(ws, e.rhs(), steps);
  int bits = std::max(lhs, rhs);
  if (bits < kTooManyBits) {
    if (e.kind() == ExprKind::add) ++bits;
    if (e.kind() == ExprKind::mul) bits = std::min(lhs + rhs, kTooManyBits);
    if (e.kind() == ExprKind::mod) bits = rhs;
  }
  if (memo != nullptr) *memo = {e.id(), ws.run, bits};
  return bits;
}

// Bounds in 128 bits, with sides that do not count.
struct Bounds {
  __int128 lower = 0;
  __int128 upper = 0;
  bool no_lower = false;
  bool no_upper = false;

  static Bounds point(Index value) { return {.lower = value, .upper = value}; }
  static Bounds of(Interval r) { return {r.lower, r.upper, r.lower == kNegInf, r.upper == kPosInf}; }
  bool beyond_below() const { return !no_lower && lower < kIndexMin; }
  bool beyond_above() const { return !no_upper && upper > kIndexMax; }
};

Bounds sum(const Bounds& a, const Bounds& b) {
  Bounds out = a;
  out.lower += b.lower;
  out.upper += b.upper;
  out.no_lower |= b.no_lower;
  out.no_upper |= b.no_upper;
  return out;
}

Bounds product(const Bounds& a, const Bounds& b) {
  const auto [lower, upper] =
      std::minmax({a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper});
  Bounds out = a;
  out.lower = lower;
  out.upper = upper;
  // An unbounded factor makes the side unbounded to which the other factor's sign takes it.
  const auto unbounded = [&](bool below) {
    const auto reaches = [&](const Bounds& x, const Bounds& y) {
      return (x.no_lower && (below ? y.upper > 0 : y.lower < 0)) ||
             (x.no_upper && (below ? y.lower < 0 : y.upper > 0));
    };
    return reaches(a, b) || reaches(b, a);
  };
  out.no_lower = unbounded(true);
  out.no_upper = unbounded(false);
  return out;
}

Interval clamped(const Bounds& b) {
  constexpr __int128 kLow = kIndexMin + 1;
  constexpr __int128 kHigh = kIndexMax - 1;
  return {b.no_lower ? kNegInf : static_cast<Index>(std::clamp(b.lower, kLow, kHigh)),
          b.no_upper ? kPosInf : static_cast<Index>(std::clamp(b.upper, kLow, kHigh))};
}

class Checker {
 public:
  // `from` null: every step must fit on its own.
  Checker(Workspace& ws, const Expr* from) : ws_(ws), from_(from) {}

  bool check(Expr e) {
    step(e);
    return fits_;
  }

 private:
  Bounds step(Expr e) {
    if (e.is_constant()) return Bounds::point(e.value());
    if (e.is_variable()) return Bounds::of(ws_.variables[static_cast<std::size_t>(e.value())].bounds);
    if (const auto known = ranges_.find(e.id()); known != ranges_.end()) return known->second;
    ws_.spend(4);
    const Bounds a = step(e.lhs());
    const Bounds b = step(e.rhs());
    Bounds out;
    if (e.kind() == ExprKind::add || e.kind() == ExprKind::mul) {
      out = bounded(e, e.kind() == ExprKind::add ? sum(a, b) : product(a, b));
    } else {
      out = Bounds::of(operation_range(e.kind(), clamped(a), clamped(b)));
    }
    ranges_.emplace(e.id(), out);
    return out;
  }

  // The operands are dependent, so the form of the step is asked where they seem to leave 64 bits.
  Bounds bounded(Expr e, Bounds bounds) {
    Interval own;
    if (bounds.beyond_below() || bounds.beyond_above()) {
      const Form* form = convert(ws_, e);
      own = range(ws_, form);
      // An exact end beyond 64 bits saturates to an infinite one.
      const bool below = bounds.beyond_below() && own.lower == kNegInf;
      const bool above = bounds.beyond_above() && own.upper == kPosInf;
      if ((below && !between(form, true)) || (above && !between(form, false))) fits_ = false;
    }
    // Both ends within 64 bits, so that products of bounds stay within 128.
    bounds.lower = std::clamp<__int128>(bounds.lower, own.lower, own.upper);
    bounds.upper = std::clamp<__int128>(bounds.upper, own.lower, own.upper);
    return bounds;
  }

  // Some step of `from` is never above (below) the form.
  bool between(const Form* form, bool below) {
    if (from_ == nullptr) return false;
    if (steps_.empty()) collect(*from_);
    return std::ranges::any_of(steps_, [&](const Form* other) {
      if (other == form) return true;
      Sum difference(ws_, form);
      difference.add(-1, other);
      if (difference.overflowed()) return false;
      const Interval r = range(ws_, difference.intern());
      return below ? r.lower >= 0 : r.upper <= 0;
    });
  }

  void collect(Expr e) {
    constexpr std::size_t kMostSteps = 64;
    if (steps_.size() == kMostSteps) return;
    const Form* form = convert(ws_, e);
    if (std::ranges::find(steps_, form) != steps_.end()) return;
    steps_.push_back(form);
    if (!e.is_binary()) return;
    collect(e.lhs());
    collect(e.rhs());
  }

  Workspace& ws_;
  const Expr* from_;
  bool fits_ = true;
  std::unordered_map<const void*, Bounds> ranges_;
  std::vector<const Form*> steps_;
};

bool surely_fits(Workspace& ws, Expr text) {
  if (ws.variable_bits < kTooManyBits && text.node_count() <= kLargestMeasured &&
      ws.variable_bits + measure(ws, text).growth < kTooManyBits) {
    return true;
  }
  int steps = 1 << 14;
  return bits_of_steps(ws, text, steps) < kTooManyBits;
}

}  // namespace

bool fits(Workspace& ws, Expr text) { return surely_fits(ws, text) || Checker(ws, nullptr).check(text); }

bool fits_like(Workspace& ws, Expr text, Expr from) {
  return surely_fits(ws, text) || Checker(ws, &from).check(text);
}

}  // namespace tessera::detail
