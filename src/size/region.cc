// SPDX-License-Identifier: Apache-2.0
// How conditions become substitutions.
#include "size/region.h"

#include <algorithm>

#include "size/limits.h"

namespace tessera::symbolic {
namespace {

using Kind = SizeCondition::Kind;

/// The inverse of a modulo m, where they have no common factor; m >= 1.
Integer inverse_modulo(Integer a, Integer m) {
  Integer r0 = m;
  Integer r1 = floor_mod(a, m);
  Integer t0 = 0;
  Integer t1 = 1;
  while (r1 != 0) {
    const Integer k = r0 / r1;
    t0 -= k * t1;
    r0 -= k * r1;
    std::swap(t0, t1);
    std::swap(r0, r1);
  }
  return floor_mod(t0, m);
}

/// Whether p is linear in v with a coefficient that is a number.
bool is_plainly_linear(const Polynomial& p, SizeVariable v) {
  return p.degree(v) == 1 && p.coefficients(v)[1].is_constant();
}

}  // namespace

void SizeRegion::forget() const {
  proved_.clear();
  shifted_facts_.reset();
  witnesses_.clear();
  witness_patterns_ = 0;
}

void SizeRegion::declare(SizeVariable parameter, const Range& range) {
  if (values_.contains(parameter)) return;
  declared_[parameter] = range;
  if (range.high && *range.high == range.low) {
    values_[parameter] = range.low;
  } else {
    values_[parameter] = Polynomial::of(new_core(range));
  }
}

SizeVariable SizeRegion::new_core(const Range& range) {
  const SizeVariable v = space_->core();
  cores_[v] = range;
  return v;
}

bool SizeRegion::narrow(SizeVariable core, const Range& range) {
  if (range.high && *range.high < range.low) return false;
  forget();
  if (range.high && *range.high == range.low) return replace(core, range.low);
  cores_[core] = range;
  return true;
}

bool SizeRegion::replace(SizeVariable core, const Polynomial& value) {
  forget();
  const auto put = [&](Polynomial& p) { p = p.substituted(core, value); };
  for (auto& [name, p] : values_) put(p);
  for (Polynomial& p : pending_) put(p);
  for (Polynomial& p : facts_) put(p);
  for (Polynomial& p : nonzero_) put(p);
  for (SizeCondition& c : divisors_) {
    put(c.p);
    put(c.q);
  }
  cores_.erase(core);
  for (const Polynomial& p : facts_) {
    if (p.is_constant() && p.constant() < 0) return false;
  }
  for (const Polynomial& p : nonzero_) {
    if (p.is_zero()) return false;
  }
  std::erase_if(facts_, [](const Polynomial& p) { return p.is_constant(); });
  std::erase_if(nonzero_, [](const Polynomial& p) { return p.is_constant(); });
  return true;
}

std::optional<SizeRegion> SizeRegion::with(const SizeCondition& c) const {
  const std::optional<bool> known = decide(c);
  if (known) return *known ? std::optional(*this) : std::nullopt;
  SizeRegion out = *this;
  out.conditions_.push_back(c);
  if (!out.add(c) || !out.add_pending() || !out.simplify_facts() || !out.add_pending() || !out.tighten() ||
      !out.consistent())
    return std::nullopt;
  out.forget();
  return out;
}

bool SizeRegion::add_pending() {
  for (int round = 0; !pending_.empty(); ++round) {
    const Polynomial p = pending_.back();
    pending_.pop_back();
    if (p.is_constant()) {
      if (p.constant() < 0) return false;
    } else if (round > 64) {
      forget();
      facts_.push_back(p);
    } else if (!nonnegative(p) && !add_nonnegative(p)) {
      return false;
    }
  }
  return true;
}

// A substitution may have made a fact one that a core can absorb.
bool SizeRegion::simplify_facts() {
  for (std::size_t n = nonzero_.size(); n > 0 && !nonzero_.empty(); --n) {
    const Polynomial p = without_positive_factors(nonzero_.front());
    nonzero_.erase(nonzero_.begin());
    if (!add_nonzero(p)) return false;
  }
  for (std::size_t n = facts_.size(); n > 0 && !facts_.empty(); --n) {
    const Polynomial p = without_positive_factors(facts_.front());
    facts_.erase(facts_.begin());
    forget();
    if (p.is_constant() && p.constant() < 0) return false;
    if (!nonnegative(p) && !add_nonnegative(p)) return false;
  }
  return true;
}

std::optional<Integer> SizeRegion::largest(const Polynomial& p) const {
  Integer out = 0;
  for (const Polynomial::Term& term : p.terms()) {
    Integer product = term.factor;
    for (const SizeVariable v : term.monomial) {
      const Range& range = cores_.at(v);
      if (range.low < 0 || (term.factor > 0 && !range.high)) return std::nullopt;
      const auto next = checked_mul(product, term.factor > 0 ? *range.high : range.low);
      if (!next) return std::nullopt;
      product = *next;
    }
    const auto next = checked_add(out, product);
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

// By facts as n + d <= 1: each core is below what the others leave. A core that has one value is replaced,
// which may show that nothing is left.
bool SizeRegion::tighten() {
  bool any = false;
  for (int round = 0; round < kSizeLimits.tightenings; ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < facts_.size() && !changed; ++i) {
      const Polynomial& p = facts_[i];
      if (!p.known()) continue;
      for (const SizeVariable v : p.variables()) {
        if (p.degree(v) != 1) continue;
        const std::vector<Polynomial> parts = p.coefficients(v);
        const std::optional<Integer> factor = largest(parts[1]);
        const std::optional<Integer> rest = largest(parts[0]);
        if (!factor || !rest) continue;
        Range range = cores_.at(v);
        if (parts[1].is_constant() && *factor > 0) {
          range.low = std::max(range.low, -floor_div(*rest, *factor));
        } else if (*factor < 0 && (parts[1].is_constant() || range.low >= 0)) {
          const Integer high = floor_div(*rest, -*factor);
          range.high = range.high ? std::min(*range.high, high) : high;
        }
        changed = range.low != cores_.at(v).low || range.high != cores_.at(v).high;
        if (!changed) continue;
        if (!narrow(v, range)) return false;
        break;
      }
    }
    any = any || changed;
    if (!changed) break;
  }
  return !any || (simplify_facts() && add_pending());
}

bool SizeRegion::consistent() const {
  for (const Polynomial& f : facts_) {
    if (nonnegative(-f - 1)) return false;
  }
  for (const SizeCondition& c : divisors_) {
    if (every(variables_of(c), [&](const Point& point) { return !satisfies_facts(point); })) return false;
  }
  return true;
}

bool SizeRegion::add(const SizeCondition& c) {
  Polynomial p = core(c.p);
  // Without a value for a quotient, or a variable for a new core, the condition is only kept: it excludes
  // samples and proves nothing.
  if (space_->is_full() || space_->has_derived(p) || space_->has_derived(core(c.q))) return true;
  if (c.about_divisors()) {
    const Polynomial q = core(c.q);
    return c.kind == Kind::divides ? add_divides(p, q) : add_not_divides(p, q);
  }
  p = without_positive_factors(std::move(p));
  // 1 - x*y*... >= 0 for x, y, ... >= 1: all are 1.
  const Polynomial& one = c.kind == Kind::zero && p.constant() < 0 ? -p : p;
  const bool product = c.kind != Kind::nonzero && one.terms().size() == 2 && one.constant() == 1 &&
                       one.degree() >= 2 && one.terms()[0].factor == -1;
  if (product) {
    const Monomial factors = one.variables();
    if (std::ranges::all_of(factors, [&](SizeVariable v) { return cores_.at(v).low >= 1; })) {
      for (const SizeVariable v : factors) {
        if (cores_.at(v).low > 1 || !replace(v, 1)) return false;
      }
      return true;
    }
  }
  switch (c.kind) {
    case Kind::nonnegative:
      return add_nonnegative(p);
    case Kind::zero:
      return add_zero(p);
    default:
      return add_nonzero(p);
  }
}

bool SizeRegion::add_nonnegative(const Polynomial& p) {
  if (!p.known()) return facts_.push_back(p), true;
  if (p.is_constant()) return p.constant() >= 0;
  const Monomial variables = p.variables();
  if (variables.size() == 1 && is_plainly_linear(p, variables[0])) {  // a number: tighten the interval
    const SizeVariable v = variables[0];
    const Integer factor = p.coefficients(v)[1].constant();
    const Integer rest = p.constant();
    Range range = cores_.at(v);
    if (factor > 0) {
      range.low = std::max(range.low, -floor_div(rest, factor));
    } else {
      const Integer high = floor_div(rest, -factor);
      range.high = range.high ? std::min(*range.high, high) : high;
    }
    return narrow(v, range);
  }
  for (const SizeVariable v : variables) {  // v >= e: v = e + d
    if (p.degree(v) != 1) continue;
    const std::vector<Polynomial> parts = p.coefficients(v);
    const Range range = cores_.at(v);
    if (!(parts[1] == Polynomial(1)) || range.high) continue;
    const Polynomial e = -parts[0];
    if (nonnegative(e - range.low)) return replace(v, e + Polynomial::of(new_core({0, {}})));
  }
  forget();
  facts_.push_back(p);
  return true;
}

bool SizeRegion::add_zero(const Polynomial& p) {
  if (p.is_constant()) return p.constant() == 0;
  const Monomial variables = p.variables();
  for (const SizeVariable v : variables) {
    if (!is_plainly_linear(p, v)) continue;
    const std::vector<Polynomial> parts = p.coefficients(v);
    const Integer factor = parts[1].constant();
    if (factor != 1 && factor != -1) continue;
    const Polynomial e = parts[0] * -factor;
    const Range range = cores_.at(v);
    pending_.push_back(e - range.low);
    if (range.high) pending_.push_back(Polynomial(*range.high) - e);
    return replace(v, e);
  }
  if (variables.size() == 1 && p.degree() == 1) {  // c*v == k
    const SizeVariable v = variables[0];
    const Integer factor = p.coefficients(v)[1].constant();
    const Range range = cores_.at(v);
    if (p.constant() % factor != 0) return false;
    const Integer value = -p.constant() / factor;
    if (value < range.low || (range.high && value > *range.high)) return false;
    return replace(v, value);
  }
  forget();
  facts_.push_back(p);
  facts_.push_back(-p);
  return true;
}

bool SizeRegion::add_nonzero(const Polynomial& p) {
  if (p.is_constant()) return p.constant() != 0;
  const Monomial variables = p.variables();
  if (variables.size() == 1 && p.degree() == 1) {
    const SizeVariable v = variables[0];
    const Integer factor = p.coefficients(v)[1].constant();
    if (p.constant() % factor != 0) return true;
    const Integer value = -p.constant() / factor;
    Range range = cores_.at(v);
    if (value == range.low) {
      ++range.low;
      return narrow(v, range);
    }
    if (range.high && value == *range.high) {
      --*range.high;
      return narrow(v, range);
    }
    if (value < range.low || (range.high && value > *range.high)) return true;
  }
  forget();
  nonzero_.push_back(p);
  return true;
}

bool SizeRegion::add_divides(Polynomial p, Polynomial q) {
  const SizeCondition as_given{Kind::divides, p, q};
  const auto keep = [&] {
    forget();
    divisors_.push_back(as_given);
    return true;
  };
  cancel(p, q);
  if (!p.known() || !q.known()) return keep();
  if (p.is_constant() && !q.is_constant()) {  // q divides a number: q <= |number|
    keep();
    if (p.constant() != 0)
      pending_.push_back(Polynomial(p.constant() < 0 ? -p.constant() : p.constant()) - q);
    return true;
  }
  if (q.is_constant()) {
    const Integer k = q.constant();
    if (k < 1 || k > kSizeLimits.modulus) return keep();
    const Polynomial r = p.modulo(k);
    const Monomial variables = r.variables();
    if (variables.empty()) return r.constant() % k == 0;
    if (variables.size() == 1 && r.degree() == 1) {  // v == x0 modulo m
      const SizeVariable v = variables[0];
      const Integer factor = r.coefficients(v)[1].constant();
      const Integer g = gcd(factor, k);
      if (r.constant() % g != 0) return false;
      const Integer m = k / g;
      if (m == 1) return true;
      const Integer x0 = floor_mod(-(r.constant() / g) * inverse_modulo(factor / g, m), m);
      const Range range = cores_.at(v);
      Range t{-floor_div(x0 - range.low, m), {}};  // m*t + x0 >= low
      if (range.high) t.high = floor_div(*range.high - x0, m);
      if (t.high && *t.high < t.low) return false;
      const SizeVariable core = new_core(t);
      return replace(v, Polynomial::of(core) * m + x0) && narrow(core, t);
    }
    for (const SizeVariable v : variables) {  // a unit: v = k*t - rest
      if (!is_plainly_linear(r, v)) continue;
      const std::vector<Polynomial> parts = r.coefficients(v);
      if (gcd(parts[1].constant(), k) != 1) continue;
      const Polynomial rest = (parts[0] * inverse_modulo(parts[1].constant(), k)).modulo(k);
      const Polynomial at_lows = shifted(rest);
      if (!at_lows.has_no_negative()) continue;
      const Range range = cores_.at(v);
      // k*t >= low + rest >= low + (rest at the lower ends)
      const Integer low = -floor_div(-(range.low + at_lows.constant()), k);
      const Polynomial e = Polynomial::of(new_core({low, {}})) * k - rest;
      pending_.push_back(e - range.low);
      if (range.high) pending_.push_back(Polynomial(*range.high) - e);
      return replace(v, e);
    }
    return keep();
  }
  if (!nonnegative(q - 1)) return keep();
  p = p.divide(q).rest;
  if (!p.known()) return keep();
  if (p.is_zero()) return true;
  for (const SizeVariable v : p.variables()) {  // one core and a number: v = q*t + number
    if (!is_plainly_linear(p, v) || q.has(v)) continue;
    const std::vector<Polynomial> parts = p.coefficients(v);
    const Integer factor = parts[1].constant();
    if ((factor != 1 && factor != -1) || !parts[0].is_constant()) continue;
    const Integer number = -parts[0].constant() * factor;
    const Range range = cores_.at(v);
    // q*t >= low - number and q >= 1.
    const Integer low = range.low - number >= 1 ? 1 : range.low - number;
    const Polynomial e = q * Polynomial::of(new_core({low, {}})) + number;
    pending_.push_back(e - range.low);
    if (range.high) pending_.push_back(Polynomial(*range.high) - e);
    return replace(v, e);
  }
  return keep();
}

bool SizeRegion::add_not_divides(Polynomial p, Polynomial q) {
  const SizeCondition as_given{Kind::not_divides, p, q};
  cancel(p, q);
  if (p.known() && q.is_constant() && q.constant() >= 1 && q.constant() <= kSizeLimits.modulus) {
    const Integer k = q.constant();
    const Polynomial r = p.modulo(k);
    const Monomial variables = r.variables();
    if (variables.empty()) return r.constant() % k != 0;
    if (variables.size() == 1 && r.degree() == 1) {
      const SizeVariable v = variables[0];
      const Integer factor = r.coefficients(v)[1].constant();
      const Integer g = gcd(factor, k);
      if (r.constant() % g != 0) return true;
      const Integer m = k / g;
      if (m == 1) return false;
      const Integer x0 = floor_mod(-(r.constant() / g) * inverse_modulo(factor / g, m), m);
      const Range range = cores_.at(v);
      // v = m*t + x0 + s with s in [1, m - 1]
      Range t{-floor_div(x0 + m - 1 - range.low, m), {}};
      if (range.high) t.high = floor_div(*range.high - x0 - 1, m);
      if (t.high && *t.high < t.low) return false;
      const Polynomial s = m == 2 ? Polynomial(1) : Polynomial::of(new_core({1, m - 1}));
      const SizeVariable core = new_core(t);
      const Polynomial e = Polynomial::of(core) * m + x0 + s;
      pending_.push_back(e - range.low);
      if (range.high) pending_.push_back(Polynomial(*range.high) - e);
      return replace(v, e) && narrow(core, t);
    }
  }
  forget();
  divisors_.push_back(as_given);
  return true;
}

SizeRegion::Settled SizeRegion::settle(const SizeCondition& c) {
  Settled out = settle(c.p);
  return out.ok() && c.about_divisors() ? settle(c.q) : out;
}

SizeRegion::Settled SizeRegion::settle(const Polynomial& p) {
  if (!p.known()) return {.failed = true};
  for (const SizeVariable v : p.variables()) {
    if (values_.contains(v)) continue;
    if (Settled part = resolve(v); !part.ok()) return part;
  }
  return {};
}

SizeRegion::Settled SizeRegion::resolve(SizeVariable derived) {
  const VariableInfo info = (*space_)[derived];
  if (!space_->is_derived(derived) || space_->is_full()) return {.failed = true};
  for (const Polynomial& p : {info.a, info.b}) {
    if (Settled part = settle(p); !part.ok()) return part;
  }
  const auto keep = [&](const Polynomial& value) {
    values_[derived] = value;
    forget();
    return Settled{};
  };
  const auto split_on = [](const SizeCondition& c) { return Settled{.split = c}; };
  if (info.kind == VariableInfo::Kind::minimum) {
    const SizeCondition ordered = at_least(info.b, info.a);
    const std::optional<bool> less = decide(ordered);
    return less ? keep(core(*less ? info.a : info.b)) : split_on(ordered);
  }
  const Polynomial a = core(info.a);
  const Polynomial b = core(info.b);
  if (!a.known() || !b.known()) return {.failed = true};
  if (!nonnegative(b - 1)) {
    if (nonnegative(-b)) return {.failed = true};
    const SizeCondition positive = at_least(info.b, 1);
    return decide(positive) ? Settled{.failed = true} : split_on(positive);
  }
  if (const auto q = floor_quotient(a, b)) return keep(*q);
  const SizeCondition whole = reduced({Kind::divides, info.ceil ? info.a - info.b + 1 : info.a, info.b});
  if (Settled part = settle(whole); !part.ok()) return part;
  const std::optional<bool> exact = decide(whole);
  if (!exact) return split_on(whole);
  const SizeCondition sign = at_least(info.a, 0);
  const std::optional<bool> at_least_0 = nonnegative(a) ? true : decide(sign);
  if (!at_least_0) return split_on(sign);
  // A core with the facts that define it: 0 <= a - b*q <= b - 1. One of the ends is where the quotient is
  // exact, so q is that end, or is not.
  const Polynomial core_of_q = Polynomial::of(new_core({*at_least_0 ? 0 : 1, {}}));
  const Polynomial q = *at_least_0 ? core_of_q : -core_of_q;
  const Polynomial rest = info.ceil ? b * q - (a - b + 1) : a - b * q;
  facts_.push_back(*exact ? rest : rest - 1);
  facts_.push_back(*exact ? -rest : b - 1 - rest);
  return keep(q);
}

bool is_never_power_of_two(const Polynomial& p, const SizeRegion& region) {
  const Polynomial core = region.core(p);
  if (!core.known() || region.space().has_derived(core)) return false;
  Integer odd = core.content();
  while (odd > 0 && odd % 2 == 0) odd /= 2;
  return odd > 1;
}

}  // namespace tessera::symbolic
