// SPDX-License-Identifier: Apache-2.0
#include "size/space.h"

#include <algorithm>
#include <iterator>

#include "size/limits.h"

namespace tessera::symbolic {

SizeCondition SizeCondition::negated() const {
  switch (kind) {
    case Kind::nonnegative:
      return {Kind::nonnegative, -p - 1, {}};
    case Kind::zero:
      return {Kind::nonzero, p, {}};
    case Kind::nonzero:
      return {Kind::zero, p, {}};
    case Kind::divides:
      return {Kind::not_divides, p, q};
    case Kind::not_divides:
      break;
  }
  return {Kind::divides, p, q};
}

Monomial variables_of(const SizeCondition& c) {
  Monomial out;
  std::ranges::set_union(c.p.variables(), c.q.variables(), std::back_inserter(out));
  return out;
}

SizeVariable Space::add(VariableInfo info) {
  variables_.push_back(std::move(info));
  return static_cast<SizeVariable>(variables_.size() - 1);
}

SizeVariable Space::parameter(std::string_view name) {
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    if (variables_[v].kind == VariableInfo::Kind::parameter && variables_[v].name == name)
      return static_cast<SizeVariable>(v);
  }
  return add({.kind = VariableInfo::Kind::parameter, .name = std::string(name)});
}

SizeVariable Space::core() { return add({.kind = VariableInfo::Kind::core}); }

std::vector<SizeVariable> Space::parameters() const {
  std::vector<SizeVariable> out;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    if (variables_[v].kind == VariableInfo::Kind::parameter) out.push_back(static_cast<SizeVariable>(v));
  }
  return out;
}

bool Space::has_derived(const Polynomial& p) const {
  return std::ranges::any_of(p.variables(), [&](SizeVariable v) { return is_derived(v); });
}

Polynomial Space::quotient(const Polynomial& a, const Polynomial& b) {
  // A question that needs a tenth of the variables is not decided anyway.
  const bool is_crowded = variables_.size() > kSizeLimits.variables / 10;
  if (!a.known() || !b.known() || b.is_zero() || is_crowded) return Polynomial::unknown();
  if (b.is_constant() && b.constant() < 1) return Polynomial::unknown();
  if (const auto whole = a.exact_quotient(b)) return *whole;
  Polynomial num = a;
  Polynomial den = b;
  // floor((floor(x / m) + y) / n) = floor((x + m*y) / (m*n)), if y and n have no quotient.
  for (const SizeVariable v : num.variables()) {
    if (variables_[v].kind != VariableInfo::Kind::quotient || num.degree(v) != 1) continue;
    const std::vector<Polynomial> parts = num.coefficients(v);
    if (!(parts[1] == Polynomial(1)) || has_derived(parts[0]) || has_derived(den)) continue;
    const VariableInfo inner = variables_[v];
    num = inner.a + inner.b * parts[0];
    den = inner.b * den;
    break;
  }
  Polynomial out;
  if (den.is_constant()) {
    const Integer k = den.constant();
    for (const Polynomial::Term& t : num.terms()) {
      if (t.monomial.empty() || t.factor % k == 0)
        out = out + Polynomial::of(t.monomial, floor_div(t.factor, k));
    }
    num = num - out * den;
    Integer g = k;
    for (const Polynomial::Term& t : num.terms()) {
      if (!t.monomial.empty()) g = gcd(g, t.factor);
    }
    if (g > 1) {
      num = num.divided(g);
      den = k / g;
    }
    if (den == Polynomial(1)) return out + num;
    if (num.is_constant()) return out + floor_div(num.constant(), den.constant());
  } else {
    // floor((g*x + s) / (g*y)) = floor(x / y) for 0 <= s < g, a number.
    Integer g = den.content();
    for (const Polynomial::Term& t : num.terms()) {
      if (!t.monomial.empty()) g = gcd(g, t.factor);
    }
    if (g > 1) {
      num = num.divided(g);
      den = den.divided(g);
    }
  }
  if (!num.known() || !den.known() || !out.known()) return Polynomial::unknown();
  if (const auto whole = num.exact_quotient(den)) return out + *whole;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const VariableInfo& known = variables_[v];
    if (known.kind == VariableInfo::Kind::quotient && known.a == num && known.b == den)
      return out + Polynomial::of(static_cast<SizeVariable>(v));
  }
  const Polynomial up = num - den + 1;
  const bool ceil = up.terms().size() < num.terms().size();
  return out + Polynomial::of(add({VariableInfo::Kind::quotient, "", num, den, ceil}));
}

Polynomial Space::minimum(const Polynomial& a, const Polynomial& b) {
  if (!a.known() || !b.known() || is_full()) return Polynomial::unknown();
  const Polynomial difference = a - b;
  if (difference.is_constant()) return difference.constant() <= 0 ? a : b;
  const Polynomial& first = b < a ? b : a;
  const Polynomial& second = b < a ? a : b;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const VariableInfo& known = variables_[v];
    if (known.kind == VariableInfo::Kind::minimum && known.a == first && known.b == second)
      return Polynomial::of(static_cast<SizeVariable>(v));
  }
  return Polynomial::of(add({VariableInfo::Kind::minimum, "", first, second, false}));
}

std::optional<Integer> Space::value(const Polynomial& p, const std::map<SizeVariable, Integer>& sizes) const {
  return p.evaluate([&](SizeVariable v) -> std::optional<Integer> {
    if (const auto found = sizes.find(v); found != sizes.end()) return found->second;
    if (!is_derived(v)) return std::nullopt;
    const VariableInfo& info = variables_[v];
    const std::optional<Integer> a = value(info.a, sizes);
    const std::optional<Integer> b = value(info.b, sizes);
    if (!a || !b) return std::nullopt;
    if (info.kind == VariableInfo::Kind::minimum) return std::min(*a, *b);
    return *b < 1 ? std::nullopt : std::optional(floor_div(*a, *b));
  });
}

bool Space::divides_below_one(const Polynomial& p, const std::map<SizeVariable, Integer>& sizes) const {
  return std::ranges::any_of(p.variables(), [&](SizeVariable v) {
    if (!is_derived(v)) return false;
    const VariableInfo& info = variables_[v];
    if (divides_below_one(info.a, sizes) || divides_below_one(info.b, sizes)) return true;
    if (info.kind != VariableInfo::Kind::quotient) return false;
    const std::optional<Integer> b = value(info.b, sizes);
    return b && *b < 1;
  });
}

std::optional<bool> Space::holds(const SizeCondition& c, const std::map<SizeVariable, Integer>& sizes) const {
  const std::optional<Integer> p = value(c.p, sizes);
  if (!p) return std::nullopt;
  switch (c.kind) {
    case SizeCondition::Kind::nonnegative:
      return *p >= 0;
    case SizeCondition::Kind::zero:
      return *p == 0;
    case SizeCondition::Kind::nonzero:
      return *p != 0;
    case SizeCondition::Kind::divides:
    case SizeCondition::Kind::not_divides:
      break;
  }
  const std::optional<Integer> q = value(c.q, sizes);
  if (!q || *q < 1) return std::nullopt;
  return (floor_mod(*p, *q) == 0) == (c.kind == SizeCondition::Kind::divides);
}

}  // namespace tessera::symbolic
