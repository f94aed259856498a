// SPDX-License-Identifier: Apache-2.0
// The values of tessera.cute, and their conversion from and to values of the calculator.
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
/// text in the calculator's syntax. Raises ParseError, TypeError.
Value value_argument(nb::handle value);

/// int, tuple, Layout, ComposedLayout, Swizzle, a tuple of tilers, (layout, offset), (tile, layout), list,
/// bool or str, depending on the kind of the value.
nb::object object_of(const Value& value);

/// Nested integers, with None for each hole.
nb::object tuple_object(const Coord& coord);
nb::object tuple_object(const IntTuple& tuple);
/// The strides of a layout; a scaled basis is a text such as `1@0`.
nb::object stride_object(const StridedLayout& layout);

/// An integer or a tuple of integers. Raises TypeError.
IntTuple int_tuple_argument(nb::handle value);

/// Calls a function of the calculator by name. Raises the errors of `tessera eval`.
Value call_function(std::string_view name, std::vector<Value> arguments);

/// The text of a nested tuple in Python: `(4, (2, 3))` becomes `(4,(2,3))`, with a comma in tuples of one
/// element.
std::string python_text(nb::handle nested);

}  // namespace tessera::python
