// SPDX-License-Identifier: Apache-2.0
#include "expr/spell.h"

#include <algorithm>

#include "expr/max_moves.h"
#include "expr/offers.h"
#include "expr/quotient_moves.h"

namespace tessera::detail {
namespace {

const Form* spell_sum(Workspace& ws, const Form* form) {
  Offers offers(ws, form);
  do {
    for (std::size_t i = 0; i < offers.rest().size(); ++i) {
      const Term t = offers.rest().terms()[i];
      if (t.atom->kind == AtomKind::quotient) offer_quotient_moves(offers, t);
      if (t.atom->kind == AtomKind::max0) offer_max_moves(offers, t);
    }
  } while (offers.take_best());
  return factored(ws, offers.text());
}

// Spells every summand separately with the coefficients of the form, which cannot overflow.
const Form* spell_plainly(Workspace& ws, const Form* form) {
  Sum out(ws);
  out.add_constant(form->constant);
  for (const Term& t : form->terms()) {
    const Atom* a = t.atom;
    const bool is_scaled = a->kind == AtomKind::scaled;
    const Form* x = is_scaled ? ws.form_of(ws.variable(a->variable)) : a->form;
    const Form* piece =
        is_scaled || a->kind == AtomKind::quotient
            ? written_operation(ws, ExprKind::floor_div, is_scaled ? x : spell(ws, x), a->number)
            : spell_term(ws, 1, a).written;
    out.add(t.coefficient, piece);
  }
  return out.intern();
}

// A quotient alone: no move applies.
const Form* spell_alone(Workspace& ws, const Term& quotient) {
  const Piece p = spell_term(ws, quotient.coefficient, quotient.atom);
  return factored(ws, affine(ws, p.factor, p.written));
}

bool is_quotient_alone(const Form* form) {
  return form->size == 1 && form->quotients == 1 && form->constant == 0;
}

}  // namespace

bool needs_spelling(const Form* form) {
  return std::ranges::any_of(form->terms(), [](const Term& t) { return t.atom->kind != AtomKind::variable; });
}

const Form* spell(Workspace& ws, const Form* form) {
  if (form->spelled_stamp == ws.generation) return form->spelled;
  const Form* out = nullptr;
  if (!needs_spelling(form)) {
    out = factored(ws, form);
  } else {
    ws.spend(32 + form->size);
    // The limit on summands, because the moves try every pair several times.
    constexpr std::uint32_t kMostTerms = 48;
    const bool plain = form->size > kMostTerms || ws.exhausted;
    if (is_quotient_alone(form)) {
      out = spell_alone(ws, form->terms()[0]);
    } else if (!plain) {
      out = spell_sum(ws, form);
    }
    if (out == nullptr || out->overflow) out = spell_plainly(ws, form);
  }
  form->spelled = out;
  form->spelled_stamp = ws.generation;
  return out;
}

}  // namespace tessera::detail
