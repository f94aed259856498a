// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds of forms over the environment.
#pragma once

#include "expr/form/sum.h"
#include "expr/form/workspace.h"
#include "expr/wide_range.h"

namespace tessera::detail {

/// Computes and memoizes the range.
Interval find_range(Workspace& ws, const Form* form);
Interval find_range(Workspace& ws, const FormAtom* atom);

/// A sound range of the form on the domain, memoized for the generation: the intersection of interval
/// arithmetic, the digit view, rational elimination and the facts.
inline Interval range(Workspace& ws, const Form* form) {
  return form->range_stamp == ws.generation ? form->range : find_range(ws, form);
}
inline Interval range(Workspace& ws, const FormAtom* atom) {
  return atom->range_stamp == ws.generation ? atom->range : find_range(ws, atom);
}

/// Interval arithmetic over the terms alone, in 64 bits. False if a number or a bound does not fit; then
/// `out` has no meaning.
bool narrow_range(Workspace& ws, Index constant, std::span<const Term> terms, Interval& out);
/// The same in 128 bits. Most sums fit in 64, and a pair of wide numbers is slow to return.
WideRange plain_range(Workspace& ws, Index constant, std::span<const Term> terms);

/// Whether the range lies in one block [q * size, q * size + size - 1]; sets q if so.
inline bool one_block(Interval r, Index size, Index& q) {
  Index width = 0;
  if (!r.is_finite() || sub_overflows(r.upper, r.lower, width) || width >= size) return false;
  q = tessera::floor_div(r.lower, size);
  return width < size - tessera::mod(r.lower, size);
}

/// f(k * a + c) for an atom a with only the two values l and l + 1: for any f it is g(l) + (g(l + 1) - g(l))
/// * (a - l) with g(a) = f(k * a + c). Null for any other form, and if the result overflows.
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
