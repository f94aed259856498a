// SPDX-License-Identifier: Apache-2.0
/// \file
/// Terms: integer arithmetic as machines do it, with the range of every intermediate value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "code/language.h"
#include "tessera/expr/expr.h"

namespace tessera::coding {

enum class Op : std::uint8_t {
  constant,
  variable,
  negate,
  add,
  subtract,
  multiply,
  quotient,     ///< lhs / rhs
  remainder,    ///< lhs % rhs
  shift_left,   ///< lhs << value
  shift_right,  ///< lhs >> value, arithmetic
  bit_and,      ///< lhs & constant
  bit_xor,
  min,
  max,
  multiply_shift,  ///< lhs * constant >> value, where the product may need more bits than the function's type
};

using TermId = std::uint32_t;

struct CodeTerm {
  Op op = Op::constant;
  Index value = 0;  ///< value of a constant, number of a variable, or distance of a shift
  TermId lhs = 0;
  TermId rhs = 0;
  Interval range = {};  ///< contains every value
};

/// A term that must lie in an interval.
struct Condition {
  TermId term = 0;
  Interval range = {};
};

/// A DAG of terms that stores each structure once. The functions choose the cheapest form that the language
/// supports and that is exact on the range of the operands.
class Terms {
 public:
  Terms(const Rules& rules, bool multiply_high) : rules_(&rules), multiply_high_(multiply_high) {}

  const CodeTerm& operator[](TermId id) const { return terms_[id]; }
  std::size_t size() const { return terms_.size(); }
  const Rules& rules() const { return *rules_; }

  TermId constant(Index value);
  TermId variable(Index number, Interval range);

  TermId add(TermId a, TermId b);
  TermId subtract(TermId a, TermId b);
  TermId negate(TermId a);
  TermId multiply(TermId a, TermId b);
  TermId multiply(TermId a, Index factor) { return multiply(a, constant(factor)); }
  /// floor(a / n), and the remainder in [0, n). Both require n >= 1.
  TermId floor_div(TermId a, Index n);
  TermId mod(TermId a, Index n);
  /// \name By a term of at least 1. In languages that truncate, the dividend must be at least 0.
  /// @{
  TermId divide(TermId a, TermId b);
  TermId rest(TermId a, TermId b);
  /// @}
  TermId min(TermId a, TermId b);
  TermId max(TermId a, TermId b);
  /// Narrows the known range of a term. Requires that its values lie in the interval.
  TermId assume(TermId a, Interval range);
  /// \name Only for languages with bits.
  /// @{
  TermId bit_and(TermId a, Index mask);
  TermId bit_xor(TermId a, TermId b);
  TermId shift_left(TermId a, int distance);
  TermId shift_right(TermId a, int distance);
  /// @}

  /// True if every value that the roots depend on is known to fit in `bits` bits, signed.
  bool fit(std::span<const TermId> roots, int bits) const;
  /// The terms that the roots depend on, operands first.
  std::vector<TermId> reachable(std::span<const TermId> roots) const;

 private:
  TermId make(Op op, TermId lhs, TermId rhs, Index value, Interval range);
  std::optional<TermId> by_multiplication(TermId a, Index n);
  bool is_constant(TermId a) const { return terms_[a].op == Op::constant; }

  const Rules* rules_;
  bool multiply_high_;
  std::vector<CodeTerm> terms_;
  std::map<std::tuple<Op, TermId, TermId, Index>, TermId> known_;
};

/// floor(x * factor / 2^shift) == floor(x / n) for every x in [0, largest].
struct Reciprocal {
  std::uint64_t factor = 0;
  int shift = 0;
};

/// The reciprocal with the smallest shift; empty if its factor or its product with `largest` has more than
/// `product_bits` bits. Requires n >= 2 and largest >= 0.
///
/// With e = factor * n - 2^shift >= 0, x * factor / 2^shift exceeds x / n by x * e / (n * 2^shift). Let x be
/// the largest value that is n - 1 modulo n, so that x / n is 1/n below the next integer. The floor stays the
/// same iff the excess is less than 1/n there: x * e < 2^shift.
std::optional<Reciprocal> reciprocal(Index n, Index largest, int product_bits);

}  // namespace tessera::coding
