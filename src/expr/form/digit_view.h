// SPDX-License-Identifier: Apache-2.0
/// \file
/// A form as a sum of independent digits.
#pragma once

#include "expr/form/range.h"

namespace tessera::detail {

/// factor * atom, or factor * digit for digit = base - modulus * floor(base / modulus), with the range of the
/// atom or digit.
struct ViewItem {
  Index factor;
  const FormAtom* atom;  // null for a digit
  const Form* digit;     // null for an atom
  Interval range;
  const Form* base = nullptr;  // of a digit
  Index modulus = 0;
};

/// Adds factor times the atom or digit of the item.
inline void add(Sum& sum, Index factor, const ViewItem& item) {
  if (item.atom != nullptr) {
    sum.add(factor, item.atom);
  } else {
    sum.add(factor, item.digit);
  }
}

/// constant + sum of factor * item, equal to the viewed form. The items depend less on each other than the
/// form's own terms, so the sum of their ranges is narrower: x - 4 * fl(x/4) is one digit in [0, 3].
struct DigitView {
  Index constant;
  std::uint32_t size;
  bool split;  // false: the items are the form's own terms
  const ViewItem* items;

  std::span<const ViewItem> span() const { return {items, size}; }
  WideRange range() const {
    WideRange sum(constant);
    for (const ViewItem& item : span()) sum.add(item.factor, item.range);
    return sum;
  }
};

/// The r >= 2 for which c = -r * t; 0 if there is none. Neither is 0 or -2^63.
inline Index opposite_multiple(Index t, Index c) {
  if ((c < 0) == (t < 0) || (c < 0 ? t > c / -2 : t < c / -2) || c % t != 0) return 0;
  return -(c / t);
}

/// Whether Q = fl(L/m) is fl(Y/r) on the domain for Y = others + P, where P = fl(M/n) is not in `others`. Y
/// is fl(Z/n) for Z = n*others + M. If Z = k*L + B for k = n*r/m and all values of B are in [0, k-1], fl(Y/r)
/// = fl(Z/(n*r)) = fl((k*L + B)/(k*m)) is Q. False if that cannot be seen.
bool is_quotient_of(Workspace& ws, const FormAtom* q, const Sum& others, const FormAtom* p, Index r);

/// The digit view, memoized for the generation. Uses only identities, so a bad choice of digits gives a
/// weaker result, never a wrong one.
///
/// For each quotient Q = fl(M/n) of the form, from small n to large, looks for a finer form F with Q =
/// fl(F/r):
///   F = M, r = n;
///   F = fl(M/p) for another quotient fl(./p) of the form with p | n, r = n/p;
///   F = P for another quotient P, r times whose coefficient is the opposite of that of Q (`is_quotient_of`).
/// Then F - r * Q is a digit in [0, r-1], and t times this digit is split off, with the t that cancels most
/// terms.
const DigitView& digit_view(Workspace& ws, const Form* form);

/// Like `digit_view`, but not memoized, and without a limit on the number of quotients.
DigitView finest_digits(Workspace& ws, const Form* form);

}  // namespace tessera::detail
