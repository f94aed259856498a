// SPDX-License-Identifier: Apache-2.0
/// \file
/// The normal form of an expression as a sum of digits, for other folders.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/form/workspace.h"

namespace tessera::detail {

/// coefficient * (floor(base / divisor) mod modulus), or coefficient * max(0, base).
struct DigitTerm {
  Index coefficient = 1;
  /// A variable; the simplified sum inside a quotient; or a product, an operation or a division by 0, which
  /// the normal form treats as opaque.
  Expr base = {};
  Index divisor = 1;
  Index modulus = 0;                  ///< 0: without mod
  bool at_least_zero = false;         ///< max(0, base); the divisor is 1 then and the modulus 0
  bool opaque = false;                ///< the normal form treats the base as opaque
  std::vector<Index> variables = {};  ///< of the base, ascending
  Interval range = {};                ///< of the term without the coefficient

  /// Whether the term is coefficient * base.
  bool is_plain() const { return divisor == 1 && modulus == 0 && !at_least_zero; }
  bool is_variable() const { return is_plain() && base.is_variable(); }
  bool mentions(Index variable) const;
  /// The text without the coefficient.
  Expr digit() const;
};

/// constant + sum of terms: equal to the expression at every point of the box where it has a value. Digits
/// that a text splits and joins again are canceled, every other digit is as fine as the divisors in the form
/// allow, and equal bases are equal expressions.
struct ExprView {
  Index constant = 0;
  std::vector<DigitTerm> terms;
  Interval range;  ///< of the whole sum; at least as narrow as the sum of the terms' ranges
  /// Whether the expression has a value at every point of the box: no step overflows 64 bits or divides by 0.
  /// True only if proved. Ignores a side on which a variable is unbounded.
  bool has_values = false;

  bool is_constant() const { return terms.empty(); }
  /// c if the expression is c * variable + terms without the variable; empty otherwise.
  std::optional<Index> coefficient(Index variable) const;
  /// The sum of the constant and the terms without the variable. Within the box, the expression equals
  /// coefficient * variable + this sum; for other values of the variable it may not.
  Expr without(Index variable) const;
};

/// The view in the environment; empty if the computation stopped or a term has no text.
std::optional<ExprView> view(Workspace& ws, Expr expr);

/// The view over a box: variable i lies in box[i], and every variable of the expression has an interval.
/// Empty if it would take too long. O(distinct nodes + quotients^2). Example: the view of `d0 * 8 + d1 mod 4`
/// on 2 x 16 has the terms 8 * d0 and 1 * (floor(d1 / 1) mod 4).
std::optional<ExprView> view(Workspace& ws, Expr expr, std::span<const Interval> box);
std::optional<ExprView> view(Expr expr, std::span<const Interval> box);

}  // namespace tessera::detail
