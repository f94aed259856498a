// SPDX-License-Identifier: Apache-2.0
#include "size/polynomial.h"

#include <algorithm>
#include <iterator>

#include "size/limits.h"

namespace tessera::symbolic {
namespace {

/// The product of two monomials.
Monomial times(const Monomial& a, const Monomial& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Monomial out;
  out.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(out));
  return out;
}

}  // namespace

std::string to_string(Integer value) {
  if (value == 0) return "0";
  std::string out;
  for (Integer rest = value < 0 ? -value : value; rest != 0; rest /= 10)
    out += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (value < 0) out += '-';
  return {out.rbegin(), out.rend()};
}

Integer floor_div(Integer a, Integer b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

Integer gcd(Integer a, Integer b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    const Integer rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::optional<Integer> checked_add(Integer a, Integer b) {
  const Integer sum = a + b;  // both are within 126 bits
  return sum >= kSizeLimits.coefficient || sum <= -kSizeLimits.coefficient ? std::nullopt
                                                                           : std::optional(sum);
}

std::optional<Integer> checked_mul(Integer a, Integer b) {
  const Integer x = a < 0 ? -a : a;
  const Integer y = b < 0 ? -b : b;
  constexpr Integer small = Integer{1} << 62;
  if ((x >= small || y >= small) && x != 0 && y > (kSizeLimits.coefficient - 1) / x) return std::nullopt;
  return a * b;
}

int exponent(const Monomial& m, SizeVariable v) { return static_cast<int>(std::ranges::count(m, v)); }

std::optional<Monomial> over(const Monomial& a, const Monomial& b) {
  if (!std::ranges::includes(a, b)) return std::nullopt;
  Monomial out;
  std::ranges::set_difference(a, b, std::back_inserter(out));
  return out;
}

bool leads(const Monomial& a, const Monomial& b) {
  return a.size() != b.size() ? a.size() > b.size() : a < b;
}

Polynomial::Polynomial(Integer constant) {
  if (constant >= kSizeLimits.coefficient || constant <= -kSizeLimits.coefficient) {
    known_ = false;
  } else if (constant != 0) {
    terms_.push_back({{}, constant});
  }
}

Polynomial Polynomial::collected(std::vector<Term> terms, bool known) {
  if (!known) return unknown();
  std::ranges::sort(terms, leads, &Term::monomial);
  std::vector<Term> out;
  for (Term& t : terms) {
    if (!out.empty() && out.back().monomial == t.monomial) {
      const auto sum = checked_add(out.back().factor, t.factor);
      if (!sum) return unknown();
      out.back().factor = *sum;
      continue;
    }
    if (!out.empty() && out.back().factor == 0) out.pop_back();
    out.push_back(std::move(t));
  }
  if (!out.empty() && out.back().factor == 0) out.pop_back();
  return {std::move(out), true};
}

Integer Polynomial::constant() const {
  return terms_.empty() || !terms_.back().monomial.empty() ? 0 : terms_.back().factor;
}

Monomial Polynomial::variables() const {
  Monomial out;
  for (const Term& t : terms_) out += t.monomial;
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool Polynomial::has(SizeVariable v) const {
  return std::ranges::any_of(terms_, [&](const Term& t) { return symbolic::has(t.monomial, v); });
}

int Polynomial::degree(SizeVariable v) const {
  int most = 0;
  for (const Term& t : terms_) most = std::max(most, exponent(t.monomial, v));
  return most;
}

Integer Polynomial::content() const {
  Integer out = 0;
  for (const Term& t : terms_) out = gcd(out, t.factor);
  return out;
}

bool Polynomial::has_no_negative() const {
  return known_ && std::ranges::all_of(terms_, [](const Term& t) { return t.factor >= 0; });
}

// Both have their terms in order, so the difference is a merge, which the first term below 0 ends.
bool Polynomial::covers(const Term& multiplier, const Polynomial& f) const {
  if (!known_ || !f.known_) return false;
  auto x = terms_.begin();
  for (const Term& t : f.terms_) {
    const Monomial m = times(multiplier.monomial, t.monomial);
    const auto factor = checked_mul(multiplier.factor, t.factor);
    if (!factor) return false;
    for (; x != terms_.end() && leads(x->monomial, m); ++x) {
      if (x->factor < 0) return false;
    }
    const bool same = x != terms_.end() && x->monomial == m;
    const auto left = checked_add(same ? x->factor : 0, -*factor);
    if (!left || *left < 0) return false;
    if (same) ++x;
  }
  return std::all_of(x, terms_.end(), [](const Term& t) { return t.factor >= 0; });
}

std::vector<Polynomial> Polynomial::coefficients(SizeVariable v) const {
  std::vector<Polynomial> out(static_cast<std::size_t>(degree(v)) + 1, known_ ? Polynomial() : unknown());
  for (const Term& t : terms_) {
    const auto e = static_cast<std::size_t>(exponent(t.monomial, v));
    Monomial rest = t.monomial;
    std::erase(rest, v);
    out[e] = out[e] + of(std::move(rest), t.factor);
  }
  return out;
}

Polynomial Polynomial::operator-() const {
  Polynomial out = *this;
  for (Term& t : out.terms_) t.factor = -t.factor;
  return out;
}

// Both have their terms in order, so the sum is a merge.
Polynomial Polynomial::sum(const Polynomial& a, const Polynomial& b, int sign) {
  if (!a.known_ || !b.known_) return unknown();
  std::vector<Term> out;
  out.reserve(a.terms_.size() + b.terms_.size());
  auto x = a.terms_.begin();
  auto y = b.terms_.begin();
  while (x != a.terms_.end() && y != b.terms_.end()) {
    if (x->monomial == y->monomial) {
      const auto factor = checked_add(x->factor, sign * y->factor);
      if (!factor) return unknown();
      if (*factor != 0) out.push_back({x->monomial, *factor});
      ++x;
      ++y;
    } else if (leads(x->monomial, y->monomial)) {
      out.push_back(*x++);
    } else {
      out.push_back({y->monomial, sign * y->factor});
      ++y;
    }
  }
  out.insert(out.end(), x, a.terms_.end());
  for (; y != b.terms_.end(); ++y) out.push_back({y->monomial, sign * y->factor});
  return {std::move(out), true};
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) { return Polynomial::sum(a, b, 1); }

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return Polynomial::sum(a, b, -1); }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (!a.known_ || !b.known_ || a.terms_.size() * b.terms_.size() > kSizeLimits.product_terms)
    return Polynomial::unknown();
  std::vector<Polynomial::Term> terms;
  terms.reserve(a.terms_.size() * b.terms_.size());
  for (const Polynomial::Term& x : a.terms_) {
    for (const Polynomial::Term& y : b.terms_) {
      const auto product = checked_mul(x.factor, y.factor);
      if (!product) return Polynomial::unknown();
      terms.push_back({times(x.monomial, y.monomial), *product});
    }
  }
  // A factor of one term keeps the order of the other's.
  if (a.terms_.size() <= 1 || b.terms_.size() <= 1) return {std::move(terms), true};
  return Polynomial::collected(std::move(terms), true);
}

bool operator<(const Polynomial& a, const Polynomial& b) {
  if (a.known_ != b.known_) return a.known_ < b.known_;
  return std::ranges::lexicographical_compare(
      a.terms_, b.terms_, [](const Polynomial::Term& x, const Polynomial::Term& y) {
        return x.monomial != y.monomial ? leads(x.monomial, y.monomial) : x.factor < y.factor;
      });
}

Polynomial Polynomial::divided(Integer k) const {
  Polynomial out = *this;
  for (Term& t : out.terms_) t.factor = floor_div(t.factor, k);
  std::erase_if(out.terms_, [](const Term& t) { return t.factor == 0; });
  return out;
}

Polynomial Polynomial::modulo(Integer k) const {
  Polynomial out = *this;
  for (Term& t : out.terms_) t.factor = floor_mod(t.factor, k);
  std::erase_if(out.terms_, [](const Term& t) { return t.factor == 0; });
  return out;
}

Polynomial::Division Polynomial::divide(const Polynomial& q, bool partial) const {
  if (!known_ || !q.known_ || q.terms_.empty()) return {unknown(), unknown()};
  const Term& lead = q.terms_[0];
  Polynomial quotient;
  Polynomial rest;
  Polynomial left = *this;
  for (int step = 0; !left.terms_.empty(); ++step) {
    if (step == 256 || !left.known_) return {unknown(), unknown()};
    const Term top = left.terms_[0];
    const std::optional<Monomial> m = over(top.monomial, lead.monomial);
    const Integer factor = top.factor / lead.factor;  // toward 0
    if (!m || factor == 0 || (!partial && top.factor % lead.factor != 0)) {
      rest = rest + of(top.monomial, top.factor);
      left.terms_.erase(left.terms_.begin());
      continue;
    }
    const Polynomial part = of(*m, factor);
    quotient = quotient + part;
    left = left - part * q;
    if (partial && !left.terms_.empty() && left.terms_[0].monomial == top.monomial) {
      rest = rest + of(top.monomial, left.terms_[0].factor);
      left.terms_.erase(left.terms_.begin());
    }
  }
  return {std::move(quotient), std::move(rest)};
}

std::optional<Polynomial> Polynomial::exact_quotient(const Polynomial& q) const {
  Division d = divide(q);
  if (!d.rest.is_zero() || !d.quotient.known_) return std::nullopt;
  return std::move(d.quotient);
}

Polynomial Polynomial::substituted(SizeVariable v, const Polynomial& value) const {
  return substituted(std::map<SizeVariable, Polynomial>{{v, value}});
}

Polynomial Polynomial::substituted(const std::map<SizeVariable, Polynomial>& map) const {
  if (!known_) return *this;
  std::vector<Term> out;
  for (const Term& t : terms_) {
    Monomial rest;
    Polynomial product = 1;
    bool replaced = false;
    for (const SizeVariable v : t.monomial) {
      if (const auto found = map.find(v); found != map.end()) {
        product = product * found->second;
        replaced = true;
      } else {
        rest += v;
      }
    }
    if (replaced) {
      const Polynomial part = product * of(std::move(rest), t.factor);
      if (!part.known_) return unknown();
      out.insert(out.end(), part.terms_.begin(), part.terms_.end());
    } else {
      out.push_back(t);
    }
  }
  return collected(std::move(out), true);
}

}  // namespace tessera::symbolic
