// SPDX-License-Identifier: Apache-2.0
#include "expr/form/refine.h"

#include "expr/form/range.h"
#include "expr/form/sum.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

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
    // A multiple of a scaled variable that is not a multiple of the variable needs a division, too.
    const bool divides = t.atom->kind == FormAtomKind::scaled && t.coefficient % t.atom->number != 0;
    nonlinear += divides || !is_linear(t.atom) ? 1 : 0;
    factors += (t.coefficient < 0 ? 1 : 0) + (t.coefficient != 1 && t.coefficient != -1 ? 2 : 0);
  }
  return {nonlinear, form->size, factors};
}

// Whether the equation replaces `replaced` by a quotient that contains it and is new in the form. Such a step
// never ends: dividing the form puts it into a larger quotient, in which it could be taken again.
bool nests(const Form* form, const Form* equation, const FormAtom* replaced) {
  return std::ranges::any_of(equation->terms(), [&](const Term& t) {
    return t.atom->kind == FormAtomKind::quotient && coefficient(t.atom->form, replaced) != 0 &&
           coefficient(form, t.atom) == 0;
  });
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
    if (k == 0 || k % f.coefficient != 0 || (!linear && nests(form, fact.form, f.atom))) continue;
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

}  // namespace tessera::detail
