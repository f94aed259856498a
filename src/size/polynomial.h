// SPDX-License-Identifier: Apache-2.0
// Polynomials with integer coefficients over numbered variables: the numbers of layouts for all sizes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::symbolic {

/// Coefficients and values. Results beyond 126 bits are not computed: they make a polynomial unknown.
using Integer = __int128;

std::string to_string(Integer value);
/// floor(a / b) and the remainder in [0, b). Requires b >= 1.
Integer floor_div(Integer a, Integer b);
inline Integer floor_mod(Integer a, Integer b) { return a - b * floor_div(a, b); }
/// The greatest common divisor of the magnitudes; gcd(0, 0) is 0.
Integer gcd(Integer a, Integer b);
std::optional<Integer> checked_add(Integer a, Integer b);
std::optional<Integer> checked_mul(Integer a, Integer b);

/// The number of a variable in its Space.
using SizeVariable = char16_t;
/// The variables of a product, ascending, each as often as its exponent.
using Monomial = std::u16string;

/// The exponent of a variable.
int exponent(const Monomial& m, SizeVariable v);
inline bool has(const Monomial& m, SizeVariable v) { return m.find(v) != Monomial::npos; }

/// A sum of monomials with coefficients other than 0, by degree and then by variables, highest first, so that
/// equal polynomials have equal terms. Unknown if some coefficient was too large: then no question about it
/// has an answer.
class Polynomial {
 public:
  struct Term {
    Monomial monomial;
    Integer factor;
    friend bool operator==(const Term&, const Term&) = default;
  };

  Polynomial() = default;
  Polynomial(Integer constant);  // NOLINT(google-explicit-constructor): a number is a polynomial
  Polynomial(int constant) : Polynomial(Integer{constant}) {}
  static Polynomial of(SizeVariable v) { return {{{Monomial(1, v), 1}}, true}; }
  static Polynomial of(Monomial m, Integer factor) {
    return factor == 0 ? Polynomial() : Polynomial({{std::move(m), factor}}, true);
  }
  static Polynomial unknown() { return {{}, false}; }

  bool known() const { return known_; }
  const std::vector<Term>& terms() const { return terms_; }
  bool is_zero() const { return known_ && terms_.empty(); }
  bool is_constant() const { return known_ && (terms_.empty() || terms_[0].monomial.empty()); }
  /// The term without variables.
  Integer constant() const;
  /// The variables that occur, ascending.
  Monomial variables() const;
  bool has(SizeVariable v) const;
  int degree() const { return terms_.empty() ? 0 : static_cast<int>(terms_[0].monomial.size()); }
  int degree(SizeVariable v) const;
  /// The greatest common divisor of the coefficients, 0 for 0.
  Integer content() const;
  /// Whether no coefficient is below 0, so that the value is at least 0 where all variables are.
  bool has_no_negative() const;
  /// Whether this polynomial less a product of a monomial and f has no coefficient below 0.
  bool covers(const Term& multiplier, const Polynomial& f) const;
  /// The polynomials in the other variables by which the powers of `v` are multiplied, that of v^0 first.
  std::vector<Polynomial> coefficients(SizeVariable v) const;

  Polynomial operator-() const;
  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  /// The same known polynomial.
  friend bool operator==(const Polynomial& a, const Polynomial& b) {
    return a.known_ && b.known_ && a.terms_ == b.terms_;
  }
  /// A total order of known polynomials, for containers.
  friend bool operator<(const Polynomial& a, const Polynomial& b);

  /// Every coefficient divided by k >= 1, rounded down, and the remainders.
  Polynomial divided(Integer k) const;
  Polynomial modulo(Integer k) const;
  struct Division;
  /// Division by `q`, which is not 0: no term of the remainder is a multiple of the leading term of q, or,
  /// with `partial`, of its monomial with a coefficient that is not smaller.
  Division divide(const Polynomial& q, bool partial = false) const;
  /// The polynomial x with x * q equal to this one, if there is one.
  std::optional<Polynomial> exact_quotient(const Polynomial& q) const;

  /// With `value` for the variable `v`; with map[v] for every variable that has an entry.
  Polynomial substituted(SizeVariable v, const Polynomial& value) const;
  Polynomial substituted(const std::map<SizeVariable, Polynomial>& map) const;
  /// The value for numbers, nothing if it is too large or value(v) has nothing.
  template <class Value>
  std::optional<Integer> evaluate(Value&& value) const {
    if (!known_) return std::nullopt;
    Integer sum = 0;
    for (const Term& t : terms_) {
      std::optional<Integer> product = t.factor;
      for (const SizeVariable v : t.monomial) {
        const std::optional<Integer> x = value(v);
        if (x) product = checked_mul(*product, *x);
        if (!x || !product) return std::nullopt;
      }
      const std::optional<Integer> next = checked_add(sum, *product);
      if (!next) return std::nullopt;
      sum = *next;
    }
    return sum;
  }

 private:
  Polynomial(std::vector<Term> terms, bool known) : terms_(std::move(terms)), known_(known) {}
  static Polynomial collected(std::vector<Term> terms, bool known);
  /// a + sign * b; the sign is 1 or -1.
  static Polynomial sum(const Polynomial& a, const Polynomial& b, int sign);

  std::vector<Term> terms_ = {};
  bool known_ = true;
};

struct Polynomial::Division {
  Polynomial quotient;
  Polynomial rest;
};

/// a / b, if b divides a.
std::optional<Monomial> over(const Monomial& a, const Monomial& b);
/// Whether `a` comes before `b` in the order of terms: higher degrees first, then earlier variables.
bool leads(const Monomial& a, const Monomial& b);

}  // namespace tessera::symbolic
