// SPDX-License-Identifier: Apache-2.0
// Divisibility, zeros, quotients, and decisions about conditions.
#include <algorithm>
#include <array>

#include "size/limits.h"
#include "size/region.h"

namespace tessera::symbolic {

using Kind = SizeCondition::Kind;

Polynomial SizeRegion::without_positive_factors(Polynomial p) const {
  if (!p.known() || p.is_zero()) return p;
  for (const SizeVariable v : p.variables()) {
    const auto found = cores_.find(v);
    if (found == cores_.end() || found->second.low < 1) continue;
    while (std::ranges::all_of(p.terms(), [&](const auto& t) { return has(t.monomial, v); }))
      p = *p.exact_quotient(Polynomial::of(v));
  }
  return p;
}

void SizeRegion::cancel(Polynomial& p, Polynomial& q) const {
  if (!p.known() || !q.known() || q.is_zero()) return;
  const Integer g = gcd(p.content(), q.content());
  if (g > 1) {
    p = p.divided(g);
    q = q.divided(g);
  }
  if (p.is_zero()) return;
  for (const SizeVariable v : q.variables()) {
    const auto found = cores_.find(v);
    if (found == cores_.end() || found->second.low < 1) continue;
    const auto everywhere = [&](const Polynomial& x) {
      return std::ranges::all_of(x.terms(), [&](const auto& t) { return has(t.monomial, v); });
    };
    while (everywhere(p) && everywhere(q)) {
      p = *p.exact_quotient(Polynomial::of(v));
      q = *q.exact_quotient(Polynomial::of(v));
    }
  }
}

std::optional<bool> SizeRegion::zero(const Polynomial& p) const {
  if (!p.known()) return std::nullopt;
  if (p.is_constant()) return p.is_zero();
  if (nonnegative(p - 1) || nonnegative(-p - 1)) return false;
  for (const Polynomial& f : nonzero_) {
    if (f.exact_quotient(p)) return false;  // f = p * x != 0
  }
  for (const Integer m : {2, 3, 4, 5, 8}) {
    const Polynomial r = p.modulo(m);
    if (r.is_constant() && r.constant() != 0) return false;
  }
  if (nonnegative(p) && nonnegative(-p)) return true;
  return common(p.variables(), [&](const Point& point) -> std::optional<bool> {
    const auto value = p.evaluate(point);
    return value ? std::optional(*value == 0) : std::nullopt;
  });
}

std::optional<bool> SizeRegion::divides(Polynomial p, Polynomial q) const {
  if (!p.known() || !q.known() || !nonnegative(q - 1)) return std::nullopt;
  if (p.is_zero()) return true;
  for (const SizeCondition& c : divisors_) {
    if (c.p == p && c.q == q) return c.kind == Kind::divides;
  }
  cancel(p, q);
  const auto known =
      common(variables_of({Kind::divides, p, q}), [&](const Point& point) -> std::optional<bool> {
        const auto x = p.evaluate(point);
        const auto y = q.evaluate(point);
        if (!x || !y || *y < 1) return std::nullopt;
        return floor_mod(*x, *y) == 0;
      });
  if (known) return known;
  if (q.is_constant()) {
    const Integer k = q.constant();
    if (k == 1) return true;
    const Polynomial r = p.modulo(k);
    if (r.is_constant()) return r.constant() % k == 0;
    // The residues of the cores decide.
    const Monomial variables = r.variables();
    std::vector<Range> ranges;
    Integer count = 1;
    for (const SizeVariable v : variables) {
      Range range = cores_.at(v);
      if (!range.high || *range.high > range.low + k - 1) range.high = range.low + k - 1;
      const Integer extent = *range.high - range.low + 1;
      if (extent > kSizeLimits.residues) return std::nullopt;
      count *= extent;
      if (count > kSizeLimits.residues) return std::nullopt;
      ranges.push_back(range);
    }
    std::optional<bool> out;
    for (Integer i = 0; i < count; ++i) {
      Integer rest = i;
      Point point{variables, {}};
      for (const Range& range : ranges) {
        const Integer extent = *range.high - range.low + 1;
        point.values.push_back(range.low + rest % extent);
        rest /= extent;
      }
      const auto value = r.evaluate(point);
      if (!value) return std::nullopt;
      const bool here = floor_mod(*value, k) == 0;
      if (out && *out != here) return std::nullopt;
      out = here;
    }
    return out;
  }
  const Polynomial r = p.divide(q).rest;
  if (!r.known()) return std::nullopt;
  if (r.is_zero()) return true;
  if (nonnegative(r - 1) && nonnegative(q - 1 - r)) return false;
  if (nonnegative(-r - 1) && nonnegative(q - 1 + r)) return false;
  return std::nullopt;
}

std::optional<Polynomial> SizeRegion::floor_quotient(const Polynomial& p, const Polynomial& q) const {
  if (q == Polynomial(1)) return p;
  const auto accepts = [&](const Polynomial& rest) { return nonnegative(rest) && nonnegative(q - 1 - rest); };
  const auto shifted_to_fit = [&](const Polynomial& a, const Polynomial& r) -> std::optional<Polynomial> {
    if (!a.known() || !r.known()) return std::nullopt;
    for (const int shift : {0, 1, -1}) {
      if (accepts(r - q * shift)) return a + shift;
    }
    return std::nullopt;
  };
  if (q.is_constant()) {
    const Integer k = q.constant();
    const Polynomial r = p.modulo(k);
    if (r.is_constant()) return p.divided(k);
    if (const auto found = shifted_to_fit(p.divided(k), r)) return found;
    Polynomial near;  // coefficients nearest to 0
    for (const Polynomial::Term& t : p.terms()) {
      const Integer c = floor_mod(t.factor, k);
      if (c != 0) near = near + Polynomial::of(t.monomial, !t.monomial.empty() && 2 * c > k ? c - k : c);
    }
    const auto a = (p - near).exact_quotient(q);
    return a ? shifted_to_fit(*a, near) : std::nullopt;
  }
  for (const bool partial : {false, true}) {
    const Polynomial::Division d = p.divide(q, partial);
    if (const auto found = shifted_to_fit(d.quotient, d.rest)) return found;
  }
  return std::nullopt;
}

std::optional<bool> SizeRegion::decide(const SizeCondition& c) const {
  for (const SizeCondition& known : conditions_) {
    if (known == c) return true;
    if (known.negated() == c) return false;
  }
  return decide_plain(c);
}

// Parameters from the lower ends of their intervals on, whatever the cores are.
bool SizeRegion::nonnegative_as_written(const Polynomial& p) const {
  std::map<SizeVariable, Polynomial> lows;
  for (const SizeVariable v : p.variables()) {
    const auto found = declared_.find(v);
    if (found == declared_.end()) return false;
    if (found->second.low != 0) lows[v] = Polynomial::of(v) + found->second.low;
  }
  return p.substituted(lows).has_no_negative();
}

std::optional<bool> SizeRegion::decide_plain(const SizeCondition& c) const {
  if (c.kind == Kind::nonnegative && nonnegative_as_written(c.p)) return true;
  if (c.kind == Kind::nonnegative && nonnegative_as_written(-c.p - 1)) return false;
  const bool equality = c.kind == Kind::zero || c.kind == Kind::nonzero;
  if (equality && (nonnegative_as_written(c.p - 1) || nonnegative_as_written(-c.p - 1)))
    return c.kind == Kind::nonzero;
  Polynomial p = core(c.p);
  if (!p.known() || space_->has_derived(p)) return std::nullopt;
  if (c.about_divisors()) {
    const Polynomial q = core(c.q);
    if (space_->has_derived(q)) return std::nullopt;
    const std::optional<bool> known = divides(p, q);
    return known ? std::optional(*known == (c.kind == Kind::divides)) : std::nullopt;
  }
  p = without_positive_factors(std::move(p));
  if (c.kind == Kind::nonnegative) {
    if (nonnegative(p)) return true;
    if (nonnegative(-p - 1)) return false;
    return std::nullopt;
  }
  const std::optional<bool> known = zero(p);
  return known ? std::optional(*known == (c.kind == Kind::zero)) : std::nullopt;
}

SizeRegion::Verdict SizeRegion::judge(const SizeCondition& c) {
  const bool equality = c.kind == Kind::zero || c.kind == Kind::nonzero;
  if (equality && space_->has_derived(c.p)) {
    Verdict out;
    bool both = true;
    bool lowered = true;
    for (const Polynomial& p : {c.p, -c.p}) {
      const SizeCondition given{Kind::nonnegative, p, {}};
      const SizeCondition side = reduced(given);
      lowered = lowered && !space_->has_derived(side.p);
      if (!lowered) break;
      const std::optional<bool> known = decide(side);
      if (known && !*known) return {.holds = c.kind == Kind::nonzero};
      if (!known) {
        both = false;
        if (!out.split) out.split = side;
      }
    }
    if (lowered && both) return {.holds = c.kind == Kind::zero};
    if (lowered) return out;
  }
  const Settled settled = settle(c);
  if (!settled.ok()) return {.split = settled.split, .failed = settled.failed};
  const std::optional<bool> known = decide(c);
  return known ? Verdict{.holds = known} : Verdict{.split = c};
}

bool SizeRegion::refutes(const SizeCondition& c) const {
  SizeRegion copy = *this;
  const Verdict v = copy.judge(c);
  return v.holds && !*v.holds;
}

bool SizeRegion::proves(const SizeCondition& c) const {
  SizeRegion copy = *this;
  return copy.judge(c).holds.value_or(false);
}

// floor(a / b) >= k iff a >= k * b.
static SizeCondition without_one_quotient(const Space& space, SizeCondition c) {
  while (c.kind == Kind::nonnegative) {
    std::vector<SizeVariable> derived;
    for (const SizeVariable v : c.p.variables()) {
      if (space.is_derived(v)) derived.push_back(v);
    }
    if (derived.size() != 1 || space[derived[0]].kind != VariableInfo::Kind::quotient) return c;
    if (c.p.degree(derived[0]) != 1) return c;
    const std::vector<Polynomial> parts = c.p.coefficients(derived[0]);
    if (!parts[1].is_constant()) return c;
    Integer factor = parts[1].constant();
    Polynomial rest = parts[0];
    if (factor != 1 && factor != -1) {
      if (!rest.is_constant()) return c;
      rest = floor_div(rest.constant(), factor < 0 ? -factor : factor);
      factor = factor < 0 ? -1 : 1;
    }
    const VariableInfo& info = space[derived[0]];
    c = factor > 0 ? at_least(info.a + rest * info.b, 0) : at_least(rest * info.b + info.b - 1, info.a);
  }
  return c;
}

SizeCondition SizeRegion::reduced(SizeCondition c) const {
  c = without_one_quotient(*space_, std::move(c));
  if (!c.p.known() || !c.q.known()) return c;
  // A size with one value is that number: M*N >= 200 is N >= 4 where M == 64.
  std::map<SizeVariable, Polynomial> known;
  for (const SizeVariable v : (c.p * c.q + c.p + c.q).variables()) {
    const auto found = values_.find(v);
    if ((*space_)[v].kind == VariableInfo::Kind::parameter && found != values_.end() &&
        found->second.is_constant())
      known.emplace(v, found->second);
  }
  if (!known.empty()) {
    SizeCondition fixed{c.kind, c.p.substituted(known), c.q.substituted(known)};
    if (fixed.p.known() && fixed.q.known() && !fixed.p.is_constant()) c = std::move(fixed);
  }
  if (!c.about_divisors() && !c.p.is_zero() && c.p.constant() == 0) {
    for (const SizeVariable v : c.p.variables()) {
      if ((*space_)[v].kind != VariableInfo::Kind::parameter || !values_.contains(v)) continue;
      const auto everywhere = [&] {
        return std::ranges::all_of(c.p.terms(), [&](const auto& t) { return has(t.monomial, v); });
      };
      while (everywhere() && nonnegative(values_.at(v) - 1)) c.p = *c.p.exact_quotient(Polynomial::of(v));
    }
  }
  if (c.kind == Kind::nonnegative) {
    const Integer number = c.p.constant();
    const Integer g = (c.p - number).content();
    if (g > 1) c.p = c.p.divided(g);
  } else if (!c.about_divisors()) {
    const Integer g = c.p.content();
    if (g > 1) c.p = c.p.divided(g);
    if (!c.p.is_zero() && c.p.terms()[0].factor < 0) c.p = -c.p;
  } else if (c.q.is_constant() && c.q.constant() >= 1) {
    Integer k = c.q.constant();
    c.p = c.p.modulo(k);
    const Integer g = gcd(c.p.content(), k);
    if (g > 1) {
      c.p = c.p.divided(g);
      k /= g;
    }
    c.q = k;
  }
  return c;
}

}  // namespace tessera::symbolic
