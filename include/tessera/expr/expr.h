// SPDX-License-Identifier: Apache-2.0
/// \file
/// Expr: an integer expression over numbered variables, kept in the form in which it was read or built; and
/// Interval: its values.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tessera/base/index.h"

namespace tessera {

/// The bounds -infinity and +infinity: the ends of the 64-bit range, so that a bound is one integer.
inline constexpr Index kNegInf = kIndexMin;
inline constexpr Index kPosInf = kIndexMax;

/// The integers from lower to upper, both included; never empty. kNegInf and kPosInf mean unbounded.
/// Arithmetic widens to infinity if a bound overflows 64 bits and never wraps, so every result contains the
/// exact set of values.
struct Interval {
  Index lower = kNegInf;
  Index upper = kPosInf;

  static constexpr bool valid(Index lower, Index upper) { return lower <= upper; }
  static constexpr std::optional<Interval> make(Index lower, Index upper) {
    return valid(lower, upper) ? std::optional<Interval>(Interval{lower, upper}) : std::nullopt;
  }
  static constexpr Interval point(Index value) { return {value, value}; }
  /// [0, extent - 1], the indices of a dimension. Requires extent >= 1.
  static constexpr Interval of_extent(Index extent) { return {0, extent - 1}; }

  constexpr bool is_point() const { return lower == upper && lower != kNegInf && lower != kPosInf; }
  constexpr bool is_finite() const { return lower != kNegInf && upper != kPosInf; }
  constexpr bool contains(Index value) const { return lower <= value && value <= upper; }
  constexpr bool contains(Interval other) const { return lower <= other.lower && other.upper <= upper; }
  constexpr bool intersects(Interval other) const { return lower <= other.upper && other.lower <= upper; }

  /// The number of integers in the interval; empty if that is infinite or overflows 64 bits.
  std::optional<Index> count() const;

  friend constexpr bool operator==(Interval, Interval) = default;
};

/// The intersection; no value if it is empty.
constexpr std::optional<Interval> intersect(Interval a, Interval b) {
  return Interval::make(a.lower > b.lower ? a.lower : b.lower, a.upper < b.upper ? a.upper : b.upper);
}

/// The smallest interval that contains both.
constexpr Interval hull(Interval a, Interval b) {
  return {a.lower < b.lower ? a.lower : b.lower, a.upper > b.upper ? a.upper : b.upper};
}

Interval operator+(Interval a, Interval b);
Interval operator-(Interval a);
Interval operator-(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
/// The values of floor(x / divisor) for x in `a`. Requires divisor != 0.
Interval floor_div(Interval a, Index divisor);
/// The values of x mod modulus for x in `a`: `a` shifted if floor(x / |modulus|) is constant, else
/// [0, |modulus| - 1]. Requires modulus != 0.
Interval mod(Interval a, Index modulus);
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);

/// Whether a comparison of intervals holds for all pairs of values (yes), for none (no), or depends on the
/// values (unknown).
enum class Ternary : std::uint8_t { no, yes, unknown };

Ternary less(Interval a, Interval b);
Ternary less_equal(Interval a, Interval b);
Ternary greater(Interval a, Interval b);
Ternary greater_equal(Interval a, Interval b);
Ternary equal(Interval a, Interval b);
Ternary not_equal(Interval a, Interval b);

/// `[l, u]`, as in the text of maps.
std::string to_string(Interval interval);
std::ostream& operator<<(std::ostream& out, Interval interval);

/// The kinds, in the order of compare(): constants sort last.
enum class ExprKind : std::uint8_t { add, mul, mod, floor_div, ceil_div, max, min, variable, constant };

/// Whether the operation divides by its right operand.
constexpr bool is_division(ExprKind kind) {
  return kind == ExprKind::floor_div || kind == ExprKind::ceil_div || kind == ExprKind::mod;
}

/// The deepest nesting that readers accept; they reject more with `limit`. Code may therefore recurse over an
/// expression: this depth fits in a stack of 1 MB, or 8 MB with the address sanitizer.
inline constexpr int kMaxExprDepth = 1000;

namespace detail {

/// A node with what is known about its tree. Counts saturate; shared parts count each time.
struct ExprNode {
  ExprKind kind;
  bool divides_by_zero;      // by the constant 0: the expression has no value at any point
  bool divides_by_variable;  // by an expression that is not constant, so that it may be 0
  std::uint8_t growth;       // every step is below 2^(growth + bits of the variables); at most 64
  std::uint16_t depth;       // operations inside each other; 0 without one
  std::uint32_t operators;   // binary nodes
  std::uint32_t negations;   // products with -1
  std::uint32_t divisions;   // floordiv, ceildiv and mod
  std::uint32_t signs;       // negative constants
  std::uint64_t hash;        // of the structure: equal in every run and thread
  std::uint64_t variables;   // bit i for variable i, bit 63 for all from 63 on
  Index value;               // a constant's value, a variable's number
  const ExprNode* lhs;
  const ExprNode* rhs;
};

}  // namespace detail

/// An immutable expression, one pointer wide: a shared node of a DAG. Within a thread, expressions of equal
/// structure share a node; across threads `==` compares structure. Nodes live as long as the process.
///
/// An Expr is one spelling of a function: as written, or as simplification chose it. Inside, simplification
/// uses a normal form that is the same for all spellings that it proves equal.
class Expr {
 public:
  /// The constant 0.
  Expr();

  static Expr constant(Index value);
  /// The variable with this number. A map numbers its dimensions first, then range and runtime variables.
  /// Requires number >= 0.
  static Expr variable(Index number);

  ExprKind kind() const { return node_->kind; }
  bool is_constant() const { return node_->kind == ExprKind::constant; }
  bool is_constant(Index value) const { return is_constant() && node_->value == value; }
  bool is_variable() const { return node_->kind == ExprKind::variable; }
  bool is_binary() const { return node_->kind < ExprKind::variable; }
  /// The value of a constant, or the number of a variable.
  Index value() const { return node_->value; }
  /// Operands of a binary node.
  Expr lhs() const { return Expr(node_->lhs); }
  Expr rhs() const { return Expr(node_->rhs); }

  /// The number of binary nodes of the tree (shared parts count each time), saturating.
  std::uint32_t node_count() const { return node_->operators; }
  /// Operations inside each other, saturating at 65535. Readers reject depths above kMaxExprDepth.
  std::uint16_t depth() const { return node_->depth; }
  std::uint64_t hash() const { return node_->hash; }
  /// Identity of the node, for memo tables within one thread.
  const void* id() const { return node_; }
  const detail::ExprNode& node() const { return *node_; }

  friend bool operator==(Expr a, Expr b) {
    return a.node_ == b.node_ || (a.node_->hash == b.node_->hash && same_structure(a.node_, b.node_));
  }

  /// A binary node as the parser builds it: with the construction rules N1 to N4 (commute constants to the
  /// right, fold constants, x + 0, x * 1, x * 0, (x * c1) * c2) but without rules for divisors.
  static Expr binary(ExprKind kind, Expr lhs, Expr rhs);

 private:
  explicit Expr(const detail::ExprNode* node) : node_(node) {}
  static bool same_structure(const detail::ExprNode* a, const detail::ExprNode* b);
  static Expr intern(ExprKind kind, Index value, const detail::ExprNode* lhs, const detail::ExprNode* rhs);

  const detail::ExprNode* node_;
};

/// Sums, products and so on by the construction rules (with N5: x / 1, x mod 1). Constants whose fold would
/// overflow stay unfolded. `a - b` is a + b * -1.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator*(Expr a, Expr b);
Expr operator+(Expr a, Index b);
Expr operator-(Expr a, Index b);
Expr operator*(Expr a, Index b);
/// floor(a / b), ceil(a / b), and the remainder modulo |b| in [0, |b|).
Expr floor_div(Expr a, Expr b);
Expr ceil_div(Expr a, Expr b);
Expr mod(Expr a, Expr b);
Expr floor_div(Expr a, Index b);
Expr ceil_div(Expr a, Index b);
Expr mod(Expr a, Index b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);

/// -expr with the sign moved to the terms of a sum and into constant factors, as in a parsed minus:
/// `negated(a * 2 - b)` is a * -2 + b. O(distinct nodes).
Expr negated(Expr expr);
/// Negates like the above, with a cache for many calls: nested minus signs cost O(distinct nodes) in total.
Expr negated(Expr expr, std::unordered_map<const void*, Expr>& known);

/// The total order of expressions: by kind, then variables by number, constants by value, binary nodes by
/// left child and then right child. Negative, zero or positive. Depends on structure only.
int compare(Expr a, Expr b);

/// The value at a point, `values[i]` for variable i; empty if it is undefined: a division by 0, an
/// intermediate result beyond 64 bits, or a variable without a value. O(distinct nodes).
std::optional<Index> evaluate(Expr expr, std::span<const Index> values);

/// The expression with variable i replaced by `replacements[i]` (variables without a replacement stay),
/// rebuilt by the construction rules. O(distinct nodes).
Expr substitute(Expr expr, std::span<const Expr> replacements);

/// The expression with every subtree that equals some `first` replaced by its `second`, all at once: larger
/// subtrees first, and replacements are not searched again. Rebuilt by the construction rules. O(distinct
/// nodes times pairs). Example: in `(v0 + 2) * (v1 + 2)`, {2 -> 5} gives `(v0 + 5) * (v1 + 5)`.
Expr replace(Expr expr, std::span<const std::pair<Expr, Expr>> replacements);

/// Every node of the tree, operands before their operation; a shared part appears once per occurrence.
std::vector<Expr> postorder(Expr expr);

/// Every distinct variable number, ascending. O(1 + variables) if all numbers are below 63, else O(distinct
/// nodes).
std::vector<Index> variables(Expr expr);

/// The largest integer known to divide every value (0 for the constant 0).
Index largest_known_divisor(Expr expr);

/// How large the tree of an expression is (shared parts count each time). A sign is not an operator: neither
/// the factor -1 of `-x` and `a - b` nor the minus of a negative constant.
struct ExprSize {
  std::uint64_t operators = 0;
  std::uint64_t divisions = 0;  ///< floordiv, ceildiv and mod among the operators
  std::uint64_t signs = 0;      ///< negative constants: factors, summands and divisors
  friend auto operator<=>(const ExprSize&, const ExprSize&) = default;
};
/// The size of an expression; each number saturates at 2^32 - 1. O(1). Example: the size of `v0 mod 4 - v1 *
/// 2` is 3 operators, 1 division, 1 sign.
ExprSize size(Expr expr);

/// Gives the name of a variable number.
using VariableNamer = std::function<std::string(Index)>;

/// The text, in XLA's notation. Without a namer variables print as v0, v1, ...
std::string to_string(Expr expr, const VariableNamer& namer);
std::string to_string(Expr expr);
std::ostream& operator<<(std::ostream& out, Expr expr);

}  // namespace tessera

template <>
struct std::hash<tessera::Expr> {
  std::size_t operator()(tessera::Expr e) const noexcept { return e.hash(); }
};
