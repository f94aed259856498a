// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds of forms over the environment.
#pragma once

#include "expr/sum.h"
#include "expr/workspace.h"

namespace tessera::detail {

/// The bound for the value in 64 bits.
inline Index saturate(__int128 value) {
  const auto narrow = static_cast<Index>(value);
  return narrow == value ? narrow : value < 0 ? kNegInf : kPosInf;
}

/// a / b rounded down and rounded up, b > 0. Nearly all values fit into 64 bits, where dividing is much
/// faster.
inline __int128 floor_div_wide(__int128 a, Index b) {
  if (b == 1) return a;
  if (a >= kIndexMin && a <= kIndexMax) return tessera::floor_div(static_cast<Index>(a), b);
  const __int128 q = a / b;
  return a % b < 0 ? q - 1 : q;
}
inline __int128 ceil_div_wide(__int128 a, Index b) {
  if (b == 1) return a;
  if (a >= kIndexMin && a <= kIndexMax) return tessera::ceil_div(static_cast<Index>(a), b);
  const __int128 q = a / b;
  return a % b > 0 ? q + 1 : q;
}

/// A sum of bounds in 128 bits: exact as long as no bound is infinite, whatever the coefficients are.
class RangeSum {
 public:
  explicit RangeSum(Index constant = 0) : lower_(constant), upper_(constant) {}
  RangeSum(Index lower, Index upper) : lower_(lower), upper_(upper) {}

  /// Adds factor * r.
  void add(Index factor, Interval r) {
    if (factor < 0) {
      add_bounds(factor, r.upper, r.lower);
    } else if (factor > 0) {
      add_bounds(factor, r.lower, r.upper);
    }
  }
  void scale(Index factor) {
    no_lower_ |= __builtin_mul_overflow(lower_, static_cast<__int128>(factor), &lower_);
    no_upper_ |= __builtin_mul_overflow(upper_, static_cast<__int128>(factor), &upper_);
    if (factor < 0) {
      std::swap(lower_, upper_);
      std::swap(no_lower_, no_upper_);
    }
  }

  /// Bounds beyond 2^120 count as none, so that the difference of two bounds fits.
  bool finite() const {
    constexpr __int128 kLimit = __int128{1} << 120;
    return !no_lower_ && !no_upper_ && lower_ >= -kLimit && upper_ <= kLimit;
  }
  /// Of a finite sum.
  __int128 width() const { return upper_ - lower_; }
  Interval interval() const { return saturated(lower_, upper_); }
  /// The integers in [lower / divisor, upper / divisor]; the outer ones when there is none.
  Interval divided(Index divisor) const;
  /// All values lie in one block [q * size, q * size + size - 1]; then q.
  bool one_block(Index size, Index& q) const;

 private:
  void add_bounds(Index factor, Index lower, Index upper) {
    no_lower_ |= lower == kNegInf || lower == kPosInf;
    no_upper_ |= upper == kNegInf || upper == kPosInf;
    no_lower_ |= __builtin_add_overflow(lower_, static_cast<__int128>(factor) * lower, &lower_);
    no_upper_ |= __builtin_add_overflow(upper_, static_cast<__int128>(factor) * upper, &upper_);
  }

  // A lower bound beyond 64 bits is no +infinity, nor such an upper bound a -infinity.
  Interval saturated(__int128 lower, __int128 upper) const {
    return {no_lower_ ? kNegInf : std::min(saturate(lower), kPosInf - 1),
            no_upper_ ? kPosInf : std::max(saturate(upper), kNegInf + 1)};
  }

  __int128 lower_;
  __int128 upper_;
  bool no_lower_ = false;
  bool no_upper_ = false;
};

/// A sound range of the form on the domain, memoized for the generation: the intersection of interval
/// arithmetic, the digit view, rational elimination and the facts.
Interval range(Workspace& ws, const Form* form);
Interval range(Workspace& ws, const Atom* atom);

/// Interval arithmetic over the terms alone.
RangeSum plain_range(Workspace& ws, Index constant, std::span<const Term> terms);

/// The form's range lies in one block [q * size, q * size + size - 1]; then q.
inline bool one_block(Interval r, Index size, Index& q) {
  Index width = 0;
  if (!r.is_finite() || sub_overflows(r.upper, r.lower, width) || width >= size) return false;
  q = tessera::floor_div(r.lower, size);
  return width < size - tessera::mod(r.lower, size);
}

/// f(k * a + c) for an atom with the two values l and l + 1 is f(l) + (f(l + 1) - f(l)) * (a - l), whatever f
/// is. Null for any other form, and where that does not fit.
template <class F>
const Form* between_two_values(Workspace& ws, const Form* form, const F& f) {
  if (form->size != 1) return nullptr;
  const Term& t = form->terms()[0];
  const Interval r = range(ws, t.atom);
  Index first = 0;
  Index second = 0;
  if (!r.is_finite() || r.upper - 1 != r.lower || mul_overflows(t.coefficient, r.lower, first) ||
      add_overflows(first, form->constant, first) || add_overflows(first, t.coefficient, second)) {
    return nullptr;
  }
  first = f(first);
  Index slope = 0;
  Index offset = 0;
  if (sub_overflows(f(second), first, slope) || mul_overflows(slope, r.lower, offset) ||
      sub_overflows(first, offset, offset)) {
    return nullptr;
  }
  return affine(ws, slope, ws.form_of(t.atom), offset);
}

/// Bounds of an operation on values in `a` and `b`, also if `b` is not a point.
Interval operation_range(ExprKind op, Interval a, Interval b);

}  // namespace tessera::detail
