// SPDX-License-Identifier: Apache-2.0
#include "expr/fits.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "expr/convert.h"
#include "expr/measure.h"
#include "expr/print.h"
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
  const bool remembered = e.node_count() > kSmallTree;
  if (remembered) {
    const auto* const known =
        ws.bits.find(e.hash(), [&](const Workspace::BitsMemo& m) { return m.run == ws.run && m.expr == e; });
    if (known != nullptr) return known->bits;
    if (--steps < 0) return kTooManyBits;
  }
  const int lhs = bits_of_steps(ws, e.lhs(), steps);
  const int rhs = bits_of_steps(ws, e.rhs(), steps);
  int bits = std::max(lhs, rhs);
  if (bits < kTooManyBits) {
    if (e.kind() == ExprKind::add || e.kind() == ExprKind::ceil_div) ++bits;  // as in measure.cc
    if (e.kind() == ExprKind::mul) bits = std::min(lhs + rhs, kTooManyBits);
    if (e.kind() == ExprKind::mod) bits = rhs;
  }
  if (remembered) {
    ws.bits.insert(new (ws.arena.array<Workspace::BitsMemo>(1))
                       Workspace::BitsMemo{e.hash(), e, ws.run, bits});
  }
  return bits;
}

// Bounds in 128 bits; a side may be absent.
struct Bounds {
  __int128 lower = 0;
  __int128 upper = 0;
  bool no_lower = false;
  bool no_upper = false;
  bool fits = true;    // this step and all below it
  bool never = false;  // this step or one below it has no value at any point

  static Bounds point(Index value) { return {.lower = value, .upper = value}; }
  static Bounds of(Interval r) {
    return {
        .lower = r.lower, .upper = r.upper, .no_lower = r.lower == kNegInf, .no_upper = r.upper == kPosInf};
  }
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

// A value at the very end reads as infinite, which is not a bound, and true.
Interval loosened(const Bounds& b) {
  constexpr __int128 kLow = kIndexMin + 1;
  constexpr __int128 kHigh = kIndexMax - 1;
  return {b.no_lower || b.lower < kLow ? kNegInf : static_cast<Index>(std::min(b.lower, kHigh)),
          b.no_upper || b.upper > kHigh ? kPosInf : static_cast<Index>(std::max(b.upper, kLow))};
}

// An end that an operation on values within 64 bits leaves open is the end of 64 bits.
Bounds operation_bounds(ExprKind kind, const Bounds& a, const Bounds& b) {
  Bounds out = Bounds::of(operation_range(kind, loosened(a), loosened(b)));
  const bool unbounded = a.no_lower || a.no_upper || b.no_lower || b.no_upper;
  out.no_lower &= unbounded;
  out.no_upper &= unbounded;
  const bool quotient = kind == ExprKind::floor_div || kind == ExprKind::ceil_div;
  const bool turns_sign = quotient && b.lower <= -1 && b.upper >= -1;
  out.fits = !turns_sign || a.no_lower || a.lower > kIndexMin;  // -2^63 has no opposite
  return out;
}

class Checker {
 public:
  // Without `from` every step must fit on its own.
  Checker(Workspace& ws, std::optional<Expr> from) : ws_(ws), from_(from) {}

  // The steps of a text that is the same function as `from`, so that the last one has a value wherever `from`
  // has one.
  bool check(Expr text) {
    if (!from_ || !text.is_binary()) return check_step(text);
    return check_step(text.lhs()) && check_step(text.rhs());
  }

  // A step and all below it.
  bool check_step(Expr e) { return (from_ && step(*from_).never) || step(e).fits; }

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
      out = operation_bounds(e.kind(), a, b);
    }
    out.fits &= a.fits && b.fits;
    out.never |= a.never || b.never;
    ranges_.emplace(e.id(), out);
    return out;
  }

  // The operands depend on each other, so if they seem to leave 64 bits, the form of the step decides.
  Bounds bounded(Expr e, Bounds bounds) {
    Interval own;
    if (bounds.beyond_below() || bounds.beyond_above()) {
      const Form* form = convert(ws_, e);
      own = range(ws_, form);
      // An exact end beyond 64 bits saturates to an infinite one.
      const bool below = bounds.beyond_below() && own.lower == kNegInf;
      const bool above = bounds.beyond_above() && own.upper == kPosInf;
      bounds.never = (below && bounds.upper < kIndexMin && !bounds.no_upper) ||
                     (above && bounds.lower > kIndexMax && !bounds.no_lower);
      bounds.fits = (!below || between(form, true)) && (!above || between(form, false));
    }
    // Both ends within 64 bits, so that products of bounds stay within 128.
    bounds.lower = std::clamp<__int128>(bounds.lower, own.lower, own.upper);
    bounds.upper = std::clamp<__int128>(bounds.upper, own.lower, own.upper);
    return bounds;
  }

  // Some step of `from` is never above (below) the form.
  bool between(const Form* form, bool below) {
    if (!from_) return false;
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
    constexpr int kMostVisits = 256;  // a tree may be much larger than its distinct nodes
    if (steps_.size() == kMostSteps || ++visits_ > kMostVisits) return;
    const Form* form = convert(ws_, e);
    if (std::ranges::find(steps_, form) == steps_.end()) steps_.push_back(form);
    if (!e.is_binary()) return;
    collect(e.lhs());
    collect(e.rhs());
  }

  Workspace& ws_;
  std::optional<Expr> from_;
  std::unordered_map<const void*, Bounds> ranges_;
  std::vector<const Form*> steps_;
  int visits_ = 0;
};

// Puts the summands of every sum of a text into an order that a checker accepts.
class Orderer {
 public:
  Orderer(Workspace& ws, Expr from) : checker_(ws, from) {}

  std::optional<Expr> order(Expr text) {
    const Expr ordered = of(text, true);
    return checker_.check(ordered) ? std::optional(ordered) : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostSummands = 16;

  Expr of(Expr e, bool whole = false) {
    if (!e.is_binary()) return e;
    if (e.kind() != ExprKind::add) return Expr::binary(e.kind(), of(e.lhs()), of(e.rhs()));
    std::vector<Expr> summands;
    append_summands(e, summands);
    if (summands.size() > kMostSummands) return e;
    for (std::size_t first = 0; first < summands.size(); ++first) {
      if (const auto sum = sum_from(first, summands, whole)) return *sum;
    }
    return e;
  }

  void append_summands(Expr e, std::vector<Expr>& out) {
    if (e.kind() != ExprKind::add) return out.push_back(of(e));
    append_summands(e.lhs(), out);
    append_summands(e.rhs(), out);
  }

  // Starting with that summand, takes the first of the others with which the sum fits and reads as itself.
  // The last sum of the whole text fits.
  std::optional<Expr> sum_from(std::size_t first, std::vector<Expr> rest, bool whole) {
    Expr sum = rest[first];
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first));
    while (!rest.empty()) {
      const auto next = std::ranges::find_if(
          rest, [&](Expr e) { return (whole && rest.size() == 1) || checker_.check_step(sum + e); });
      if (next == rest.end()) return std::nullopt;
      sum = sum + *next;
      rest.erase(next);
    }
    return sum;
  }

  Checker checker_;
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

bool fits(Workspace& ws, Expr text) { return surely_fits(ws, text) || Checker(ws, std::nullopt).check(text); }

bool fits_like(Workspace& ws, Expr text, Expr from) {
  return surely_fits(ws, text) || (Checker(ws, from).check(text) && reads_as_itself(text));
}

std::optional<Expr> ordered_to_fit(Workspace& ws, Expr text, Expr from) {
  if (text.node_count() > kLargestMeasured) return std::nullopt;
  const auto ordered = Orderer(ws, from).order(text);
  return ordered && reads_as_itself(*ordered) ? ordered : std::nullopt;
}

}  // namespace tessera::detail
