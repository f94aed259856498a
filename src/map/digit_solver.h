// SPDX-License-Identifier: Apache-2.0
/// \file
/// Solving result = y for the variables of a map, digit by digit.
#pragma once

#include <optional>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// Finds variables that the values of the results determine. Expressions it returns are over the variables of
/// the map and, after them, one variable per result: y_i is variable `map.variables().size() + i`.
class DigitSolver {
 public:
  explicit DigitSolver(const IndexMap& map);

  /// Reads off digits until nothing new is found, or the simplifier has taken 2^23 steps (several seconds).
  /// What is then known is determined by y (and runtime variables) alone: every point of the relation has
  /// exactly these values.
  void solve();
  /// Also expresses variables by other variables, wherever an equation has one with factor 1 or -1.
  void eliminate();

  /// The value of variable v, or nothing.
  const std::optional<Expr>& value(std::size_t v) const { return values_[v]; }
  bool solved() const;

 private:
  struct Equation {
    Expr left;   // over the map's variables
    Expr right;  // over y and what is known
    bool used = false;
    int clearings = 0;
  };
  struct Term {
    Index factor;
    Expr expr;
  };
  // (base floordiv divisor) [mod modulus], and its value.
  struct Digit {
    Expr base;
    Index divisor;
    Index modulus;  // 0: the top digit, without mod
    Expr value;
  };

  bool collect(Expr e, Index factor, std::vector<Term>& terms, Index& constant) const;
  bool open(Expr e) const;
  Expr resolved(Expr e) const;
  bool split(Equation& equation);
  void learn(Expr e, Expr value);
  bool separate_digits(std::vector<Term>& terms) const;
  std::optional<Expr> digit_of(const Digit& digit, Expr base, Index divisor) const;
  bool clear_quotient(Equation& equation) const;
  bool join_digits();
  // The simplifier has taken more steps for this solver than a question may cost.
  bool too_long() const;

  const IndexMap& map_;
  std::uint64_t begin_;  // of Workspace::steps_taken
  std::vector<std::optional<Expr>> values_;
  std::vector<Equation> equations_;
  std::vector<Digit> digits_;
};

}  // namespace tessera::detail
