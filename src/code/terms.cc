// SPDX-License-Identifier: Apache-2.0
#include "code/terms.h"

#include <bit>

#include "base/power_of_two.h"

namespace tessera::coding {
namespace {

__extension__ using UnsignedWide = unsigned __int128;

using tessera::detail::is_power_of_two;
using tessera::detail::log2_of;

// The mask of all bits up to the highest bit of x >= 0.
Index ones_of(Index x) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(x));
  return static_cast<Index>((std::uint64_t{1} << bits) - 1);
}

}  // namespace

std::optional<Reciprocal> reciprocal(Index n, Index largest, int product_bits) {
  const auto divisor = static_cast<UnsignedWide>(n);
  const auto x = static_cast<UnsignedWide>(largest);
  // The largest dividend that is n - 1 modulo n. If there is none, every quotient is 0.
  const UnsignedWide worst = x + 1 < divisor ? 0 : (x + 1) / divisor * divisor - 1;
  for (int shift = 0; shift < 64; ++shift) {
    const UnsignedWide power = UnsignedWide{1} << shift;
    const UnsignedWide factor = (power + divisor - 1) / divisor;
    const UnsignedWide excess = factor * divisor - power;
    // If all dividends are below n, the quotient is 0 as long as the product stays below 2^shift.
    const bool exact = worst == 0 ? x * factor < power : excess == 0 || worst < (power + excess - 1) / excess;
    if (!exact) continue;
    if ((factor >> 64) != 0) return std::nullopt;
    const UnsignedWide product = x * factor;
    if (product_bits < 128 && (product >> product_bits) != 0) return std::nullopt;
    return Reciprocal{static_cast<std::uint64_t>(factor), shift};
  }
  return std::nullopt;
}

TermId Terms::make(Op op, TermId lhs, TermId rhs, Index value, Interval range) {
  const auto [at, added] = known_.try_emplace({op, lhs, rhs, value}, static_cast<TermId>(terms_.size()));
  if (added) terms_.push_back({.op = op, .value = value, .lhs = lhs, .rhs = rhs, .range = range});
  return at->second;
}

TermId Terms::constant(Index value) { return make(Op::constant, 0, 0, value, {value, value}); }

TermId Terms::variable(Index number, Interval range) { return make(Op::variable, 0, 0, number, range); }

TermId Terms::add(TermId a, TermId b) {
  const CodeTerm x = terms_[a];
  const CodeTerm y = terms_[b];
  const Interval range = x.range + y.range;
  if (x.op == Op::constant && y.op == Op::constant && range.is_point()) return constant(range.lower);
  if (x.op == Op::constant) return x.value == 0 ? b : make(Op::add, b, a, 0, range);
  if (y.op == Op::constant) {
    if (y.value == 0) return a;
    // Simplifies (x + c) + d.
    const bool sum = x.op == Op::add || x.op == Op::subtract;
    if (sum && terms_[x.rhs].op == Op::constant) {
      const Interval inner = x.op == Op::add ? terms_[x.rhs].range : -terms_[x.rhs].range;
      const Interval both = inner + y.range;
      if (both.is_point()) return add(x.lhs, constant(both.lower));
    }
    if (y.value < 0 && y.value != kIndexMin) return make(Op::subtract, a, constant(-y.value), 0, range);
  }
  // The low bits of a term and its high ones: (d & 15) + (d & -16) is d.
  if (x.op == Op::bit_and && y.op == Op::bit_and && x.lhs == y.lhs &&
      terms_[x.rhs].value == ~terms_[y.rhs].value)
    return x.lhs;
  return make(Op::add, a, b, 0, range);
}

TermId Terms::subtract(TermId a, TermId b) {
  const CodeTerm x = terms_[a];
  const CodeTerm y = terms_[b];
  const Interval range = x.range - y.range;
  if (x.op == Op::constant && y.op == Op::constant && range.is_point()) return constant(range.lower);
  if (a == b) return constant(0);
  if (y.op == Op::constant && y.value == 0) return a;
  if (y.op == Op::constant && y.value != kIndexMin &&
      (y.value < 0 || ((x.op == Op::add || x.op == Op::subtract) && terms_[x.rhs].op == Op::constant)))
    return add(a, constant(-y.value));
  if (x.op == Op::constant && x.value == 0) return negate(b);
  return make(Op::subtract, a, b, 0, range);
}

TermId Terms::negate(TermId a) {
  const CodeTerm x = terms_[a];
  if (x.op == Op::constant && x.value != kIndexMin) return constant(-x.value);
  if (x.op == Op::negate) return x.lhs;
  return make(Op::negate, a, 0, 0, -x.range);
}

TermId Terms::multiply(TermId a, TermId b) {
  if (is_constant(a)) std::swap(a, b);
  const CodeTerm x = terms_[a];
  const CodeTerm y = terms_[b];
  const Interval range = x.range * y.range;
  if (y.op != Op::constant) return make(Op::multiply, a, b, 0, range);
  if (x.op == Op::constant && range.is_point()) return constant(range.lower);
  if (y.value == 0) return constant(0);
  if (y.value == 1) return a;
  if (y.value == -1) return negate(a);
  if (!rules_->bits || !is_power_of_two(y.value)) return make(Op::multiply, a, b, 0, range);
  // Moves a bit field by one shift instead of two.
  const int up = log2_of(y.value);
  if (x.op == Op::shift_right && x.value == up) return bit_and(x.lhs, -y.value);
  if (x.op == Op::bit_and && terms_[x.rhs].value > 0 && terms_[x.lhs].op == Op::shift_right) {
    const CodeTerm shifted = terms_[x.lhs];
    const Index mask = terms_[x.rhs].value;
    const int left = up - static_cast<int>(shifted.value);
    const Interval moved = terms_[shifted.lhs].range * Interval::point(Index{1} << (left > 0 ? left : 0));
    const bool narrow = moved.upper <= INT32_MAX || moved.upper <= range.upper;
    if (std::bit_width(static_cast<std::uint64_t>(mask)) + up < 62 && moved.lower >= 0 && narrow) {
      const TermId base = left >= 0 ? shift_left(shifted.lhs, left) : shift_right(shifted.lhs, -left);
      return bit_and(base, mask << up);
    }
  }
  return make(Op::multiply, a, b, 0, range);
}

std::optional<TermId> Terms::by_multiplication(TermId a, Index n) {
  const Interval range = terms_[a].range;
  if (!multiply_high_ || range.lower < 0 || !range.is_finite()) return std::nullopt;
  const int bits = range.upper <= INT32_MAX ? rules_->product_bits_of_32 : rules_->product_bits_of_64;
  const auto by = reciprocal(n, range.upper, bits);
  if (!by || by->factor > static_cast<std::uint64_t>(kIndexMax)) return std::nullopt;
  return make(Op::multiply_shift, a, constant(static_cast<Index>(by->factor)), by->shift,
              tessera::floor_div(range, n));
}

TermId Terms::floor_div(TermId a, Index n) {
  const CodeTerm x = terms_[a];
  const Interval range = tessera::floor_div(x.range, n);
  if (n == 1) return a;
  if (range.is_point()) return constant(range.lower);
  if (rules_->bits && is_power_of_two(n)) return shift_right(a, log2_of(n));
  if (!rules_->floors && x.range.lower < 0) {
    // Division truncates. So add a multiple of n that makes the dividend >= 0.
    const Interval up = Interval::point(range.lower) * Interval::point(n);
    if (!up.is_point() || range.lower == kNegInf) return make(Op::quotient, a, constant(n), 0, {});
    return add(floor_div(subtract(a, constant(up.lower)), n), constant(range.lower));
  }
  if (const auto product = by_multiplication(a, n)) return *product;
  return make(Op::quotient, a, constant(n), 0, range);
}

TermId Terms::mod(TermId a, Index n) {
  const CodeTerm x = terms_[a];
  const Interval range = tessera::mod(x.range, n);
  if (n == 1) return constant(0);
  if (range.is_point()) return constant(range.lower);
  const Interval turns = tessera::floor_div(x.range, n);
  if (turns.is_point()) return subtract(a, multiply(constant(turns.lower), n));
  if (rules_->bits && is_power_of_two(n)) return bit_and(a, n - 1);
  if (!rules_->floors && x.range.lower < 0) {
    const Interval up = Interval::point(turns.lower) * Interval::point(n);
    if (!up.is_point() || turns.lower == kNegInf) return make(Op::remainder, a, constant(n), 0, {});
    return mod(subtract(a, constant(up.lower)), n);
  }
  if (const auto product = by_multiplication(a, n)) return assume(subtract(a, multiply(*product, n)), range);
  return make(Op::remainder, a, constant(n), 0, range);
}

TermId Terms::divide(TermId a, TermId b) {
  const Interval x = terms_[a].range;
  const Interval y = terms_[b].range;
  Interval range;
  if (x.lower >= 0 && y.lower >= 1) range = {0, x.upper == kPosInf ? kPosInf : x.upper / y.lower};
  return make(Op::quotient, a, b, 0, range);
}

TermId Terms::rest(TermId a, TermId b) {
  const Interval x = terms_[a].range;
  const Interval y = terms_[b].range;
  const Index most = y.upper == kPosInf ? kPosInf : y.upper - 1;
  return make(Op::remainder, a, b, 0, {0, x.lower >= 0 ? std::min(x.upper, most) : most});
}

TermId Terms::min(TermId a, TermId b) {
  const Interval x = terms_[a].range;
  const Interval y = terms_[b].range;
  if (x.upper <= y.lower) return a;
  if (y.upper <= x.lower) return b;
  return make(Op::min, a, b, 0, tessera::min(x, y));
}

TermId Terms::max(TermId a, TermId b) {
  const Interval x = terms_[a].range;
  const Interval y = terms_[b].range;
  if (x.lower >= y.upper) return a;
  if (y.lower >= x.upper) return b;
  return make(Op::max, a, b, 0, tessera::max(x, y));
}

TermId Terms::assume(TermId a, Interval range) {
  if (const auto both = intersect(terms_[a].range, range)) terms_[a].range = *both;
  return a;
}

TermId Terms::bit_and(TermId a, Index mask) {
  const CodeTerm x = terms_[a];
  if (x.op == Op::constant) return constant(x.value & mask);
  if (mask == 0) return constant(0);
  if (mask < 0) {
    // The mask -2^k clears the bits below k.
    const Interval range = tessera::floor_div(x.range, -mask) * Interval::point(-mask);
    return make(Op::bit_and, a, constant(mask), 0, range);
  }
  if (x.range.lower >= 0 && x.range.is_finite()) {
    const Index possible = ones_of(x.range.upper);
    if ((mask & possible) == 0) return constant(0);
    if ((mask & possible) == possible) return a;
    mask &= possible;
  }
  Interval range = {0, mask};
  if (x.range.lower >= 0 && x.range.upper < mask) range.upper = x.range.upper;
  return make(Op::bit_and, a, constant(mask), 0, range);
}

TermId Terms::bit_xor(TermId a, TermId b) {
  const CodeTerm x = terms_[a];
  const CodeTerm y = terms_[b];
  if (x.op == Op::constant && x.value == 0) return b;
  if (y.op == Op::constant && y.value == 0) return a;
  if (x.op == Op::constant && y.op == Op::constant) return constant(x.value ^ y.value);
  Interval range;
  if (x.range.lower >= 0 && y.range.lower >= 0 && x.range.is_finite() && y.range.is_finite())
    range = {0, ones_of(x.range.upper | y.range.upper)};
  return make(Op::bit_xor, a, b, 0, range);
}

TermId Terms::shift_left(TermId a, int distance) {
  if (distance == 0) return a;
  const CodeTerm x = terms_[a];
  const Interval range = x.range * Interval::point(Index{1} << distance);
  if (x.op == Op::constant && range.is_point()) return constant(range.lower);
  return make(Op::shift_left, a, 0, distance, range);
}

TermId Terms::shift_right(TermId a, int distance) {
  if (distance == 0) return a;
  const CodeTerm x = terms_[a];
  const Interval range = tessera::floor_div(x.range, Index{1} << distance);
  if (range.is_point()) return constant(range.lower);
  // floor(floor(x / 2^i) / 2^j) = floor(x / 2^(i + j)).
  if (x.op == Op::shift_right && x.value + distance < 63)
    return shift_right(x.lhs, static_cast<int>(x.value) + distance);
  return make(Op::shift_right, a, 0, distance, range);
}

std::vector<TermId> Terms::reachable(std::span<const TermId> roots) const {
  std::vector<bool> seen(terms_.size());
  for (const TermId root : roots) seen[root] = true;
  // Operands have smaller numbers than the operations that use them.
  for (TermId id = static_cast<TermId>(terms_.size()); id-- > 0;) {
    const CodeTerm& term = terms_[id];
    if (!seen[id] || term.op <= Op::variable) continue;
    seen[term.lhs] = true;
    const bool unary = term.op == Op::negate || term.op == Op::shift_left || term.op == Op::shift_right;
    if (!unary) seen[term.rhs] = true;
  }
  std::vector<TermId> out;
  for (TermId id = 0; id < terms_.size(); ++id) {
    if (seen[id]) out.push_back(id);
  }
  return out;
}

bool Terms::fit(std::span<const TermId> roots, int bits) const {
  // An interval's infinities are the extreme 64-bit integers, so every finite range fits in 64 bits.
  const Interval type = bits == 64 ? Interval{kNegInf + 1, kPosInf - 1}
                                   : Interval{-(Index{1} << (bits - 1)), (Index{1} << (bits - 1)) - 1};
  const auto representable = [&](TermId id) { return type.contains(terms_[id].range); };
  for (const TermId id : reachable(roots)) {
    const CodeTerm& term = terms_[id];
    if (term.op == Op::constant) continue;  // its users decide
    if (!representable(id)) return false;
    const bool shifts = term.op == Op::shift_left || term.op == Op::shift_right;
    if (shifts && term.value >= bits) return false;
    // The factor of a multiply_shift has a wider type.
    const bool binary = !shifts && term.op > Op::negate;
    if (term.op > Op::variable && terms_[term.lhs].op == Op::constant && !representable(term.lhs))
      return false;
    if (binary && term.op != Op::multiply_shift && terms_[term.rhs].op == Op::constant &&
        !representable(term.rhs))
      return false;
  }
  for (const TermId id : roots) {
    if (!type.contains(terms_[id].range)) return false;
  }
  return true;
}

}  // namespace tessera::coding
