// SPDX-License-Identifier: Apache-2.0
// An integer that remembers how it was computed: the Index of algorithms that run for all sizes. A literal
// type: nothing is recorded while the compiler evaluates. Node 0 is a plain number.
//
// Included where the macro `tessera` gives the library another namespace, so that this one has a name of its
// own.
#pragma once

#include <concepts>
#include <cstdint>

namespace tessera_tracing {

/// A number of a run on one sample, and the node of the recording that it is at all sizes.
struct Number {
  std::int64_t value = 0;
  std::int32_t node = 0;
};

/// a op b, where one of them has a node: + - *, / and % as in C++, ^ is ceil(a / b), f and m round down.
Number computed(char op, Number a, Number b);
/// The outcome of a == b (=) or a >= b (g), where one of them has a node.
void decided(char op, Number a, Number b, bool outcome);
/// A number with a node became a plain one: the run proves nothing.
void lost();

struct Traced {
  std::int64_t value = 0;
  std::int32_t node = 0;

  constexpr Traced() = default;
  template <std::integral I>
  constexpr Traced(I v) : value(static_cast<std::int64_t>(v)) {}  // NOLINT(google-explicit-constructor)
  constexpr Traced(Number n) : value(n.value), node(n.node) {}    // NOLINT(google-explicit-constructor)

  template <std::integral I>
  constexpr explicit operator I() const {
    return static_cast<I>(plain(*this));
  }
  constexpr Number number() const { return {value, node}; }
  static constexpr std::int64_t plain(Traced a) {
    if (!__builtin_is_constant_evaluated() && a.node != 0) lost();
    return a.value;
  }
  static constexpr bool recorded(Traced a, Traced b) {
    return !__builtin_is_constant_evaluated() && (a.node != 0 || b.node != 0);
  }
  static constexpr bool test(char op, Traced a, Traced b, bool outcome) {
    if (recorded(a, b)) decided(op, a.number(), b.number(), outcome);
    return outcome;
  }

  friend constexpr Traced operator+(Traced a, Traced b) {
    return recorded(a, b) ? Traced(computed('+', a.number(), b.number())) : Traced(a.value + b.value);
  }
  friend constexpr Traced operator-(Traced a, Traced b) {
    return recorded(a, b) ? Traced(computed('-', a.number(), b.number())) : Traced(a.value - b.value);
  }
  friend constexpr Traced operator*(Traced a, Traced b) {
    return recorded(a, b) ? Traced(computed('*', a.number(), b.number())) : Traced(a.value * b.value);
  }
  friend constexpr Traced operator/(Traced a, Traced b) {
    if (recorded(a, b)) return computed('/', a.number(), b.number());
    // A run that was lost may divide by 0.
    return b.value == 0 ? Traced(0) : b.value == -1 ? Traced(0 - a.value) : Traced(a.value / b.value);
  }
  friend constexpr Traced operator%(Traced a, Traced b) {
    if (recorded(a, b)) return computed('%', a.number(), b.number());
    return b.value == 0 || b.value == -1 ? Traced(0) : Traced(a.value % b.value);
  }
  friend constexpr Traced operator>>(Traced a, Traced b) { return plain(a) >> plain(b); }
  friend constexpr Traced operator<<(Traced a, Traced b) { return plain(a) << plain(b); }
  friend constexpr Traced operator&(Traced a, Traced b) { return plain(a) & plain(b); }
  friend constexpr Traced operator|(Traced a, Traced b) { return plain(a) | plain(b); }
  friend constexpr Traced operator^(Traced a, Traced b) { return plain(a) ^ plain(b); }
  constexpr Traced operator-() const { return Traced(0) - *this; }
  constexpr Traced& operator+=(Traced o) { return *this = *this + o; }
  constexpr Traced& operator-=(Traced o) { return *this = *this - o; }
  constexpr Traced& operator*=(Traced o) { return *this = *this * o; }
  constexpr Traced& operator/=(Traced o) { return *this = *this / o; }
  constexpr Traced& operator%=(Traced o) { return *this = *this % o; }
  constexpr Traced& operator^=(Traced o) { return *this = *this ^ o; }
  constexpr Traced& operator>>=(Traced o) { return *this = *this >> o; }
  constexpr Traced& operator++() { return *this += 1; }
  constexpr Traced& operator--() { return *this -= 1; }
  constexpr Traced operator++(int) {
    const Traced t = *this;
    *this += 1;
    return t;
  }
  constexpr Traced operator--(int) {
    const Traced t = *this;
    *this -= 1;
    return t;
  }
  friend constexpr bool operator==(Traced a, Traced b) { return test('=', a, b, a.value == b.value); }
  friend constexpr bool operator!=(Traced a, Traced b) { return !test('=', a, b, a.value == b.value); }
  friend constexpr bool operator>=(Traced a, Traced b) { return test('g', a, b, a.value >= b.value); }
  friend constexpr bool operator<(Traced a, Traced b) { return !test('g', a, b, a.value >= b.value); }
  friend constexpr bool operator<=(Traced a, Traced b) { return test('g', b, a, b.value >= a.value); }
  friend constexpr bool operator>(Traced a, Traced b) { return !test('g', b, a, b.value >= a.value); }
};

}  // namespace tessera_tracing
