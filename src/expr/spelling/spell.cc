// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/spell.h"

#include <algorithm>

#include "expr/limits.h"
#include "expr/spelling/extremum_texts.h"
#include "expr/spelling/quotient_texts.h"
#include "expr/spelling/text_search.h"

namespace tessera::detail {
namespace {

Text spell_sum(Workspace& ws, const Form* form) {
  TextSearch search(ws, form);
  do {
    for (std::size_t i = 0; i < search.rest().size(); ++i) {
      const Term t = search.rest().terms()[i];
      if (t.atom->kind == FormAtomKind::quotient) propose_quotient_texts(search, t);
      if (t.atom->kind == FormAtomKind::max0) propose_extremum_texts(search, t);
    }
  } while (search.take_best());
  return factored(ws, search.text());
}

// Spells every summand separately with the coefficients of the form, which cannot overflow.
Text spell_plainly(Workspace& ws, const Form* form) {
  TextSum out(ws);
  out.add_constant(form->constant);
  for (const Term& t : form->terms()) {
    const FormAtom* a = t.atom;
    const bool is_scaled = a->kind == FormAtomKind::scaled;
    const Text text = is_scaled || a->kind == FormAtomKind::quotient
                          ? operation_text(ws, ExprKind::floor_div,
                                           is_scaled ? linear_text(ws.form_of(ws.variable(a->variable)))
                                                     : spell(ws, a->form),
                                           a->number)
                          : spell_term(ws, 1, a).text;
    out.add(t.coefficient, text);
  }
  return out.intern();
}

// The text of a single quotient, to which no proposal applies.
Text spell_alone(Workspace& ws, const Term& quotient) {
  const ScaledText p = spell_term(ws, quotient.coefficient, quotient.atom);
  return factored(ws, affine(ws, p.factor, p.text));
}

bool is_quotient_alone(const Form* form) {
  return form->size == 1 && form->quotients == 1 && form->constant == 0;
}

}  // namespace

bool needs_spelling(const Form* form) {
  return std::ranges::any_of(form->terms(),
                             [](const Term& t) { return t.atom->kind != FormAtomKind::variable; });
}

Text spell(Workspace& ws, const Form* form) {
  if (form->text_stamp == ws.generation) return form->text;
  Text out;
  if (!needs_spelling(form)) {
    out = factored(ws, linear_text(form));
  } else {
    ws.spend(32 + form->size);
    const bool plain = form->size > kLimits.terms || ws.exhausted;
    if (is_quotient_alone(form)) {
      out = spell_alone(ws, form->terms()[0]);
    } else if (!plain) {
      out = spell_sum(ws, form);
    }
    if (!out || out->overflow) out = spell_plainly(ws, form);
  }
  form->text = out;
  form->text_stamp = ws.generation;
  return out;
}

}  // namespace tessera::detail
