// SPDX-License-Identifier: Apache-2.0
// The variables of one question: parameters, cores, quotients and minima; and conditions about them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "size/limits.h"
#include "size/polynomial.h"

namespace tessera::symbolic {

/// p >= 0, p == 0, p != 0, q divides p, q does not divide p. The last two hold only where q >= 1.
struct SizeCondition {
  enum class Kind : std::uint8_t { nonnegative, zero, nonzero, divides, not_divides };
  Kind kind = Kind::nonnegative;
  Polynomial p = {};
  Polynomial q = {};

  SizeCondition negated() const;
  bool about_divisors() const { return kind == Kind::divides || kind == Kind::not_divides; }
  friend bool operator==(const SizeCondition& a, const SizeCondition& b) = default;
};

/// a >= b.
inline SizeCondition at_least(const Polynomial& a, const Polynomial& b) {
  return {SizeCondition::Kind::nonnegative, a - b, {}};
}
inline SizeCondition divides(Polynomial q, Polynomial p) {
  return {SizeCondition::Kind::divides, std::move(p), std::move(q)};
}

/// The variables that occur in it, ascending.
Monomial variables_of(const SizeCondition& c);

/// What a variable means. A quotient is floor(a / b), where b >= 1; `ceil` says that it is written
/// ceil_div(a - b + 1, b). A minimum is min(a, b). Each is stored once, so equal ones are one variable.
struct VariableInfo {
  enum class Kind : std::uint8_t { parameter, core, quotient, minimum };
  Kind kind = Kind::parameter;
  std::string name = {};
  Polynomial a = {};
  Polynomial b = {};
  bool ceil = false;
};

class Space {
 public:
  bool is_full() const { return variables_.size() > kSizeLimits.variables; }
  int proof_steps = 0;
  int samples = 0;

  /// The parameter of a name, made at its first use.
  SizeVariable parameter(std::string_view name);
  /// A new core.
  SizeVariable core();
  const VariableInfo& operator[](SizeVariable v) const { return variables_[v]; }
  std::size_t count() const { return variables_.size(); }
  /// All parameters, by their first use.
  std::vector<SizeVariable> parameters() const;

  /// floor(a / b) wherever b >= 1, without what rules for all sizes remove: whole multiples, common factors,
  /// quotients of quotients.
  Polynomial quotient(const Polynomial& a, const Polynomial& b);
  /// The smallest integer that is at least a / b, wherever b >= 1.
  Polynomial ceil_quotient(const Polynomial& a, const Polynomial& b) { return quotient(a + b - 1, b); }
  Polynomial minimum(const Polynomial& a, const Polynomial& b);
  Polynomial maximum(const Polynomial& a, const Polynomial& b) { return a + b - minimum(a, b); }

  /// Whether the variable is a quotient or a minimum: a function of other variables.
  bool is_derived(SizeVariable v) const {
    return variables_[v].kind == VariableInfo::Kind::quotient ||
           variables_[v].kind == VariableInfo::Kind::minimum;
  }
  bool has_derived(const Polynomial& p) const;

  /// The value of a polynomial over parameters and what derives from them, for these parameters: nothing if a
  /// divisor is below 1 or a number is too large.
  std::optional<Integer> value(const Polynomial& p, const std::map<SizeVariable, Integer>& sizes) const;
  /// Whether it has no value because a divisor is below 1.
  bool divides_below_one(const Polynomial& p, const std::map<SizeVariable, Integer>& sizes) const;
  /// Whether the condition is true for these parameters; nothing as for value().
  std::optional<bool> holds(const SizeCondition& c, const std::map<SizeVariable, Integer>& sizes) const;

 private:
  SizeVariable add(VariableInfo info);
  std::vector<VariableInfo> variables_;
};

}  // namespace tessera::symbolic
