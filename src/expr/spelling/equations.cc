// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/equations.h"

#include <algorithm>
#include <array>

#include "expr/form/sum.h"
#include "expr/limits.h"
#include "expr/spelling/spell.h"

namespace tessera::detail {
namespace {

// Counts the variables in a form. Unlike the order of content, the count does not depend on the numbers of
// the variables.
void count_variables(const Form* form, int& count);
void count_variables(const FormAtom* a, int& count) {
  if (a == nullptr || count >= kLimits.form_terms) return;
  if (is_linear(a)) ++count;
  count_variables(a->left, count);
  count_variables(a->right, count);
  for (const Form* inside : {a->form, a->right_form}) {
    if (inside != nullptr) count_variables(inside, count);
  }
}
void count_variables(const Form* form, int& count) {
  for (const Term& t : form->terms()) count_variables(t.atom, count);
}

// Whether to prefer the text of `a` to the equally cheap text of `b`.
bool preferred(const Form* a, const Form* b) {
  int in_a = 0;
  int in_b = 0;
  count_variables(a, in_a);
  count_variables(b, in_b);
  return in_a != in_b ? in_a < in_b : compare_content(a, b) < 0;
}

}  // namespace

Text spell_by_equations(Workspace& ws, const Form* form) {
  if (std::ranges::none_of(ws.facts, [](const Fact& fact) { return fact.range.is_point(); }))
    return spell(ws, form);
  std::array<const Form*, kLimits.equivalents> forms{form};
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    for (const Fact& fact : ws.facts) {
      if (!fact.range.is_point() || (fact.form->mask & form->mask) == 0) continue;
      for (const Term& f : fact.form->terms()) {
        const Index k = coefficient(forms[i], f.atom);
        if (k == 0) continue;
        // The multiples that leave the smallest remainder of f's coefficient.
        const Index t = tessera::floor_div(k, f.coefficient);
        for (const Index multiple : {t, t + 1}) {
          if (multiple == 0) continue;
          const Form* const other = without_multiple(ws, forms[i], multiple, fact.form, fact.range.lower);
          if (other == nullptr || count == kLimits.equivalents) continue;
          if (std::find(forms.begin(), forms.begin() + count, other) == forms.begin() + count) {
            forms[count++] = other;
          }
          if (k % f.coefficient == 0) break;
        }
      }
    }
  }
  Text best = spell(ws, form);
  const Form* from = form;
  for (std::size_t i = 1; i < count; ++i) {
    const Text text = spell(ws, forms[i]);
    if (cost(text) > cost(best) || (cost(text) == cost(best) && !preferred(forms[i], from))) continue;
    best = text;
    from = forms[i];
  }
  return best;
}

}  // namespace tessera::detail
