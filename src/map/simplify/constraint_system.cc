// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/constraint_system.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "expr/form/convert.h"
#include "expr/form/floor_div.h"
#include "expr/form/rebuild.h"
#include "expr/form/upper_halves.h"
#include "expr/limits.h"
#include "expr/questions/divisors.h"
#include "expr/questions/overflow.h"
#include "expr/questions/quick.h"
#include "expr/spelling/read_back.h"
#include "expr/spelling/spell.h"
#include "map/simplify/bounds.h"
#include "map/simplify/constraint_points.h"
#include "map/simplify/constraint_redundancy.h"

namespace tessera::detail {
namespace {

// Whether the constraint is x mod n = r.
bool is_congruence(const Constraint& c) { return c.range.is_point() && is_variable_mod(c.expr); }

}  // namespace

ConstraintSystem::ConstraintSystem(Workspace& ws, const Domain& domain)
    : ws_(ws), domain_(domain), bounds_(ws) {
  const std::span<const Constraint> given = domain.constraints();
  given_ = {ws.arena.array<const Constraint*>(given.size()), given.size()};
  std::ranges::transform(given, given_.begin(), [](const Constraint& c) { return &c; });
  std::ranges::sort(given_,
                    [](const Constraint* a, const Constraint* b) { return compare(a->expr, b->expr) < 0; });
  list_.reserve(given.size());
  read_given();
}

// Reads congruences of variables before the other constraints: texts were written with them known, so a
// second simplification must read them the same way.
void ConstraintSystem::read_given() {
  for (const Constraint* c : given_) {
    if (!is_congruence(*c)) continue;
    sort_in(*c);
    if (list_.empty()) continue;
    const ConstraintEffect effect = normalize(ws_, bounds_, list_.back());
    if (effect == ConstraintEffect::none) list_.pop_back();
    ws_.infeasible |= effect == ConstraintEffect::empties;
    ws_.changed();
  }
  for (const Constraint* c : given_) {
    if (!is_congruence(*c)) sort_in(*c);
  }
}

// Bounds that still change after so many rounds approach a distant limit slowly, and a second simplification
// would change them further. Such variables keep their original bounds.
void ConstraintSystem::start_over() {
  bounds_.freeze_watched();
  for (std::size_t i = 0; i < domain_.variable_count(); ++i) {
    ws_.variables[i] = VariableState{.bounds = domain_.variables()[i].bounds};
  }
  list_.clear();
  partial_.clear();
  ws_.changed();
  ++ws_.run;  // invalidates the cached bits of values, which assume the narrower bounds
  read_given();
}

void ConstraintSystem::sort_in(const Constraint& c) {
  const Form* form = convert(ws_, c.expr);
  if (ends_read_as_infinite(c.range) || (ws_.partial && may_divide_by_zero(ws_, c.expr)) ||
      !stays_in_64_bits(ws_, c.expr)) {
    partial_.push_back(c);
  } else {
    list_.push_back({form, c.range});
  }
}

void ConstraintSystem::sort() {
  std::ranges::sort(list_,
                    [](const LinearConstraint& a, const LinearConstraint& b) { return precedes(a, b); });
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
  for (int round = 0; round < kLimits.rounds; ++round) {
    if (ws_.stopped()) return true;
    const bool last_round = round + 1 == kLimits.rounds;
    bounds_.start_round(last_round);
    bool changed = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const LinearConstraint before_step = list_[i];
      LinearConstraint c = before_step;
      const ConstraintEffect effect = normalize(ws_, bounds_, c);
      if (effect == ConstraintEffect::empties) return false;
      changed |=
          effect == ConstraintEffect::none || c.form != before_step.form || c.range != before_step.range;
      if (effect != ConstraintEffect::narrows) continue;
      while (const auto digit = split_off_digit(ws_, c)) {
        list_.push_back(*digit);
        changed = true;
      }
      list_[kept++] = c;
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
    if (last_round && bounds_.any_watched() && restarts_ < kLimits.restarts) {
      ++restarts_;
      round = -1;
      start_over();
    }
  }
  return true;
}

// Reads the text of each form. True if one changed, so that the rounds must run again.
bool ConstraintSystem::reread() {
  bool changed = false;
  for (LinearConstraint& c : list_) {
    if (c.form->quotients == 0 && !c.form->has_max0) continue;
    const Form* again = read_back(ws_, spell(ws_, c.form));
    changed |= again != c.form;
    c.form = again;
  }
  return changed;
}

bool ConstraintSystem::propagate() { return run_rounds(); }

bool ConstraintSystem::solve() {
  for (int pass = 0; pass < kLimits.passes; ++pass) {
    if (!run_rounds()) return false;
    bool changed = reread();
    if (!changed && !strengthen(changed)) return false;
    if (ws_.stopped()) break;
    if (!changed && !take_in_partial()) break;
  }
  sort();
  return true;
}

// Calls `step` with the constraints of each group, which it may change, until it returns false. Constraints
// of different groups have no variable in common, so they do not affect each other.
template <class Step>
bool ConstraintSystem::for_each_group(const Step& step) {
  if (list_.size() == 1) return step(list_);
  std::vector<std::uint64_t> groups;  // the variables of each: their numbers modulo 64
  for (const LinearConstraint& c : list_) {
    std::uint64_t joined = c.form->mask;
    std::erase_if(groups, [&](std::uint64_t group) {
      const bool common = (group & c.form->mask) != 0;
      if (common) joined |= group;
      return common;
    });
    groups.push_back(joined);
  }
  if (groups.size() == 1) return step(list_);
  const std::vector<LinearConstraint> all = std::exchange(list_, {});
  std::vector<LinearConstraint> group;
  for (const std::uint64_t variables : groups) {
    group.clear();
    std::ranges::copy_if(all, std::back_inserter(group),
                         [&](const LinearConstraint& c) { return (c.form->mask & variables) != 0; });
    if (!step(group)) return false;
    list_.insert(list_.end(), group.begin(), group.end());
  }
  return true;
}

// Runs the expensive steps, each only if the previous one changed nothing. False if the domain is empty.
bool ConstraintSystem::strengthen(bool& changed) {
  if (list_.empty() || ws_.stopped()) return true;
  const auto redundancy = [&](std::vector<LinearConstraint>& group) {
    return drop_redundant(ws_, group, changed);
  };
  if (!for_each_group(redundancy)) return false;
  if (changed) return true;
  sort();
  std::uint64_t work = kLimits.exact_work;
  const auto points = [&](std::vector<LinearConstraint>& group) {
    return decide_by_points(ws_, group, work, changed);
  };
  if (!for_each_group(points)) return false;
  if (changed && !ws_.stopped()) {
    ws_.changed();
    for (LinearConstraint& c : list_) c.form = rebuild(ws_, c.form);
  }
  return true;
}

// Moves constraints from partial_ to the others if narrower variables now exclude 0 from their divisors. True
// if there were any.
bool ConstraintSystem::take_in_partial() {
  const std::vector<Constraint> before = std::exchange(partial_, {});
  for (const Constraint& c : before) sort_in(c);
  return partial_.size() < before.size();
}

void ConstraintSystem::set_facts() {
  ws_.facts.clear();
  if (list_.empty()) return;
  std::vector<Fact> facts;
  facts.swap(ws_.facts);  // reuses the memory; no new fact takes effect until the end
  for (const LinearConstraint& c : list_) {
    facts.push_back({c.form, c.range});
    // An aligned block: L in [l, l + w-1] with w | l is floor(L / w) = l / w.
    Index w = 0;
    if (!c.range.is_finite() || sub_overflows(c.range.upper, c.range.lower, w) || add_overflows(w, 1, w) ||
        w < 2 || c.range.lower % w != 0) {
      continue;
    }
    LinearConstraint block{without_upper_halves(ws_, divide(ws_, c.form, w)),
                           Interval::point(c.range.lower / w)};
    if (block.form->is_constant() || !strip(ws_, block)) continue;
    facts.push_back({block.form, block.range});
  }
  ws_.facts = std::move(facts);
  ws_.changed();
}

std::vector<Constraint> ConstraintSystem::spelled() {
  if (ws_.stopped()) return {};
  std::vector<Constraint> out;
  out.reserve(list_.size() + partial_.size());
  for (const LinearConstraint& c : list_) {
    Text text = spell(ws_, c.form);
    const Text negated = affine(ws_, -1, text);
    Interval r = c.range;
    if (cost(negated) < cost(text)) {
      text = negated;
      r = -r;
    }
    Index g = 0;
    for (const Term& t : text->terms()) g = std::gcd(g, t.coefficient);
    if (text->size == 1 && text->terms()[0].coefficient < 0) g = -g;
    TextSum sum(ws_);
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
    // A text that may overflow 64 bits would lose points. The given constraints lose none within these
    // bounds.
    if (!stays_in_64_bits(ws_, expr)) {
      as_given_ = true;
      return {domain_.constraints().begin(), domain_.constraints().end()};
    }
    out.push_back({expr, {scaled_down(lower, g, true), scaled_down(upper, g, false)}});
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
