// SPDX-License-Identifier: Apache-2.0
#include "expr/equations.h"

#include <algorithm>
#include <array>

#include "expr/spell.h"
#include "expr/sum.h"

namespace tessera::detail {
namespace {

// form - t * (F - v) for the equation F = v; null when it does not fit.
const Form* without_multiple(Workspace& ws, const Form* form, Index t, const Fact& equation) {
  Index value = 0;
  if (t == kIndexMin || mul_overflows(t, equation.range.lower, value)) return nullptr;
  Sum sum(ws, form);
  sum.add(-t, equation.form);
  sum.add_constant(value);
  return sum.overflowed() ? nullptr : sum.intern();
}

}  // namespace

const Form* spell_by_equations(Workspace& ws, const Form* form) {
  if (std::ranges::none_of(ws.facts, [](const Fact& fact) { return fact.range.is_point(); }))
    return spell(ws, form);
  constexpr std::size_t kMostForms = 16;
  std::array<const Form*, kMostForms> forms{form};
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    for (const Fact& fact : ws.facts) {
      if (!fact.range.is_point() || (fact.form->mask & form->mask) == 0) continue;
      for (const Term& f : fact.form->terms()) {
        const Index k = coefficient(forms[i], f.atom);
        if (k == 0) continue;
        // The multiples that leave the least of f's term.
        const Index t = tessera::floor_div(k, f.coefficient);
        for (const Index multiple : {t, t + 1}) {
          if (multiple == 0) continue;
          const Form* const other = without_multiple(ws, forms[i], multiple, fact);
          if (other == nullptr || count == kMostForms) continue;
          if (std::find(forms.begin(), forms.begin() + count, other) == forms.begin() + count) {
            forms[count++] = other;
          }
          if (k % f.coefficient == 0) break;
        }
      }
    }
  }
  const Form* best = spell(ws, form);
  const Form* from = form;
  for (std::size_t i = 1; i < count; ++i) {
    const Form* const text = spell(ws, forms[i]);
    if (cost(text) > cost(best) || (cost(text) == cost(best) && compare_content(forms[i], from) > 0))
      continue;
    best = text;
    from = forms[i];
  }
  return best;
}

}  // namespace tessera::detail
