// SPDX-License-Identifier: Apache-2.0
#include "expr/form/form.h"

#include <algorithm>

namespace tessera::detail {
namespace {

template <class T>
int compare(T a, T b) {
  return a == b ? 0 : a < b ? -1 : 1;
}

}  // namespace

Index coefficient(const Form* form, const FormAtom* atom) {
  const auto terms = form->terms();
  if (terms.size() <= 8) {
    for (const Term& t : terms) {
      if (t.atom == atom) return t.coefficient;
    }
    return 0;
  }
  const auto at = std::ranges::lower_bound(terms, atom, before, &Term::atom);
  return at != terms.end() && at->atom == atom ? at->coefficient : 0;
}

int compare_content(const Form* a, const Form* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  const auto [s, t] = std::ranges::mismatch(a->terms(), b->terms());
  const bool a_ends = s == a->terms().end();
  const bool b_ends = t == b->terms().end();
  if (a_ends && b_ends) return compare(a->constant, b->constant);
  if (a_ends || b_ends) return a_ends ? -1 : 1;
  return s->atom == t->atom ? compare(s->coefficient, t->coefficient) : compare_content(s->atom, t->atom);
}

int compare_content(const FormAtom* a, const FormAtom* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  if (const int c = compare(a->order, b->order)) return c;
  if (const int c = compare(a->number, b->number)) return c;
  if (const int c = compare(a->residue, b->residue)) return c;
  if (const int c = compare_content(a->form, b->form)) return c;
  if (const int c = compare_content(a->right_form, b->right_form)) return c;
  if (const int c = compare_content(a->left, b->left)) return c;
  return compare_content(a->right, b->right);
}

}  // namespace tessera::detail
