// SPDX-License-Identifier: Apache-2.0
// tessera.cute.Layout, ComposedLayout and Swizzle.
#include <fmt/format.h>

#include "eval/parameter.h"
#include "python/src/cute_layout.h"
#include "python/src/errors.h"
#include "python/src/layout_argument.h"
#include "tessera/algebra/detail/layout_algebra.h"
#include "tessera/notation/cute.h"

namespace tessera::python {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

// A layout from a shape and optional strides, which are the arguments of Layout(shape, stride).
StridedLayout make(nb::handle shape, nb::handle stride) {
  if (stride.is_none()) {
    const Value value = value_argument(shape);
    Result<StridedLayout> layout = eval::Parameter<StridedLayout>::read(value);
    if (!layout) {
      raise(layout.error().message.empty()
                ? Diagnostic{.code = Code::argument_type,
                             .message = "expected a layout, found " + to_string(value)}
                : layout.error());
    }
    return *layout;
  }
  const bool plain = nb::isinstance<nb::str>(shape) || nb::isinstance<nb::str>(stride);
  const auto text_of = [](nb::handle part) {
    std::string text = nb::isinstance<nb::str>(part) ? nb::cast<std::string>(part) : python_text(part);
    std::erase(text, '\'');
    for (std::size_t at = 0; (at = text.find(",)", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  };
  const std::string text = text_of(shape) + ":" + text_of(stride);
  if (plain || text.find('@') != std::string::npos) return unwrap(parse_cute_layout(text), text).layout;
  const Outcome<StridedLayout> layout = make_strided(int_tuple_argument(shape), int_tuple_argument(stride));
  if (!layout) return unwrap(parse_cute_layout(text), text).layout;
  return *layout;
}

nb::object apply(const Value& layout, const nb::args& coordinate) {
  const Value at = coordinate.size() == 1 ? value_argument(coordinate[0]) : value_argument(coordinate);
  if (const auto* coord = at.as<TrackedCoord>(); coord != nullptr && coord->coord.holes != 0) {
    const nb::object slice = object_of(call_function("slice", {at, layout}));
    return nb::isinstance<nb::tuple>(slice) ? nb::object(slice[0]) : slice;
  }
  if (at.as<TrackedCoord>() != nullptr) return object_of(call_function("evaluate", {layout, at}));
  return object_of(call_function("composition", {layout, at}));
}

// Returns the offset. If the coordinate does not consist of integers of the layout, nanobind tries the next
// overload.
Index cute_offset_at(const StridedLayout& layout, const IntTuple& at) {
  const Outcome<Index> offset = tessera::detail::offset(layout, at);
  if (!offset) throw nb::next_overload();
  return *offset;
}

nb::object call_layout(const CuteLayout& self, const nb::args& coordinate) {
  return apply(Value(self.value), coordinate);
}

nb::object call_chain(const CuteChain& self, const nb::args& coordinate) {
  return apply(Value(self.value), coordinate);
}

CuteLayout mode_of(const StridedLayout& layout, Index i) {
  const Index rank = layout.rank();
  if (i < 0) i += rank;
  if (i < 0 || i >= rank) throw nb::index_error(fmt::format("the layout has {} modes", rank).c_str());
  return {sublayout(layout, mode_at(layout.profile, static_cast<int>(i)))};
}

CuteLayout mode_at_path(const StridedLayout& layout, nb::handle path) {
  CuteLayout at{layout};
  const Indices steps(path);
  for (const Index i : steps.span()) at = mode_of(at.value, i);
  return at;
}

constexpr const char* kCallDoc =
    "The offset of a coordinate: integers, nested tuples, or one 1-D coordinate. With None in place of some\n"
    "integers, the layout of those modes; with a layout, the composition. The offset of a layout whose "
    "strides are\n"
    "bases, such as that of make_identity_layout, is a tuple.";

}  // namespace

void add_cute(nb::module_& m) {
  nb::class_<Swizzle>(m, "Swizzle",
                      "Sw<bits,base,shift>: XORs ``bits`` bits, from base + shift, into those from base.\n\n"
                      ">>> from tessera import cute\n"
                      ">>> cute.Swizzle(3, 0, 3)(19)\n17")
      .def(
          "__init__",
          [](Swizzle* self, Index bits, Index base, Index shift) {
            new (self) Swizzle(
                unwrap(detail::to_result(make_swizzle(bits, base, shift), "Swizzle", bits, base, shift)));
          },
          "bits"_a, "base"_a, "shift"_a, "Raises Error (bad_swizzle).")
      .def_ro("bits", &Swizzle::bits)
      .def_ro("base", &Swizzle::base)
      .def_ro("shift", &Swizzle::shift)
      .def(
          "__call__",
          [](const Swizzle& s, Index x) {
            return unwrap(detail::to_result(offset(ComposedLayout(s), x), "Swizzle", x));
          },
          "x"_a, "The swizzled offset. Raises Error for x < 0.")
      .def(
          "__eq__", [](const Swizzle& a, const Swizzle& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const Swizzle& s) { return nb::hash(nb::make_tuple(s.bits, s.base, s.shift)); },
          nb::sig("def __hash__(self) -> int"))
      .def("__str__", [](const Swizzle& s) { return to_string(s); })
      .def("__repr__",
           [](const Swizzle& s) { return fmt::format("cute.Swizzle({},{},{})", s.bits, s.base, s.shift); })
      .def(
          "__reduce__",
          [](const Swizzle& s) {
            return nb::make_tuple(nb::type<Swizzle>(), nb::make_tuple(s.bits, s.base, s.shift));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));

  nb::class_<CuteLayout>(
      m, "Layout",
      "shape:stride, the function from a coordinate to the sum of digit times stride. Immutable.\n"
      "The leftmost mode is the fastest; without strides the layout is compact.\n\n"
      ">>> from tessera import cute\n"
      ">>> layout = cute.Layout((4, (2, 2)), (4, (2, 1)))\n"
      ">>> layout(2, (0, 1)), layout[1], cute.size(layout)\n"
      "(9, cute.Layout((2,2),(2,1)), 16)")
      .def(
          "__init__",
          [](CuteLayout* self, nb::handle shape, nb::handle stride) {
            new (self) CuteLayout{make(shape, stride)};
          },
          "shape"_a, "stride"_a = nb::none(),
          nb::sig(
              "def __init__(self, shape: tessera._types.LayoutLike, stride: tessera._types.Stride | None = "
              "None) -> None"),
          "From nested integers, or a text such as ``(4,8):(8,1)``. Raises Error (not_congruent, "
          "bad_extent,\n"
          "overflow).")
      .def_prop_ro(
          "shape", [](const CuteLayout& l) { return tuple_object(l.value.shape()); },
          nb::sig("def shape(self) -> tessera._types.IntTuple"), "Nested extents.")
      .def_prop_ro(
          "stride", [](const CuteLayout& l) { return stride_object(l.value); },
          nb::sig("def stride(self) -> tessera._types.Stride"),
          "Nested strides; a scaled basis is a text: ``1@0``.")
      .def(
          "size", [](const CuteLayout& l) { return l.value.size(); }, "The number of coordinates.")
      .def(
          "cosize", [](const CuteLayout& l) { return unwrap(algebra::cosize(l.value)); },
          "1 + the largest offset, for strides >= 0.")
      .def(
          "rank", [](const CuteLayout& l) { return l.value.rank(); }, "The number of modes.")
      .def(
          "depth", [](const CuteLayout& l) { return depth(l.value); }, "The depth of the nesting.")
      .def("__len__", [](const CuteLayout& l) { return l.value.rank(); })
      // The usual calls, without the overhead of an argument tuple.
      .def(
          "__call__", [](const CuteLayout& l, Index i) { return cute_offset_at(l.value, IntTuple(i)); },
          nb::sig("def __call__(self, i: int, /) -> int"))
      .def(
          "__call__",
          [](const CuteLayout& l, Index i, Index j) { return cute_offset_at(l.value, make_tuple(i, j)); },
          nb::sig("def __call__(self, i: int, j: int, /) -> int"))
      // The first of these takes every call; the others are for type checkers.
      .def("__call__", &call_layout,
           nb::sig("def __call__(self, *coordinate: tessera._types.IntTuple) -> int"))
      .def("__call__", &call_layout, nb::sig("def __call__(self, inner: Layout, /) -> Layout"))
      .def("__call__", &call_layout,
           nb::sig("def __call__(self, *coordinate: tessera._types.Tiler) -> typing.Any"), kCallDoc)
      .def(
          "__getitem__", [](const CuteLayout& l, nb::handle i) { return mode_at_path(l.value, i); },
          nb::sig("def __getitem__(self, mode: int | tuple[int, ...], /) -> Layout"),
          "The sublayout of a mode, or of a nested mode by its path. Raises IndexError.")
      .def(
          "to_layout", [](const CuteLayout& l) { return unwrap(l.to_layout()); },
          nb::sig("def to_layout(self) -> tessera._core.Layout"),
          "The tessera.Layout, with one dimension per mode.")
      .def(
          "__eq__", [](const CuteLayout& a, const CuteLayout& b) { return a.value == b.value; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const CuteLayout& l) { return nb::hash(nb::cast(to_string(l.value))); },
          nb::sig("def __hash__(self) -> int"))
      .def("__str__", [](const CuteLayout& l) { return to_string(l.value); })
      .def("__repr__",
           [](const CuteLayout& l) {
             return fmt::format("cute.Layout({},{})", python_text(tuple_object(l.value.shape())),
                                python_text(stride_object(l.value)));
           })
      .def(
          "__reduce__",
          [](const CuteLayout& l) {
            return nb::make_tuple(nb::type<CuteLayout>(), nb::make_tuple(to_string(l.value)));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));

  nb::class_<CuteChain>(
      m, "ComposedLayout",
      "c -> A(offset + B(c)), applied from the right: swizzles, offsets and layouts. Immutable.\n\n"
      ">>> from tessera import cute\n"
      ">>> cute.ComposedLayout(cute.Swizzle(3, 0, 3), 0, cute.Layout((8, 8), (8, 1)))(1, 0)\n9")
      .def(
          "__init__",
          [](CuteChain* self, nb::handle outer, nb::handle offset, nb::handle inner) {
            const Value value =
                inner.is_none()
                    ? value_argument(outer)
                    : call_function("make_composed_layout",
                                    {value_argument(outer), value_argument(offset), value_argument(inner)});
            Result<eval::Chain> chain = eval::Parameter<eval::Chain>::read(value);
            if (!chain) raise(Code::argument_type, "not a chain of layouts: " + to_string(value));
            new (self) CuteChain{chain->layout};
          },
          "outer"_a, "offset"_a = 0, "inner"_a = nb::none(),
          nb::sig("def __init__(self, outer: tessera._types.LayoutLike, offset: int = 0, inner: "
                  "tessera._types.LayoutLike | None = None) -> None"),
          "From its parts, or from a text such as ``Sw<3,4,3> o _0 o (8,64):(64,1)``.")
      .def_prop_ro(
          "swizzle", [](const CuteChain& c) { return swizzle_portion(c.value); },
          "The swizzle that the chain begins with, or the identity.")
      .def_prop_ro(
          "layout",
          [](const CuteChain& c) {
            return CuteLayout{unwrap(detail::to_result(nonswizzle_portion(c.value), "layout"))};
          },
          "The last layout.")
      .def_prop_ro(
          "offset",
          [](const CuteChain& c) {
            return c.value.parts > 1 ? c.value.part[c.value.parts - 2].offset : Index{0};
          },
          "The offset before the last part.")
      .def_prop_ro(
          "shape",
          [](const CuteChain& c) {
            return tuple_object(unwrap(detail::to_result(nonswizzle_portion(c.value), "shape")).shape());
          },
          nb::sig("def shape(self) -> tessera._types.IntTuple"), "Nested extents of the last layout.")
      .def(
          "size",
          [](const CuteChain& c) {
            return unwrap(detail::to_result(nonswizzle_portion(c.value), "size")).size();
          },
          "The number of coordinates.")
      .def("__call__", &call_chain,
           nb::sig("def __call__(self, *coordinate: tessera._types.IntTuple) -> int"))
      .def("__call__", &call_chain,
           nb::sig("def __call__(self, *coordinate: tessera._types.Tiler) -> typing.Any"), kCallDoc)
      .def(
          "to_layout", [](const CuteChain& c) { return unwrap(c.to_layout()); },
          nb::sig("def to_layout(self) -> tessera._core.Layout"),
          "The tessera.Layout, with one dimension per mode.")
      .def(
          "__eq__", [](const CuteChain& a, const CuteChain& b) { return a.value == b.value; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const CuteChain& c) { return nb::hash(nb::cast(to_string(c.value))); },
          nb::sig("def __hash__(self) -> int"))
      .def("__str__", [](const CuteChain& c) { return to_string(c.value); })
      .def("__repr__",
           [](const CuteChain& c) {
             return fmt::format("cute.ComposedLayout({})", literal(to_string(c.value)));
           })
      .def(
          "__reduce__",
          [](const CuteChain& c) {
            return nb::make_tuple(nb::type<CuteChain>(), nb::make_tuple(to_string(c.value)));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

}  // namespace tessera::python
