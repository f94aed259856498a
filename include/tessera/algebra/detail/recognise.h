// SPDX-License-Identifier: Apache-2.0
/// \file
/// Greedily finds the only layout that can have given values, and verifies it at every coordinate.
#pragma once

#include "tessera/algebra/detail/coalesce.h"

namespace tessera {

namespace detail {

/// `sum += step * digit`; false on overflow.
constexpr bool add_scaled(Index& sum, Index step, Index digit) {
  return multiply(step, digit) && !add_overflows(sum, step, sum);
}
/// The value that an error reports.
constexpr Index shown(Index value) { return value; }

/// The value at `k` of a layout whose modes have the extents extent[i] and the strides step[i]; the last mode
/// is unbounded. False on overflow. Value is Index, or Components of a coordinate.
template <class Value>
constexpr bool predict(const Index* extent, const Value* step, int modes, Index k, Value& sum) {
  sum = Value{};
  for (int i = 0; i < modes && k != 0; ++i) {
    Index digit = k;
    if (i + 1 < modes) {
      k = digit / extent[i];
      digit -= k * extent[i];
    }
    if (!add_scaled(sum, step[i], digit)) return false;
  }
  return true;
}

/// The modes that a function on [0, n) must have to be a layout. Each extent is forced: it is where the
/// values first stop being linear. f(k, value) returns false on overflow; f(0) is 0.
template <class Value>
struct Recognised {
  int count = 0;
  Index extent[kMaxLeaves] = {};
  Value step[kMaxLeaves] = {};
};

template <class Value, class F>
constexpr AlgebraError recognise(F&& f, Index n, Recognised<Value>& out) {
  Index limit = evaluation_limit();
  if (!enumerable(n) || n > limit) return refuse(Code::undecided, n, limit);
  constexpr AlgebraError overflow = refuse(Code::overflow);
  AlgebraError no = {.failed = true, .code = Code::not_representable, .reason = AlgebraReason::stride};
  // The first k < end where f differs from the modes found so far, else `otherwise`.
  const auto witness = [&](Index end, Index otherwise) -> AlgebraError {
    Value actual = {};
    Value said = {};
    Index k = 0;
    for (; k < end; ++k) {
      if (!f(k, actual)) return overflow;
      if (!predict(out.extent, out.step, out.count, k, said) || !(actual == said)) break;
    }
    if (k == end) {
      if (otherwise < 0) return {};
      k = otherwise;
      if (!f(k, actual)) return overflow;
      if (!predict(out.extent, out.step, out.count, k, said)) said = Value{};
    }
    no.witness = k;
    no.first = shown(actual);
    no.second = shown(said);
    return no;
  };
  Index step = 1;
  Index rest = n;
  while (rest > 1) {
    Value e = {};
    if (!f(step, e)) return overflow;
    Index count = 1;
    for (; count < rest; ++count) {
      Value actual = {};
      Value said = {};
      if (!f(count * step, actual)) return overflow;
      if (!add_scaled(said, e, count) || !(actual == said)) break;
    }
    if (out.count == kMaxLeaves) return refuse(Code::capacity, kMaxLeaves + 1, kMaxLeaves);
    out.extent[out.count] = count;
    out.step[out.count] = e;
    ++out.count;
    if (rest % count != 0) return witness(count * step, count * step);
    step *= count;
    rest /= count;
  }
  return witness(n, -1);
}

/// The coalesced layout with L(k) = f(k) - f(0) for 0 <= k < n. Exact: refuses only if there is none. `f`
/// maps Index to Index. Errors: not_representable (stride; the witness is the smallest k where no layout can
/// agree), undecided (n beyond evaluation_limit()), overflow. O(n · modes).
template <class F>
constexpr Outcome<StridedLayout> recognise(F&& f, Index n) {
  if (n < 1) return refuse(Code::bad_extent, n);
  const Index start = f(Index{0});
  detail::Recognised<Index> found;
  const AlgebraError e = detail::recognise<Index>(
      [&](Index k, Index& value) { return !sub_overflows(f(k), start, value); }, n, found);
  if (e.failed) return e;
  detail::FlatModes modes;
  modes.count = 0;
  for (int i = 0; i < found.count; ++i) modes.push(found.extent[i], found.step[i]);
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(modes, build);
  return detail::finish(out, build);
}

}  // namespace detail

}  // namespace tessera
