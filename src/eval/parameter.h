// SPDX-License-Identifier: Apache-2.0
// Converts values to the kinds of parameters.
#pragma once

#include <concepts>
#include <optional>

#include "tessera/base/result.h"
#include "tessera/eval/evaluator.h"

namespace tessera::eval {

/// A shape: a tuple whose extents are at least 1, or the shape of a layout.
struct Shape {
  IntTuple tuple = {};
};
/// A layout, a chain, or a swizzle alone.
struct Chain {
  ComposedLayout layout = {};
};
/// A layout, a chain, or the bases of a linear layout over F2; `layout` is not meant if there are bases.
struct ChainOrBases {
  ComposedLayout layout = {};
  std::optional<LinearBases> bases = {};
};

/// The right operand of a composition: a value that is a tiler or a chain.
struct TilerOrChain {
  Value value = {};
};

/// Reads a value as T. Fails with argument_type, without a message, for a value of another kind; the caller
/// adds the argument and the function.
template <class T>
struct Parameter;

#define TESSERA_PARAMETER(T, words)                 \
  template <>                                       \
  struct Parameter<T> {                             \
    static constexpr std::string_view kind = words; \
    static Result<T> read(const Value& value);      \
  };
TESSERA_PARAMETER(Value, "a value")
TESSERA_PARAMETER(Index, "an integer")
TESSERA_PARAMETER(IntTuple, "an integer or a tuple")
TESSERA_PARAMETER(Coord, "a coordinate")
TESSERA_PARAMETER(TrackedCoord, "an integer, a tuple or '_'")
TESSERA_PARAMETER(Shape, "a shape")
TESSERA_PARAMETER(StridedLayout, "a layout")
TESSERA_PARAMETER(Chain, "a layout")
TESSERA_PARAMETER(ChainOrBases, "a layout")
TESSERA_PARAMETER(Tiler, "a layout or a tiler")
TESSERA_PARAMETER(TilerOrChain, "a layout or a tiler")
TESSERA_PARAMETER(Swizzle, "a swizzle")
TESSERA_PARAMETER(AxeLayout, "an Axe layout")
TESSERA_PARAMETER(TrackedTuple, "an integer or a tuple")
TESSERA_PARAMETER(TrackedLayout, "a layout")
TESSERA_PARAMETER(TrackedTiler, "a layout or a tiler")
#undef TESSERA_PARAMETER

// Converts return values of functions to values.
inline Value to_value(Value value) { return value; }
inline Value to_value(bool yes) { return Value(Value::Data(Truth{yes, {}})); }
template <std::integral I>
  requires(!std::same_as<I, bool>)
Value to_value(I number) {
  return Value(IntTuple(static_cast<Index>(number)));
}
inline Value to_value(const Coord& coord) { return Value(Value::Data(TrackedCoord{coord, 0})); }
inline Value to_value(const IntTuple& tuple) { return Value(tuple); }
inline Value to_value(const StridedLayout& layout) { return Value(layout); }
inline Value to_value(const ComposedLayout& chain) { return Value(chain); }
inline Value to_value(const Tiler& tiler) { return Value(tiler); }
template <class T>
  requires std::constructible_from<Value::Data, T> && (!std::integral<std::remove_cvref_t<T>>)
Value to_value(T&& data) {
  return Value(Value::Data(std::forward<T>(data)));
}

}  // namespace tessera::eval
