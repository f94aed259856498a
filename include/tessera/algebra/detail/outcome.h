// SPDX-License-Identifier: Apache-2.0
/// \file
/// Outcome<T>: a value, or a small literal error. The Result of the layout algebra, usable in constant
/// expressions.
#pragma once

#include <cstdint>

#include "tessera/base/code.h"
#include "tessera/base/index.h"

namespace tessera::detail {

/// The reason that qualifies not_representable.
enum class AlgebraReason : std::uint8_t {
  none,
  shape,
  stride,
  carry,
  not_power_of_two,
  negative_stride,
  basis_sum,
  search,
  window,
  alignment,
  split_element
};

/// The name of a code, as messages spell it. For constant expressions; elsewhere, use to_string.
constexpr const char* word(Code code) {
  switch (code) {
#define TESSERA_CODE(w, ...) \
  case Code::w:              \
    return #w;
    TESSERA_CODES(TESSERA_CODE)
#undef TESSERA_CODE
  }
  return "";
}
constexpr const char* word(AlgebraReason reason) {
  switch (reason) {
    case AlgebraReason::none:
      return "";
    case AlgebraReason::shape:
      return "shape";
    case AlgebraReason::stride:
      return "stride";
    case AlgebraReason::carry:
      return "carry";
    case AlgebraReason::not_power_of_two:
      return "not_power_of_two";
    case AlgebraReason::negative_stride:
      return "negative_stride";
    case AlgebraReason::basis_sum:
      return "basis_sum";
    case AlgebraReason::search:
      return "search";
    case AlgebraReason::window:
      return "window";
    case AlgebraReason::alignment:
      return "alignment";
    case AlgebraReason::split_element:
      return "split_element";
  }
  return "";
}

/// Why there is no value, if `failed`. What the numbers mean depends on the code; the unused ones are 0.
///
/// not_representable (composition): `leaf` is the leaf of B (-1 if several leaves interact), `witness` the
///   smallest coordinate of the leaf (of B, for carry) at which no layout agrees, `first` the value there,
///   `second` the value of the only layout that agrees before it; both 0 if the values are coordinates.
/// not_representable (linear form): `leaf` is the leaf; `first` and `second` are its extent and stride,
///   or for carry the two bases that share a bit.
/// undecided: `first` evaluations are needed, `second` allowed; with the reason search, a search ended
/// without an
///   answer, `second` is its limit of steps, 0 if it tried only some candidates. capacity: `first` are needed, `second` fit.
/// rank_mismatch: the two ranks. index_out_of_range, empty_range: index (begin, end) and rank.
/// non_injective: `leaf` and `witness` are the two modes of the filtered layout, by increasing stride, that
///   overlap; `first` the stride of the later one, `second` where the earlier one ends. With `first` 0 a mode
///   repeats its offsets: the coordinates 0 and `witness` both have the offset 0.
/// left_inverse_chain: the two strides. *_divisibility: the two numbers, `leaf` the mode. For
///   recast_divisibility, `second` is the factor n, and with the reason window `first` offsets hold the elements
///   that would become one; alignment: `first` is the offset of the chain; split_element: `first` is the lowest
///   bit that a swizzle reads; not_power_of_two: `first` is the factor.
/// not_invertible: 0, or with the reason negative_stride the coordinates `second` and `witness` have the
/// offsets
///   `first` and -`first`.
/// swizzle codes, overflow: the numbers or factors.
struct AlgebraError {
  bool failed = false;
  Code code = {};
  AlgebraReason reason = AlgebraReason::none;
  int leaf = -1;
  Index first = 0;
  Index second = 0;
  Index witness = 0;
  friend constexpr bool operator==(const AlgebraError&, const AlgebraError&) = default;
};

constexpr AlgebraError refuse(Code code, Index first = 0, Index second = 0, int leaf = -1) {
  return {.failed = true, .code = code, .leaf = leaf, .first = first, .second = second};
}

/// A value of T, or the error that explains its absence. `*outcome` requires ok().
template <class T>
struct [[nodiscard]] Outcome {
  T value = {};
  AlgebraError error = {};

  constexpr Outcome() = default;
  constexpr Outcome(const T& v) : value(v) {}
  constexpr Outcome(const AlgebraError& e) : error(e) {}

  constexpr bool ok() const { return !error.failed; }
  constexpr explicit operator bool() const { return ok(); }
  constexpr const T& operator*() const { return value; }
  constexpr const T* operator->() const { return &value; }
};

/// How many evaluations an exact check may spend: 2^20, or 2^10 inside the compiler, where one costs 30 to 55
/// µs and the whole budget is about 10,000. Never initialize a const or constexpr variable with it: compilers
/// evaluate such initializers at compile time even in code that runs later, and would give the small limit.
constexpr Index evaluation_limit() {
  return __builtin_is_constant_evaluated() ? Index{1} << 10 : Index{1} << 20;
}

/// |x|. Strides are never kIndexMin (an invariant of StridedLayout), so this cannot overflow.
constexpr Index magnitude(Index x) { return x < 0 ? -x : x; }
/// x *= y, unless that overflows, which leaves x as it is: messages show it.
constexpr bool multiply(Index& x, Index y) {
  Index product = 0;
  if (mul_overflows(x, y, product)) return false;
  x = product;
  return true;
}
/// The greatest common divisor of two integers >= 0; gcd(n, 0) is n.
constexpr Index gcd(Index a, Index b) {
  while (b != 0) {
    const Index rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace tessera::detail
