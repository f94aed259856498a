// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/constraint_system.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "expr/convert.h"
#include "expr/divisors.h"
#include "expr/fits.h"
#include "expr/floor_div.h"
#include "expr/own_words.h"
#include "expr/spell.h"
#include "map/simplify/bounds.h"
#include "map/simplify/constraint_points.h"
#include "map/simplify/constraint_redundancy.h"
#include "map/simplify/variable_box.h"

namespace tessera::detail {
namespace {

constexpr int kMostRounds = 40;
constexpr int kMostRestarts = 4;

}  // namespace

ConstraintSystem::ConstraintSystem(Workspace& ws, const Domain& domain)
    : ws_(ws), domain_(domain), bounds_(ws) {
  const std::span<const Constraint> given = domain.constraints();
  given_ = {ws.arena.array<const Constraint*>(given.size()), given.size()};
  std::ranges::transform(given, given_.begin(), [](const Constraint& c) { return &c; });
  std::ranges::sort(given_,
                    [](const Constraint* a, const Constraint* b) { return compare(a->expr, b->expr) < 0; });
  list_.reserve(given.size());
  for (const Constraint* c : given_) sort_in(*c);
}

// Bounds that still move after so many rounds creep toward a distant limit, and a second run would move them
// further: those variables keep their original bounds.
void ConstraintSystem::start_over() {
  bounds_.freeze_watched();
  for (std::size_t i = 0; i < domain_.variable_count(); ++i) {
    ws_.variables[i] = VariableState{.bounds = domain_.variables()[i].bounds};
  }
  list_.clear();
  partial_.clear();
  ws_.changed();
  ++ws_.run;  // the remembered sizes of values assume the narrower bounds
  for (const Constraint* c : given_) sort_in(*c);
}

void ConstraintSystem::sort_in(const Constraint& c) {
  const Form* form = convert(ws_, c.expr);
  if (ends_read_as_infinite(c.range) || (ws_.partial && may_divide_by_zero(ws_, c.expr)) ||
      !fits(ws_, c.expr)) {
    partial_.push_back(c);
  } else {
    list_.push_back({form, c.range});
  }
}

// Enumerates small boxes, as decide_by_points does where all constraints have values.
bool ConstraintSystem::partial_have_point() {
  VariableBox box(ws_, UINT64_MAX);
  if (!box.is_small()) return true;
  constexpr std::uint64_t kMostPartialWork = std::uint64_t{1} << 24;  // points * terms
  std::uint64_t terms = 1;
  for (const LinearConstraint& c : list_) terms += count_atoms(c.form);
  for (const Constraint& c : partial_) terms += c.expr.node_count();
  if (box.points() * terms > kMostPartialWork) return true;
  bool found = false;
  box.for_each_point([&](std::span<const Index> point) {
    ws_.spend(1 + list_.size() + partial_.size());
    const bool in_list = std::ranges::all_of(list_, [&](const LinearConstraint& c) {
      const auto value = evaluate(c.form, point);
      ws_.overflowed |= !value;
      return value && c.range.contains(*value);
    });
    found = in_list && std::ranges::all_of(partial_, [&](const Constraint& c) {
              const auto value = tessera::evaluate(c.expr, point);
              return value && c.range.contains(*value);
            });
    return !found && !ws_.stopped();
  });
  return found || ws_.stopped();
}

void ConstraintSystem::sort() {
  std::ranges::sort(list_, [](const LinearConstraint& a, const LinearConstraint& b) { return before(a, b); });
}

bool ConstraintSystem::merge_equal() {
  sort();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (kept > 0 && list_[kept - 1].form == list_[i].form) {
      const auto common = intersect(list_[kept - 1].range, list_[i].range);
      if (!common) return false;
      list_[kept - 1].range = *common;
    } else {
      list_[kept++] = list_[i];
    }
  }
  list_.resize(kept);
  return true;
}

bool ConstraintSystem::run_rounds() {
  for (int round = 0; round < kMostRounds; ++round) {
    if (ws_.stopped()) return true;
    const bool last_round = round + 1 == kMostRounds;
    bounds_.start_round(last_round);
    bool changed = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const LinearConstraint before_step = list_[i];
      LinearConstraint c = before_step;
      const ConstraintEffect effect = normalise(ws_, bounds_, c);
      if (effect == ConstraintEffect::empties) return false;
      changed |=
          effect == ConstraintEffect::none || c.form != before_step.form || c.range != before_step.range;
      if (effect == ConstraintEffect::narrows) list_[kept++] = c;
    }
    list_.resize(kept);
    if (!merge_equal()) return false;
    changed |= kept != list_.size();
    for (const LinearConstraint& c : list_) {
      if (!bounds_.tighten(c.form, c.range)) return false;
    }
    if (ws_.infeasible) return false;
    if (bounds_.changed()) {
      ws_.changed();
      for (LinearConstraint& c : list_) c.form = rebuild(ws_, c.form);
    } else if (!changed) {
      return true;
    }
    if (last_round && bounds_.any_watched() && restarts_ < kMostRestarts) {
      ++restarts_;
      round = -1;
      start_over();
    }
  }
  return true;
}

// Reads the text of each form again. Where that gives another form, the rounds run once more.
bool ConstraintSystem::reread() {
  bool changed = false;
  for (LinearConstraint& c : list_) {
    if (c.form->quotients == 0 && !c.form->has_max0) continue;
    const Form* again = convert(ws_, to_expr(ws_, spell(ws_, c.form)));
    changed |= again != c.form;
    c.form = again;
  }
  return changed;
}

bool ConstraintSystem::propagate() { return run_rounds(); }

bool ConstraintSystem::solve() {
  if (!solve_total()) return false;
  while (!partial_.empty()) {
    // Narrower variables may keep a divisor away from 0.
    const std::vector<Constraint> before = std::exchange(partial_, {});
    for (const Constraint& c : before) sort_in(c);
    if (ws_.stopped()) return true;
    if (partial_.size() == before.size()) return partial_have_point();
    if (!solve_total()) return false;
  }
  return true;
}

bool ConstraintSystem::solve_total() {
  for (int pass = 0; pass < 6; ++pass) {
    if (!run_rounds()) return false;
    if (list_.empty() || ws_.stopped()) return true;
    if (reread()) continue;
    if (ws_.stopped()) return true;
    if (!pairs_have_points(ws_, list_)) return false;
    bool replaced = false;
    if (!drop_redundant(ws_, list_, replaced)) return false;
    if (replaced) continue;
    bool changed = false;
    sort();
    if (!decide_by_points(ws_, list_, changed)) return false;
    if (ws_.stopped() || (!changed && !reread())) break;
    ws_.changed();
    for (LinearConstraint& c : list_) c.form = rebuild(ws_, c.form);
  }
  sort();
  return true;
}

void ConstraintSystem::set_facts() {
  ws_.facts.clear();
  if (list_.empty()) return;
  std::vector<Fact> facts;
  facts.swap(ws_.facts);  // its memory; none of them is one yet
  for (const LinearConstraint& c : list_) {
    facts.push_back({c.form, c.range});
    // An aligned block: L in [l, l + w-1] with w | l is floor(L / w) = l / w.
    Index w = 0;
    if (!c.range.is_finite() || sub_overflows(c.range.upper, c.range.lower, w) || add_overflows(w, 1, w) ||
        w < 2 || c.range.lower % w != 0) {
      continue;
    }
    LinearConstraint block{divide(ws_, c.form, w), Interval::point(c.range.lower / w)};
    if (block.form->is_constant() || !strip(ws_, block)) continue;
    facts.push_back({block.form, block.range});
  }
  ws_.facts = std::move(facts);
  ws_.changed();
}

// A given constraint that says the same in fewer operators than `text`: its form is k * c.form + constant.
std::optional<Constraint> ConstraintSystem::as_given(const LinearConstraint& c, Expr text) {
  std::optional<Constraint> shortest;
  std::uint64_t operators = size(text).operators;
  for (const Constraint* given : given_) {
    const Form* const form = convert(ws_, given->expr);
    if (form->size != c.form->size) continue;
    const Index k = form->terms()[0].coefficient / c.form->terms()[0].coefficient;
    Sum difference(ws_, form);
    difference.add(-k, c.form);
    const Interval range = c.range * Interval::point(k) + Interval::point(form->constant);
    const bool exact = range.is_finite() && c.range.is_finite();
    if (k == 0 || difference.overflowed() || difference.size() != 0 || !exact) continue;
    const Expr words = in_own_words(ws_, given->expr);
    if (size(words).operators >= operators || !fits(ws_, words)) continue;
    shortest = {words, range};
    operators = size(words).operators;
  }
  return shortest;
}

std::vector<Constraint> ConstraintSystem::written(Wording wording) {
  if (ws_.stopped()) return {};
  std::vector<Constraint> out;
  out.reserve(list_.size() + partial_.size());
  for (const LinearConstraint& c : list_) {
    const Form* text = spell(ws_, c.form);
    const Form* negated = affine(ws_, -1, text);
    Interval r = c.range;
    if (cost(negated) < cost(text)) {
      text = negated;
      r = -r;
    }
    Index g = 0;
    for (const Term& t : text->terms()) g = std::gcd(g, t.coefficient);
    if (text->size == 1 && text->terms()[0].coefficient < 0) g = -g;
    Sum sum(ws_);
    for (const Term& t : text->terms()) sum.append(t.coefficient / g, t.atom);
    Index lower = shifted(ws_, r.lower, text->constant);
    Index upper = shifted(ws_, r.upper, text->constant);
    if (g < 0) {
      r = -Interval{lower, upper};
      lower = r.lower;
      upper = r.upper;
      g = -g;
    }
    const Expr expr = to_expr(ws_, sum.intern());
    // A text that may leave 64 bits would lose points. The given constraints lose none within these bounds.
    if (!fits(ws_, expr)) {
      as_written_ = true;
      return {domain_.constraints().begin(), domain_.constraints().end()};
    }
    std::optional<Constraint> given;
    if (wording == Wording::given) given = as_given(c, expr);
    out.push_back(
        given.value_or(Constraint{expr, {scaled_down(lower, g, true), scaled_down(upper, g, false)}}));
  }
  for (std::size_t i = 0; i < ws_.variables.size(); ++i) {
    const VariableState& v = ws_.variables[i];
    if (v.modulus <= 1 || v.bounds.is_point()) continue;
    out.push_back({mod(Expr::variable(static_cast<Index>(i)), v.modulus), Interval::point(v.residue)});
  }
  out.insert(out.end(), partial_.begin(), partial_.end());
  return out;
}

}  // namespace tessera::detail
