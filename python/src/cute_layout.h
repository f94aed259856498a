// SPDX-License-Identifier: Apache-2.0
// The values of tessera.cute, and how the calculator's values become Python objects.
#pragma once

#include <string>
#include <string_view>

#include "python/src/python.h"
#include "tessera/algebra/composed_layout.h"
#include "tessera/base/result.h"
#include "tessera/eval/evaluator.h"
#include "tessera/notation/layout.h"

namespace tessera::python {

/// tessera.cute.Layout.
struct CuteLayout {
  StridedLayout value;
  Result<Layout> to_layout() const { return Layout::make(value); }
};

/// tessera.cute.ComposedLayout: a chain of more than one part.
struct CuteChain {
  ComposedLayout value;
  Result<Layout> to_layout() const { return Layout::make(value); }
};

/// A cute object, a tessera.Layout in CuTe's notation, an integer, None for a hole, a tuple of these, or a
/// text as the calculator reads it. Raises ParseError, TypeError.
Value value_argument(nb::handle value);

/// int, tuple, Layout, ComposedLayout, Swizzle, a tuple of tilers, (layout, offset), (tile, layout), list,
/// bool or str, by the kind of the value.
nb::object object_of(const Value& value);

/// Nested integers, with None for each hole.
nb::object tuple_object(const Coord& coord);
nb::object tuple_object(const IntTuple& tuple);
/// The strides of a layout; a scaled basis is a text such as `1@0`.
nb::object stride_object(const StridedLayout& layout);

/// An integer or a tuple of integers. Raises TypeError.
IntTuple int_tuple_argument(nb::handle value);

/// Calls the function of the calculator. Raises the errors of `tessera eval`.
Value call_function(std::string_view name, std::vector<Value> arguments);

/// `(4,(2,3))` for Python: `(4,(2,3))`, with a comma in tuples of one element.
std::string python_text(nb::handle nested);

}  // namespace tessera::python
