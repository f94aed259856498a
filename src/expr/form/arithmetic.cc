// SPDX-License-Identifier: Apache-2.0
#include "expr/form/arithmetic.h"

#include <algorithm>
#include <cstdlib>

#include "expr/form/floor_div.h"
#include "expr/form/sum.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

void append_factors(const FormAtom* a, std::vector<const FormAtom*>& out) {
  for (; a->kind == FormAtomKind::product; a = a->left) out.push_back(a->right);
  out.push_back(a);
}

const FormAtom* atom_product(Workspace& ws, const FormAtom* a, const FormAtom* b) {
  if (a->kind != FormAtomKind::product && b->kind != FormAtomKind::product) {
    return before(a, b) ? ws.product(a, b) : ws.product(b, a);
  }
  std::vector<const FormAtom*> factors;
  append_factors(a, factors);
  append_factors(b, factors);
  std::ranges::sort(factors, before);
  const FormAtom* product = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) product = ws.product(product, factors[i]);
  return product;
}

// fl(x / n) for any constant n except 0.
const Form* divide_signed(Workspace& ws, const Form* x, Index n) {
  if (n > 0) return divide(ws, x, n);
  if (n == kIndexMin) return ws.overflow();
  return divide(ws, affine(ws, -1, x), -n);
}

}  // namespace

const Form* times(Workspace& ws, const Form* a, const Form* b) {
  if (a->overflow || b->overflow) return ws.overflow();
  if (a->is_constant()) return affine(ws, a->constant, b);
  if (b->is_constant()) return affine(ws, b->constant, a);
  if (std::uint64_t{a->size} * b->size > kLimits.product_terms) return ws.overflow();
  Sum sum(ws);
  sum.add(b->constant, a);
  for (const Term& t : b->terms()) {
    Index scaled_constant = 0;
    if (mul_overflows(a->constant, t.coefficient, scaled_constant)) return ws.overflow();
    sum.add(scaled_constant, t.atom);
    for (const Term& s : a->terms()) {
      Index k = 0;
      if (mul_overflows(s.coefficient, t.coefficient, k)) return ws.overflow();
      sum.add(k, atom_product(ws, s.atom, t.atom));
    }
  }
  return sum.intern();
}

const Form* division(Workspace& ws, ExprKind kind, const Form* a, Index n) {
  switch (kind) {
    case ExprKind::floor_div:
      return divide_signed(ws, a, n);
    case ExprKind::ceil_div:
      return affine(ws, -1, divide_signed(ws, affine(ws, -1, a), n));
    default: {
      const Index m = std::abs(n);
      return weighted_sum(ws, 1, a, -m, divide(ws, a, m));
    }
  }
}

const Form* division(Workspace& ws, ExprKind kind, const Form* a, const Form* b) {
  if (a->overflow || b->overflow) return ws.overflow();
  if (b->is_constant() && b->constant != 0) return division(ws, kind, a, b->constant);
  const bool defined = !range(ws, b).contains(Index{0});
  ws.partial |= !defined;
  if (kind == ExprKind::mod && a->is_constant() && a->constant == 0 && defined) return a;
  return ws.form_of(ws.operation(kind, a, b));
}

// Orders the operands, because the range and the digits found for their difference may depend on its sign.
const Form* extremum(Workspace& ws, ExprKind kind, const Form* a, const Form* b) {
  if (compare_content(a, b) < 0) std::swap(a, b);
  const Form* const above = max0(ws, weighted_sum(ws, 1, a, -1, b));
  return kind == ExprKind::max ? weighted_sum(ws, 1, b, 1, above) : weighted_sum(ws, 1, a, -1, above);
}

const Form* max0(Workspace& ws, const Form* form) {
  if (form->overflow) return form;
  const Interval r = range(ws, form);
  if (r.lower >= 0) return form;
  if (r.upper <= 0) return ws.constant(0);
  if (const Form* line = between_two_values(ws, form, [](Index v) { return std::max<Index>(v, 0); }))
    return line;
  if (form->terms()[0].coefficient > 0) return ws.form_of(ws.max0(form));
  // max(0, D) = D + max(0, -D) makes the sign of the first term positive.
  Sum out(ws, form);
  out.add(1, ws.max0(affine(ws, -1, form)));
  return out.intern();
}

const Form* opaque_operation(Workspace& ws, ExprKind kind, const Form* a, const Form* b) {
  const bool negate = kind == ExprKind::mul && a->size > 0 && a->terms()[0].coefficient < 0;
  return ws.form_of(negate ? ws.operation(kind, affine(ws, -1, a), affine(ws, -1, b))
                           : ws.operation(kind, a, b));
}

const Form* operation(Workspace& ws, ExprKind kind, const Form* a, const Form* b) {
  const auto make = [&] {
    switch (kind) {
      case ExprKind::add:
        return weighted_sum(ws, 1, a, 1, b);
      case ExprKind::mul:
        return times(ws, a, b);
      case ExprKind::min:
      case ExprKind::max:
        return extremum(ws, kind, a, b);
      default:
        return division(ws, kind, a, b);
    }
  };
  const Form* const made = make();
  return made->overflow ? opaque_operation(ws, kind, a, b) : made;
}

}  // namespace tessera::detail
