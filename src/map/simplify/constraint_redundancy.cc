// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/constraint_redundancy.h"

#include <algorithm>
#include <utility>

#include "expr/form/range.h"
#include "expr/form/rebuild.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

// Adds the terms of the form, also those inside its quotients, up to a limit: forms share their parts, so a
// count may be exponential.
void count_terms(const Form* form, int& count) {
  for (const Term& t : form->terms()) {
    if (++count >= kLimits.form_terms) return;
    if (t.atom->kind == FormAtomKind::quotient) count_terms(t.atom->form, count);
  }
}

int all_terms(const Form* form) {
  int count = 0;
  count_terms(form, count);
  return count;
}

// Drops a fine part that the facts bound. False if no point is left. Refuses if the coarse part gets a
// quotient instead, and absorbing it gives the same terms again: that only multiplies their coefficients,
// without end.
bool drop_fine_by_others(Workspace& ws, LinearConstraint& c, Interval reached, bool& replaced) {
  LinearConstraint coarse = c;
  bool dropped = false;
  if (drop_fine(ws, coarse, reached, dropped) == ConstraintEffect::empties) return false;
  if (!dropped) return true;
  const int terms = all_terms(c.form);
  LinearConstraint absorbed = coarse;
  if (all_terms(coarse.form) > terms && absorb_quotient(ws, absorbed) && all_terms(absorbed.form) >= terms)
    return true;
  c = coarse;
  replaced = true;
  return true;
}

// Checks each constraint in turn, with the other constraints of the current list as facts, so that no
// constraint proves itself. False if no point is left.
bool compare_with_others(Workspace& ws, std::vector<LinearConstraint>& list, bool& replaced) {
  const ScopedFacts facts(ws);
  for (std::size_t i = 0; i < list.size();) {
    ws.facts.clear();
    for (std::size_t j = 0; j < list.size(); ++j) {
      if (j != i) ws.facts.push_back({list[j].form, list[j].range});
    }
    ws.changed();
    const Form* rebuilt = rebuild(ws, list[i].form);
    const Interval r = range(ws, rebuilt);
    if (ws.stopped()) return true;
    if (ws.infeasible || !list[i].range.intersects(r)) return false;
    if (list[i].range.contains(r)) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const bool shorter = rebuilt != list[i].form && rebuilt->size <= list[i].form->size &&
                         rebuilt->quotients <= list[i].form->quotients &&
                         all_terms(rebuilt) < all_terms(list[i].form);
    if (shorter) {
      list[i].form = rebuilt;
      if (!strip(ws, list[i])) return false;
      replaced = true;
    } else if (!drop_fine_by_others(ws, list[i], r, replaced) || !strip(ws, list[i])) {
      return false;
    }
    ++i;
  }
  return true;
}

}  // namespace

// Tries the largest constraint first.
bool drop_redundant(Workspace& ws, std::vector<LinearConstraint>& list, bool& replaced) {
  if (list.size() < 2 || list.size() > kLimits.redundancy) return true;
  std::ranges::sort(list, [](const LinearConstraint& a, const LinearConstraint& b) {
    if (a.form->size != b.form->size) return a.form->size > b.form->size;
    if (a.form->quotients != b.form->quotients) return a.form->quotients > b.form->quotients;
    return precedes(a, b);
  });
  if (!compare_with_others(ws, list, replaced)) return false;
  for (LinearConstraint& c : list) c.form = rebuild(ws, c.form);
  return true;
}

}  // namespace tessera::detail
