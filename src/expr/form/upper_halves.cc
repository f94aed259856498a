// SPDX-License-Identifier: Apache-2.0
#include "expr/form/upper_halves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/form/floor_div.h"
#include "expr/form/range.h"
#include "expr/form/sum.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

// A quotient with two values: `low` if the terms of its dividend are less than the edge, else low + 1.
struct StepQuotient {
  Index low = 0;
  Index edge = 0;
  Interval terms = {};  // the values of the terms, without the constant

  // The least divisor of a quotient that has the values 0 and 1 with this edge; 0 if it overflows. For the
  // divisor d, the terms must be in [edge - d, edge + d - 1].
  Index least_divisor() const {
    Index below = 0;
    Index above = 0;
    const bool overflows = sub_overflows(edge, terms.lower, below) ||
                           sub_overflows(terms.upper, edge, above) || add_overflows(above, 1, above);
    return overflows ? 0 : std::max(below, above);
  }
};

std::optional<StepQuotient> step_of(Workspace& ws, const FormAtom* quotient) {
  const Interval values = range(ws, quotient);
  Index width = 0;
  if (!values.is_finite() || sub_overflows(values.upper, values.lower, width) || width != 1)
    return std::nullopt;
  const Index constant = quotient->form->constant;
  const Interval all = range(ws, quotient->form);
  StepQuotient step{.low = values.lower};
  if (!all.is_finite() || mul_overflows(values.upper, quotient->number, step.edge) ||
      sub_overflows(step.edge, constant, step.edge) || sub_overflows(all.lower, constant, step.terms.lower) ||
      sub_overflows(all.upper, constant, step.terms.upper)) {
    return std::nullopt;
  }
  return step;
}

// Replaces t * fl((y + n/2)/n) by t * fl(y/(n/2)) - t * fl(y/n).
void lower(Workspace& ws, Sum& sum, const Term& t) {
  const Index half = t.atom->number / 2;
  const Form* const below = affine(ws, 1, t.atom->form, -half);
  sum.add(-t.coefficient, t.atom);
  sum.add(t.coefficient, divide(ws, below, half));
  sum.add(-t.coefficient, divide(ws, below, t.atom->number));
}

bool is_even(const FormAtom* quotient) { return quotient->number % 2 == 0; }

// Replaces the quotient of a term by `stays`, a quotient of the same terms, and a constant if both have the
// same edge. The form itself if they do not.
const Form* with_one_edge(Workspace& ws, const Form* form, const FormAtom* stays, const Term& gone) {
  const auto a = step_of(ws, stays);
  const auto b = a ? step_of(ws, gone.atom) : std::nullopt;
  Index apart = 0;
  if (!b || a->edge != b->edge || sub_overflows(b->low, a->low, apart)) return form;
  Sum sum(ws, form);
  sum.add(-gone.coefficient, gone.atom);
  sum.add(gone.coefficient, stays);
  sum.add(gone.coefficient, ws.constant(apart));
  return sum.overflowed() ? form : sum.intern();
}

}  // namespace

const Form* merge_pairs(Workspace& ws, const Form* form) {
  if (form->quotients < 2 || form->quotients > kLimits.quotients) return form;
  if (form->merged_stamp == ws.generation) return form->merged;
  form->merged = form;
  form->merged_stamp = ws.generation;
  const Form* current = form;
  int steps =
      2 * form->quotients;  // each step removes a quotient or a larger constant, so this is never reached
  for (bool again = true; again && !ws.exhausted && steps-- > 0;) {
    again = false;
    const auto terms = current->terms();
    for (std::size_t i = 0; i < terms.size() && !again; ++i) {
      for (std::size_t j = i + 1; j < terms.size() && !again; ++j) {
        const FormAtom* low = terms[i].atom;
        const FormAtom* high = terms[j].atom;
        if (low->kind != FormAtomKind::quotient || high->kind != FormAtomKind::quotient ||
            !same_terms(low->form, high->form)) {
          continue;
        }
        Index low_factor = terms[i].coefficient;
        Index high_factor = terms[j].coefficient;
        if (low->number != high->number) {
          const Form* const next = with_one_edge(ws, current, low, terms[j]);
          again = next != current;
          current = next;
          continue;
        }
        if (low->number % 2 != 0) continue;
        if (low->form->constant > high->form->constant) {
          std::swap(low, high);
          std::swap(low_factor, high_factor);
        }
        const Index half = low->number / 2;
        Index apart = 0;
        if (sub_overflows(high->form->constant, low->form->constant, apart) || apart != half) continue;
        const Form* coarser = divide(ws, low->form, half);
        // Replaces the larger constant even if the number of quotients stays the same, the smaller one only
        // if it falls.
        for (const bool drop_high : {true, false}) {
          Sum sum(ws, current);
          const FormAtom* gone = drop_high ? high : low;
          const FormAtom* stays = drop_high ? low : high;
          const Index factor = drop_high ? high_factor : low_factor;
          sum.take(gone);
          if (factor == kIndexMin) continue;
          sum.add(-factor, stays);
          sum.add(factor, coarser);
          if (sum.overflowed()) continue;
          const Form* next = sum.intern();
          if (next->quotients < current->quotients || (drop_high && next->quotients == current->quotients)) {
            current = next;
            again = true;
            break;
          }
        }
      }
    }
  }
  form->merged = current;
  return current;
}

const Form* without_upper_halves(Workspace& ws, const Form* form) {
  Sum sum(ws, form);
  for (const Term& t : form->terms()) {
    if (t.atom->kind == FormAtomKind::quotient && is_even(t.atom) &&
        t.atom->form->constant >= t.atom->number / 2) {
      lower(ws, sum, t);
    }
  }
  const Form* const lowered = sum.intern();
  return !lowered->overflow && lowered->quotients <= form->quotients ? lowered : form;
}

const Form* in_digits(Workspace& ws, const Form* form) {
  std::optional<Sum> sum;
  const auto changed = [&]() -> Sum& { return sum ? *sum : sum.emplace(ws, form); };
  for (const Term& t : form->terms()) {
    if (t.atom->kind != FormAtomKind::quotient) continue;
    const Index n = t.atom->number;
    if (is_even(t.atom) && t.atom->form->constant == n / 2) {
      lower(ws, changed(), t);
    } else if (const auto step = step_of(ws, t.atom)) {
      const Index d = step->least_divisor();
      Index constant = 0;
      if (d == 0 || d == n || n % d != 0 || sub_overflows(d, step->edge, constant)) continue;
      Sum terms(ws, t.atom->form);
      terms.set_constant(constant);
      changed().add(-t.coefficient, t.atom);
      changed().add(t.coefficient, divide(ws, terms.intern(), d));
      changed().add(t.coefficient, ws.constant(step->low));
    }
  }
  if (!sum) return form;
  const Form* const digits = sum->intern();
  return digits->overflow ? form : digits;
}

}  // namespace tessera::detail
