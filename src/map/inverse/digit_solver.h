// SPDX-License-Identifier: Apache-2.0
/// \file
/// Solves result = y for the variables of a map, digit by digit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/limits.h"
#include "expr/questions/view.h"
#include "tessera/map/index_map.h"

namespace tessera::detail {

/// Finds variables that the values of the results determine. The returned expressions are over the variables
/// of the map and, after them, one variable per result: y_i is variable `map.variables().size() + i`.
class DigitSolver {
 public:
  explicit DigitSolver(const IndexMap& map);

  /// Reads off digits until nothing new is found, or the simplifier has taken 2^23 steps (several seconds).
  /// The values found are functions of y (and runtime variables): at every point of the relation, the
  /// variables have exactly these values.
  void solve();
  /// Also expresses a variable by other variables if it has the factor 1 or -1 in some equation.
  void eliminate();

  /// The value of variable v; empty if it is not determined.
  const std::optional<Expr>& value(std::size_t v) const { return values_[v]; }
  bool solved() const;

 private:
  // left = right for every point of the map.
  struct Equation {
    Expr left;   // over the map's variables
    Expr right;  // over y and known values
    bool used = false;
    int clearings = 0;
  };
  // floor(base / divisor) mod modulus has this value. A modulus of 0 means no mod.
  struct KnownDigit {
    Expr base;
    Index divisor;
    Index modulus;
    Expr value;
  };

  bool open(std::span<const Index> variables) const;
  Expr resolved(Expr e) const;
  Interval values_of(const DigitTerm& term) const;
  bool split(Equation& equation);
  void learn(const DigitTerm& term, Expr value);
  std::optional<Expr> digit_of(const KnownDigit& digit, Expr base, Index divisor) const;
  bool clear_quotient(Equation& equation) const;
  bool join_digits();
  // Whether the simplifier has exceeded the steps that this solver may take.
  bool too_long() const { return steps_ > kLimits.inverse_steps; }
  // The answer of the simplifier, whose steps are counted: question(Workspace&).
  template <class Question>
  auto ask(const Question& question) const {
    const BorrowedWorkspace ws;
    auto answer = question(*ws);
    steps_ += ws->steps_taken();
    return answer;
  }
  std::optional<ExprView> view(Expr e) const;
  Interval range(Expr e) const;

  const IndexMap& map_;
  std::vector<Interval> box_;        // of the map's variables, then of the results
  mutable std::uint64_t steps_ = 0;  // of the simplifier, in units of fuel
  std::vector<std::optional<Expr>> values_;
  std::vector<Equation> equations_;
  std::vector<KnownDigit> digits_;
};

}  // namespace tessera::detail
