// SPDX-License-Identifier: Apache-2.0
#include "expr/convert.h"

#include <algorithm>
#include <numeric>

#include "expr/floor_div.h"
#include "expr/limits.h"
#include "expr/sum.h"

namespace tessera::detail {
namespace {

// Forms never contain kIndexMin, so that every coefficient can be negated. kIndexMin becomes a sum, which is
// folded again in the text.
const Form* constant_form(Workspace& ws, Index value) {
  if (value != kIndexMin) return ws.constant(value);
  return ws.form_of(ws.operation(ExprKind::add, ws.constant(-kIndexMax), ws.constant(-1)));
}

// Whether the term is x or x * c, which need no form of their own.
bool is_plain_term(Expr e) {
  return e.is_variable() || (e.kind() == ExprKind::mul && e.lhs().is_variable() && e.rhs().is_constant() &&
                             e.rhs().value() != kIndexMin);
}

// Adds a variable. One without a known value or congruence needs no form of its own.
void add_variable(Workspace& ws, Sum& sum, Index factor, std::uint32_t number) {
  const Atom* const atom = ws.variable(number);
  const VariableState& v = ws.variables[number];
  if (v.bounds.is_point() || v.modulus > 1) {
    sum.add(factor, variable_form(ws, number));
  } else {
    sum.add(factor, atom);
  }
}

void add_summand(Workspace& ws, Sum& sum, Expr e) {
  if (e.is_constant() && e.value() != kIndexMin) {
    sum.add_constant(e.value());
  } else if (is_plain_term(e)) {
    const bool scaled = !e.is_variable();
    add_variable(ws, sum, scaled ? e.rhs().value() : 1,
                 static_cast<std::uint32_t>(scaled ? e.lhs().value() : e.value()));
  } else {
    sum.add(1, convert(ws, e));
  }
}

// Merges a sum term by term without interning its prefixes, so that n terms cost O(n), not O(n^2).
const Form* convert_sum(Workspace& ws, Expr e) {
  std::size_t count = 1;
  Expr base = e;
  for (; base.lhs().kind() == ExprKind::add; base = base.lhs()) ++count;
  auto* parts = ws.arena.array<Expr>(count);
  base = e;
  for (std::size_t i = 0; i < count; ++i, base = base.lhs()) new (parts + i) Expr(base.rhs());
  Sum sum(ws);
  add_summand(ws, sum, base);
  for (std::size_t i = count; i-- > 0;) add_summand(ws, sum, parts[i]);
  return sum.intern();
}

void append_factors(const Atom* a, std::vector<const Atom*>& out) {
  for (; a->kind == AtomKind::product; a = a->left) out.push_back(a->right);
  out.push_back(a);
}

const Atom* atom_product(Workspace& ws, const Atom* a, const Atom* b) {
  if (a->kind != AtomKind::product && b->kind != AtomKind::product) {
    return before(a, b) ? ws.product(a, b) : ws.product(b, a);
  }
  std::vector<const Atom*> factors;
  append_factors(a, factors);
  append_factors(b, factors);
  std::ranges::sort(factors, before);
  const Atom* product = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) product = ws.product(product, factors[i]);
  return product;
}

const Form* multiply(Workspace& ws, const Form* a, const Form* b) {
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

// fl(x / n) for any constant n except 0.
const Form* divide_signed(Workspace& ws, const Form* x, Index n) {
  if (n > 0) return divide(ws, x, n);
  if (n == kIndexMin) return ws.overflow();
  return divide(ws, affine(ws, -1, x), -n);
}

// The form of the division or remainder of a by any constant n except 0.
const Form* convert_division(Workspace& ws, ExprKind kind, const Form* a, Index n) {
  switch (kind) {
    case ExprKind::floor_div:
      return divide_signed(ws, a, n);
    case ExprKind::ceil_div:
      return affine(ws, -1, divide_signed(ws, affine(ws, -1, a), n));
    default: {
      const Index m = n < 0 ? -n : n;
      return combine(ws, 1, a, -m, divide(ws, a, m));
    }
  }
}

const Form* convert_division(Workspace& ws, ExprKind kind, const Form* a, const Form* b) {
  if (a->overflow || b->overflow) return ws.overflow();
  if (b->is_constant() && b->constant != 0) return convert_division(ws, kind, a, b->constant);
  const bool defined = !range(ws, b).contains(Index{0});
  ws.partial |= !defined;
  if (kind == ExprKind::mod && a->is_constant() && a->constant == 0 && defined) return a;
  return ws.form_of(ws.operation(kind, a, b));
}

// The result of an operation, or the operation as written if the result overflowed.
const Form* or_as_written(Workspace& ws, const Form* made, ExprKind op, const Form* a, const Form* b) {
  return made->overflow ? ws.form_of(ws.operation(op, a, b)) : made;
}

// Converts x * n, x / n and x mod n, the most frequent nodes of a map, without making a form of n.
const Form* convert_by_number(Workspace& ws, Expr e) {
  const Form* const a = convert(ws, e.lhs());
  const Index n = e.rhs().value();
  return or_as_written(ws,
                       e.kind() == ExprKind::mul ? affine(ws, n, a) : convert_division(ws, e.kind(), a, n),
                       e.kind(), a, ws.constant(n));
}

bool is_by_number(Expr e) {
  if (!e.rhs().is_constant() || e.rhs().value() == 0 || e.rhs().value() == kIndexMin) return false;
  return e.kind() != ExprKind::add && e.kind() != ExprKind::min && e.kind() != ExprKind::max;
}

// Orders the operands, because the range and the digits found for their difference may depend on its sign.
const Form* extremum(Workspace& ws, ExprKind kind, const Form* a, const Form* b) {
  if (compare_content(a, b) < 0) std::swap(a, b);
  const Form* const above = max0(ws, combine(ws, 1, a, -1, b));
  return kind == ExprKind::max ? combine(ws, 1, b, 1, above) : combine(ws, 1, a, -1, above);
}

const Form* convert_binary(Workspace& ws, Expr e) {
  if (is_by_number(e)) return convert_by_number(ws, e);
  const ExprKind kind = e.kind();
  const Form* const a = convert(ws, e.lhs());
  const Form* const b = convert(ws, e.rhs());
  const auto made = [&] {
    switch (kind) {
      case ExprKind::add:
        return combine(ws, 1, a, 1, b);
      case ExprKind::mul:
        return multiply(ws, a, b);
      case ExprKind::min:
      case ExprKind::max:
        return extremum(ws, kind, a, b);
      default:
        return convert_division(ws, kind, a, b);
    }
  };
  return or_as_written(ws, made(), kind, a, b);
}

const Form* convert_node(Workspace& ws, Expr e) {
  if (e.kind() == ExprKind::add) {
    const Form* const sum = convert_sum(ws, e);
    if (!sum->overflow) return sum;
  }
  return convert_binary(ws, e);  // if a sum overflows, its parts may still fit
}

const Form* rebuild_atom(Workspace& ws, const Atom* a) {
  if (a->rebuilt_stamp == ws.generation) return a->rebuilt;
  const auto make = [&]() -> const Form* {
    switch (a->kind) {
      case AtomKind::variable:
        return variable_form(ws, a->variable);
      case AtomKind::quotient:
        return divide(ws, rebuild(ws, a->form), a->number);
      case AtomKind::max0:
        return max0(ws, rebuild(ws, a->form));
      case AtomKind::product:
        return multiply(ws, rebuild_atom(ws, a->left), rebuild_atom(ws, a->right));
      case AtomKind::scaled: {
        // The variable may have become a point or have gained a finer congruence.
        const Form* x = variable_form(ws, a->variable);
        Sum shifted(ws, x);
        shifted.add_constant(-a->residue);
        return divide(ws, shifted.intern(), a->number);
      }
      case AtomKind::operation: {
        const Form* l = rebuild(ws, a->form);
        const Form* r = rebuild(ws, a->right_form);
        if (a->op == ExprKind::floor_div || a->op == ExprKind::mod || a->op == ExprKind::ceil_div) {
          return convert_division(ws, a->op, l, r);
        }
        return l->overflow || r->overflow ? ws.overflow() : ws.form_of(ws.operation(a->op, l, r));
      }
      case AtomKind::overflow:
        return ws.overflow();
    }
    return nullptr;
  };
  const Form* made = make();
  a->rebuilt = made;
  a->rebuilt_stamp = ws.generation;
  return made;
}

// The length of a form, for comparison: nonlinear terms, terms, operators for factors and signs.
struct Length {
  std::uint32_t nonlinear;
  std::uint32_t terms;
  std::uint32_t factors;
  friend auto operator<=>(const Length&, const Length&) = default;
};

Length length(const Form* form) {
  std::uint32_t nonlinear = 0;
  std::uint32_t factors = form->constant == 0 ? 0 : form->constant < 0 ? 3 : 2;
  for (const Term& t : form->terms()) {
    nonlinear += !is_linear(t.atom);
    factors += (t.coefficient < 0 ? 1 : 0) + (t.coefficient != 1 && t.coefficient != -1 ? 2 : 0);
  }
  return {nonlinear, form->size, factors};
}

// Adding multiples of an equation F = v to a form does not change its values. Takes the shortest of the forms
// that lack a term of F. For linear equations, the order of content decides between equally short forms, so
// that equal functions get the same form; for digits, that would replace short coefficients by long ones.
const Form* substitute_equation(Workspace& ws, const Form* form, const Fact& fact) {
  const Form* best = form;
  Length least = length(form);
  const bool linear = is_linear(fact.form);
  for (const Term& f : fact.form->terms()) {
    const Index k = coefficient(form, f.atom);
    if (k == 0 || k % f.coefficient != 0) continue;
    const Form* const other = without_multiple(ws, form, k / f.coefficient, fact.form, fact.range.lower);
    if (other == nullptr) continue;
    const Length own = length(other);
    const bool shorter = own.nonlinear <= least.nonlinear &&
                         std::pair(other->quotients, own.terms) < std::pair(best->quotients, least.terms);
    const bool first = linear && (own < least || (own == least && compare_content(other, best) < 0));
    if (!shorter && !first) continue;
    best = other;
    least = own;
  }
  return best;
}

}  // namespace

const Form* convert(Workspace& ws, Expr e) {
  if (e.is_constant()) return constant_form(ws, e.value());
  if (e.is_variable()) return variable_form(ws, static_cast<std::uint32_t>(e.value()));
  return conversion(ws, e).form;
}

Workspace::ConversionMemo& conversion(Workspace& ws, Expr e) {
  const std::uint64_t hash = e.hash();
  auto* const known = ws.conversions.find(
      hash, [&](const Workspace::ConversionMemo& m) { return m.generation == ws.generation && m.expr == e; });
  if (known != nullptr) return *known;
  ws.spend(8);
  const auto remember = [&](const Form* form) {
    return new (ws.arena.array<Workspace::ConversionMemo>(1))
        Workspace::ConversionMemo{hash, e, ws.generation, form, {}};
  };
  if (ws.exhausted) return *remember(ws.constant(0));
  const Form* form = convert_node(ws, e);
  if (e.kind() == ExprKind::add) form = merge_pairs(ws, form);
  if (!ws.facts.empty()) form = refine(ws, form);
  auto* const memo = remember(form);
  ws.conversions.insert(memo);
  return *memo;
}

const Form* rebuild(Workspace& ws, const Form* form) {
  if (form->rebuilt_stamp == ws.generation) return form->rebuilt;
  if (ws.exhausted) return form;
  Sum sum(ws);
  sum.add_constant(form->constant);
  for (const Term& t : form->terms()) sum.add(t.coefficient, rebuild_atom(ws, t.atom));
  const Form* made = refine(ws, merge_pairs(ws, sum.intern()));
  ws.overflowed |= made->overflow;
  form->rebuilt = made;
  form->rebuilt_stamp = ws.generation;
  return made;
}

const Form* variable_form(Workspace& ws, std::uint32_t number) {
  const Atom* const atom = ws.variable(number);
  VariableState& v = ws.variables[number];
  if (v.form_stamp == ws.generation) return v.form;
  if (v.bounds.is_point()) {  // then a congruence adds nothing
    v.form = v.keep_point ? ws.form_of(atom) : ws.constant(v.bounds.lower);
  } else if (v.modulus > 1) {
    const Term term{v.modulus, ws.scaled(number, v.modulus, v.residue)};
    v.form = ws.intern(v.residue, {&term, 1});
  } else {
    v.form = ws.form_of(atom);
  }
  v.form_stamp = ws.generation;
  return v.form;
}

namespace {

const Form* without_kept_points(Workspace& ws, const Atom* a) {
  if ((a->mask & ws.kept_points) == 0) return ws.form_of(a);
  switch (a->kind) {
    case AtomKind::variable: {
      const VariableState& v = ws.variables[a->variable];
      return v.keep_point ? ws.constant(v.bounds.lower) : ws.form_of(a);
    }
    case AtomKind::product:
      return multiply(ws, without_kept_points(ws, a->left), without_kept_points(ws, a->right));
    case AtomKind::max0:
      return max0(ws, without_kept_points(ws, a->form));
    default:
      return ws.form_of(a);
  }
}

}  // namespace

const Form* without_kept_points(Workspace& ws, const Form* form) {
  if ((form->mask & ws.kept_points) == 0) return form;
  Sum sum(ws);
  sum.add_constant(form->constant);
  for (const Term& t : form->terms()) sum.add(t.coefficient, without_kept_points(ws, t.atom));
  return sum.intern();
}

const Form* refine(Workspace& ws, const Form* form) {
  if (ws.facts.empty() || form->is_constant() || form->overflow) return form;
  int steps = kLimits.substitutions;
  for (bool again = true; again && steps-- > 0;) {
    again = false;
    for (const Fact& fact : ws.facts) {
      if (!fact.range.is_point() || (fact.form->mask & form->mask) == 0) continue;
      const Form* const shorter = substitute_equation(ws, form, fact);
      if (shorter == form) continue;
      form = shorter;
      again = !form->is_constant();
      break;
    }
  }
  if (form->is_constant()) return form;
  const Interval r = range(ws, form);
  return r.is_point() && (form->mask & ws.kept_points) == 0 ? ws.constant(r.lower) : form;
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

}  // namespace tessera::detail
