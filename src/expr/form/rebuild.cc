// SPDX-License-Identifier: Apache-2.0
#include "expr/form/rebuild.h"

#include "expr/form/arithmetic.h"
#include "expr/form/convert.h"
#include "expr/form/floor_div.h"
#include "expr/form/refine.h"
#include "expr/form/upper_halves.h"

namespace tessera::detail {
namespace {

const Form* rebuild_atom(Workspace& ws, const FormAtom* a) {
  if (a->rebuilt_stamp == ws.generation) return a->rebuilt;
  const auto make = [&]() -> const Form* {
    switch (a->kind) {
      case FormAtomKind::variable:
        return variable_form(ws, a->variable);
      case FormAtomKind::quotient:
        return divide(ws, rebuild(ws, a->form), a->number);
      case FormAtomKind::max0:
        return max0(ws, rebuild(ws, a->form));
      case FormAtomKind::product:
        return times(ws, rebuild_atom(ws, a->left), rebuild_atom(ws, a->right));
      case FormAtomKind::scaled: {
        // The variable may have become a point or have gained a finer congruence.
        const Form* x = variable_form(ws, a->variable);
        Sum shifted(ws, x);
        shifted.add_constant(-a->residue);
        return divide(ws, shifted.intern(), a->number);
      }
      case FormAtomKind::operation: {
        const Form* l = rebuild(ws, a->form);
        const Form* r = rebuild(ws, a->right_form);
        return l->overflow || r->overflow ? ws.overflow() : operation(ws, a->op, l, r);
      }
      case FormAtomKind::overflow:
        return ws.overflow();
    }
    return nullptr;
  };
  const Form* made = make();
  a->rebuilt = made;
  a->rebuilt_stamp = ws.generation;
  return made;
}

const Form* without_kept_points(Workspace& ws, const FormAtom* a) {
  if ((a->mask & ws.kept_points) == 0) return ws.form_of(a);
  switch (a->kind) {
    case FormAtomKind::variable: {
      const VariableState& v = ws.variables[a->variable];
      return v.keep_point ? ws.constant(v.bounds.lower) : ws.form_of(a);
    }
    case FormAtomKind::product:
      return times(ws, without_kept_points(ws, a->left), without_kept_points(ws, a->right));
    case FormAtomKind::max0:
      return max0(ws, without_kept_points(ws, a->form));
    default:
      return ws.form_of(a);
  }
}

}  // namespace

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
  const FormAtom* const atom = ws.variable(number);
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

const Form* without_kept_points(Workspace& ws, const Form* form) {
  if ((form->mask & ws.kept_points) == 0) return form;
  Sum sum(ws);
  sum.add_constant(form->constant);
  for (const Term& t : form->terms()) sum.add(t.coefficient, without_kept_points(ws, t.atom));
  return sum.intern();
}

}  // namespace tessera::detail
