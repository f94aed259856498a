// SPDX-License-Identifier: Apache-2.0
#include "expr/canonical.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera {
namespace {

// A left-nested sum is as deep as it has terms, and walking an expression recurses.
constexpr std::size_t kMaxTerms = kMaxExprDepth;

// A sum with more tree nodes than this has shared parts worth summing once, through the memo table.
constexpr std::uint32_t kLargeTree = 1u << 16;

// A ceiling with a larger divisor d stays one: x + d - 1 might leave 64 bits.
constexpr Index kLargestCeiling = Index{1} << 32;

Expr node(ExprKind kind, Expr lhs, Expr rhs) { return Expr::binary(kind, lhs, rhs); }

Expr times(Expr base, Index factor) { return node(ExprKind::mul, base, Expr::constant(factor)); }

// A term `base * factor`; the factor of anything but a product with a constant is 1.
struct Term {
  Expr base;
  Index factor = 1;
};

Term split(Expr e) {
  if (e.kind() == ExprKind::mul && e.rhs().is_constant()) return {e.lhs(), e.rhs().value()};
  return {e, 1};
}

Index magnitude(Index v) { return v < 0 ? -v : v; }

void append_factors(Expr e, std::vector<Expr>& factors) {
  for (; e.kind() == ExprKind::mul; e = e.lhs()) append_factors(e.rhs(), factors);
  factors.push_back(e);
}

// The factors of both in order, nested to the left: a text without parentheses reads back as that.
Expr product(Expr a, Expr b) {
  std::vector<Expr> factors;
  append_factors(a, factors);
  append_factors(b, factors);
  std::ranges::sort(factors, [](Expr x, Expr y) { return compare(x, y) < 0; });
  Expr result = factors.front();
  for (std::size_t i = 1; i < factors.size(); ++i) result = node(ExprKind::mul, result, factors[i]);
  return result;
}

// gcd(|a|, |b|), or 1 if a magnitude does not fit in 64 bits.
Index common_factor(Index a, Index b) {
  if (a == kIndexMin || b == kIndexMin) return 1;
  return std::gcd(a, b);
}

}  // namespace

// constant + sum of base * factor, with distinct bases. What leaves 64 bits is built as several terms.
struct Canonicalizer::Sum {
  struct Term {
    Expr base;
    __int128 factor;
  };

  std::vector<Term> terms;
  __int128 constant = 0;
  bool unfolded = false;  // a base holds a constant factor that did not fit into its term's

  bool add(Expr base, __int128 factor) {
    constexpr std::size_t kScan = 12;  // a linear scan beats a table below this
    Term* term = nullptr;
    if (terms.size() < kScan) {
      const auto found = std::ranges::find(terms, base, &Term::base);
      if (found != terms.end()) term = &*found;
    } else {
      if (places.empty()) {
        for (std::size_t i = 0; i < terms.size(); ++i) places.emplace(terms[i].base.id(), i);
      }
      const auto [place, fresh] = places.emplace(base.id(), terms.size());
      if (!fresh) term = &terms[place->second];
    }
    if (term != nullptr) {
      term->factor += factor;
      return true;
    }
    terms.push_back({base, factor});
    return terms.size() <= kMaxTerms;
  }

  // The terms as a left-nested sum in the order of expressions, the constant last.
  Expr build() const {
    std::vector<Expr> parts;
    for (const Term& term : terms) {
      __int128 rest = term.factor;
      while (rest != 0) parts.push_back(times(term.base, take_index(rest)));
    }
    std::ranges::sort(parts, [](Expr a, Expr b) { return compare(a, b) < 0; });
    __int128 rest = constant;
    if (parts.empty()) parts.push_back(Expr::constant(take_index(rest)));
    Expr sum = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) sum = node(ExprKind::add, sum, parts[i]);
    while (rest != 0) sum = node(ExprKind::add, sum, Expr::constant(take_index(rest)));
    return sum;
  }

  bool constant_fits() const { return fits(constant); }
  static bool fits(__int128 value) { return value >= kIndexMin && value <= kIndexMax; }
  static Index take_index(__int128& rest) {
    const __int128 part = fits(rest) ? rest : rest < 0 ? -kIndexMax : kIndexMax;
    rest -= part;
    return static_cast<Index>(part);
  }

  std::unordered_map<const void*, std::size_t> places = {};
};

Expr Canonicalizer::canonical(Expr expr) {
  if (!expr.is_binary()) return expr;
  if (const auto found = canonical_.find(expr.id()); found != canonical_.end()) return found->second;
  Expr result = rewrite(expr);
  if (result.depth() > kMaxExprDepth) result = expr;  // flattening made it too deep to walk
  canonical_.emplace(expr.id(), result);
  canonical_.emplace(result.id(), result);
  return result;
}

Expr Canonicalizer::negated(Expr expr) {
  if (expr.is_variable()) return times(expr, -1);
  return canonical(times(expr, -1));
}

Expr Canonicalizer::rewrite(Expr expr) {
  switch (expr.kind()) {
    case ExprKind::add:
    case ExprKind::mul:
      return rewrite_sum(expr);
    case ExprKind::min:
    case ExprKind::max:
      return rewrite_extremum(expr);
    default:
      break;
  }
  const Expr lhs = canonical(expr.lhs());
  Expr rhs = canonical(expr.rhs());
  if (rhs.is_constant(0)) rhs = expr.rhs();  // x / (y - y) stays: no text has a literal divisor 0
  const Expr plain = node(expr.kind(), lhs, rhs);
  // Quotients and remainders by 0 or by an expression keep their undefined points.
  if (!plain.is_binary() || !rhs.is_constant() || rhs.value() == 0 || rhs.value() == kIndexMin) return plain;
  const Index d = rhs.value();
  if (expr.kind() == ExprKind::floor_div) return floor_quotient(lhs, d);
  if (expr.kind() == ExprKind::mod) return remainder(lhs, magnitude(d));
  // ceil(x / d) = floor((x + d - 1) / d), and for d < 0 it is -floor(x / -d).
  if (d < 0) return negated(floor_quotient(lhs, -d));
  if (d > kLargestCeiling) return plain;
  return floor_quotient(canonical(lhs + (d - 1)), d);
}

Expr Canonicalizer::rewrite_sum(Expr expr) {
  constexpr int kMostPasses = 4;  // terms that did not fit may do after others canceled
  for (int pass = 0; pass < kMostPasses; ++pass) {
    Sum sum;
    if (!collect(expr, 1, sum) || !join_digits(sum)) return expr;
    const Expr built = sum.build();
    if (!sum.unfolded || built == expr) return built;
    expr = built;
    if (expr.kind() != ExprKind::add && expr.kind() != ExprKind::mul) break;
  }
  return expr;
}

// Adds expr * factor to the sum; false when there are too many terms.
bool Canonicalizer::collect(Expr expr, Index factor, Sum& sum) {
  if (expr.is_constant()) {
    Index value = 0;
    if (mul_overflows(expr.value(), factor, value)) {
      sum.unfolded = true;
      return sum.add(expr, factor);
    }
    sum.constant += value;
    return true;
  }
  if (expr.kind() == ExprKind::add) {
    if (expr.node_count() > kLargeTree && canonical_.find(expr.id()) == canonical_.end()) {
      const Expr lhs = canonical(expr.lhs());
      return collect(lhs, factor, sum) && collect(canonical(expr.rhs()), factor, sum);
    }
    return collect(expr.lhs(), factor, sum) && collect(expr.rhs(), factor, sum);
  }
  if (expr.kind() == ExprKind::mul) {
    if (expr.rhs().is_constant()) return collect(expr.lhs(), expr.rhs().value(), factor, sum);
    const Expr lhs = canonical(expr.lhs());
    const Expr rhs = canonical(expr.rhs());
    if (lhs.is_constant()) return collect(rhs, lhs.value(), factor, sum);
    if (rhs.is_constant()) return collect(lhs, rhs.value(), factor, sum);
    const Term a = split(lhs);
    const Term b = split(rhs);
    Expr base = product(a.base, b.base);
    for (const Index k : {a.factor, b.factor}) {
      Index both = 0;
      if (mul_overflows(factor, k, both)) {
        base = times(base, k);
        sum.unfolded = true;
      } else {
        factor = both;
      }
    }
    return sum.add(base, factor);
  }
  const Expr leaf = canonical(expr);
  if (leaf.is_constant() || leaf.kind() == ExprKind::add || leaf.kind() == ExprKind::mul) {
    return collect(leaf, factor, sum);
  }
  return sum.add(leaf, factor);
}

// Adds expr * k * factor. Where k * factor leaves 64 bits the constants stay apart.
bool Canonicalizer::collect(Expr expr, Index k, Index factor, Sum& sum) {
  Index both = 0;
  if (!mul_overflows(k, factor, both)) return collect(expr, both, sum);
  const Expr e = canonical(expr);
  if (e.kind() == ExprKind::add) return collect(e.lhs(), k, factor, sum) && collect(e.rhs(), k, factor, sum);
  sum.unfolded = true;
  return sum.add(times(e, k), factor);
}

// x = (x / c) * c + x mod c: joins such pairs, with any common factor y. False when there are too many terms.
bool Canonicalizer::join_digits(Sum& sum) {
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    if (!Sum::fits(sum.terms[i].factor)) continue;
    const Term quotient = {sum.terms[i].base, static_cast<Index>(sum.terms[i].factor)};
    if (quotient.base.kind() != ExprKind::floor_div || !quotient.base.rhs().is_constant()) continue;
    const Index c = quotient.base.rhs().value();
    if (c <= 0 || quotient.factor == 0 || quotient.factor % c != 0) continue;
    const Index y = quotient.factor / c;
    const Expr digit = canonical(node(ExprKind::mod, quotient.base.lhs(), quotient.base.rhs()));
    if (!digit.is_binary() || digit.kind() == ExprKind::add) continue;
    const Term part = split(digit);
    Index wanted = 0;
    if (mul_overflows(part.factor, y, wanted)) continue;
    const auto found = std::ranges::find_if(sum.terms, [&](const Sum::Term& t) {
      return t.factor == wanted && wanted != 0 && t.base == part.base;
    });
    if (found == sum.terms.end()) continue;
    found->factor = 0;
    sum.terms[i].factor = 0;
    if (!collect(quotient.base.lhs(), y, sum)) return false;
    i = static_cast<std::size_t>(-1);  // x may have brought new digits
  }
  return true;
}

Expr Canonicalizer::rewrite_extremum(Expr expr) {
  Expr a = canonical(expr.lhs());
  Expr b = canonical(expr.rhs());
  const Expr difference = canonical(a - b);
  if (difference.is_constant() && !(a.is_constant() && b.is_constant())) {
    const bool left = expr.kind() == ExprKind::min ? difference.value() <= 0 : difference.value() >= 0;
    return left ? a : b;
  }
  if (compare(a, b) > 0) std::swap(a, b);
  return node(expr.kind(), a, b);
}

Expr Canonicalizer::scaled(Expr expr, Index factor) { return canonical(times(expr, factor)); }

// floor(dividend / d) for canonical dividends and d != 0.
Expr Canonicalizer::floor_quotient(Expr dividend, Index d) {
  if (d == 1) return dividend;
  if (d == -1) return negated(dividend);
  if (!dividend.is_binary()) return node(ExprKind::floor_div, dividend, Expr::constant(d));
  if (const auto [base, factor] = split(dividend); factor != 1) {
    const Index g = common_factor(factor, d);
    if (g > 1) return floor_quotient(scaled(base, factor / g), d / g);
    return node(ExprKind::floor_div, dividend, Expr::constant(d));
  }
  if (dividend.kind() != ExprKind::add) return node(ExprKind::floor_div, dividend, Expr::constant(d));
  Sum sum;
  Sum whole;  // what the divisor divides leaves the quotient
  if (!collect(dividend, 1, sum) || !sum.constant_fits()) {
    return node(ExprKind::floor_div, dividend, Expr::constant(d));
  }
  for (Sum::Term& term : sum.terms) {
    if (term.factor % d != 0) continue;
    whole.add(term.base, term.factor / d);
    term.factor = 0;
  }
  const Index multiple = divisor(dividend.rhs().is_constant() ? dividend.lhs() : dividend);
  const auto constant = static_cast<Index>(sum.constant);
  const Index q = floor_div(constant, d);
  const Index rest = d > 0 ? mod(constant, d) : constant % d - (constant % d > 0 ? -d : 0);
  // floor((x + rest) / d) = floor(x / d) when x and d are multiples of g and |rest| < g.
  const bool drop = rest == 0 || (multiple > 1 && magnitude(rest) < common_factor(multiple, d));
  const bool dropped = drop && constant != 0;
  if (dropped) {
    whole.constant = q;
    sum.constant = 0;
  }
  if (whole.terms.empty() && !dropped) {
    return node(ExprKind::floor_div, dividend, Expr::constant(d));
  }
  const Expr remaining = sum.build();
  const Expr quotient = remaining.is_constant() ? Expr::constant(floor_div(remaining.value(), d))
                                                : floor_quotient(remaining, d);
  return canonical(node(ExprKind::add, quotient, whole.build()));
}

// dividend modulo m for canonical dividends and m >= 1.
Expr Canonicalizer::remainder(Expr dividend, Index m) {
  if (divisor(dividend) % m == 0) return Expr::constant(0);
  if (dividend.is_constant()) return Expr::constant(mod(dividend.value(), m));
  if (const auto [base, factor] = split(dividend); factor != 1) {
    const Index g = common_factor(factor, m);
    if (g > 1) return scaled(remainder(scaled(base, factor / g), m / g), g);
  }
  if (dividend.kind() == ExprKind::mod && dividend.rhs().is_constant()) {
    const Index inner = dividend.rhs().value();
    if (inner > 0 && inner % m == 0) return remainder(dividend.lhs(), m);
  }
  Sum sum;
  if (dividend.kind() == ExprKind::add && collect(dividend, 1, sum)) {
    bool dropped = false;
    for (Sum::Term& term : sum.terms) {
      if (term.factor % m != 0) continue;
      term.factor = 0;
      dropped = true;
    }
    if (sum.constant != 0 && sum.constant % m == 0) {
      sum.constant = 0;
      dropped = true;
    }
    if (dropped) return remainder(sum.build(), m);
  }
  return node(ExprKind::mod, dividend, Expr::constant(m));
}

// largest_known_divisor with a memo that lives as long as this object.
Index Canonicalizer::divisor(Expr expr) {
  if (expr.is_variable()) return 1;
  if (expr.is_constant()) return expr.value() == kIndexMin ? 1 : magnitude(expr.value());
  if (const auto found = divisors_.find(expr.id()); found != divisors_.end()) return found->second;
  const Index lhs = divisor(expr.lhs());
  const Index rhs = divisor(expr.rhs());
  Index result = 1;
  if (expr.kind() == ExprKind::mul) {
    result = checked_mul(lhs, rhs).value_or(1);
  } else if (expr.kind() == ExprKind::floor_div || expr.kind() == ExprKind::ceil_div) {
    if (expr.rhs().is_constant() && rhs != 0 && lhs % rhs == 0) result = lhs / rhs;
  } else {
    result = std::gcd(lhs, rhs);
  }
  divisors_.emplace(expr.id(), result);
  return result;
}

Expr canonical(Expr expr) { return Canonicalizer().canonical(expr); }

}  // namespace tessera
