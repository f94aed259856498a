// SPDX-License-Identifier: Apache-2.0
/// \file
/// The canonical tree of an expression, which parsing builds for a subtrahend and printing shows after a
/// minus.
#pragma once

#include <unordered_map>

#include "tessera/expr/expr.h"

namespace tessera {

/// Rewrites trees into canonical ones: sums are flat, merged and sorted (constant last), constant factors are
/// single and distributed over sums, common factors leave quotients and remainders, and constant ceildivs
/// become floordivs. The result is the same function wherever the input has a value; folds that would
/// overflow are skipped.
///
/// This is the canonical form of the notation, not the normal form of `simplify`, in which equal functions
/// are equal. An object caches what it has rewritten, so that a text or a map takes time linear in its
/// distinct nodes.
class Canonicalizer {
 public:
  Expr canonical(Expr expr);
  /// canonical(expr * -1).
  Expr negated(Expr expr);

 private:
  struct Sum;

  Expr rewrite(Expr expr);
  Expr rewrite_sum(Expr expr);
  Expr rewrite_extremum(Expr expr);
  Expr floor_quotient(Expr dividend, Index divisor);
  Expr remainder(Expr dividend, Index modulus);
  Expr scaled(Expr expr, Index factor);
  bool collect(Expr expr, Index factor, Sum& sum);
  bool collect(Expr expr, Index k, Index factor, Sum& sum);
  bool join_digits(Sum& sum);
  Index divisor(Expr expr);

  std::unordered_map<const void*, Expr> canonical_;
  std::unordered_map<const void*, Index> divisors_;
};

/// `Canonicalizer().canonical(expr)`. Example: canonical of `v1 * 3 + v0 * 2` is `v0 * 2 + v1 * 3`.
Expr canonical(Expr expr);

}  // namespace tessera
