// SPDX-License-Identifier: Apache-2.0
// tessera.Layout, tessera.parse and the functions of a layout.
#include "tessera/notation/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>

#include "base/plural.h"
#include "draw/render_json.h"
#include "notation/axe/axe_of_triton.h"
#include "python/src/array_view.h"
#include "python/src/errors.h"
#include "python/src/index_arrays.h"
#include "python/src/layout_argument.h"
#include "python/src/offsets.h"
#include "python/src/picture.h"
#include "python/src/python.h"
#include "report/layout_answer.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/draw/picture.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/conversion.h"

namespace tessera::python {
namespace {

template <std::size_t N>
Index offset_of(const Layout& layout, const std::array<Index, N>& index) {
  check_index(layout, index);
  return layout.offset(index);
}

Index offset_at(const Layout& layout, const Indices& index) {
  check_index(layout, index.span());
  return layout.offset(index.span());
}

// The offsets of arrays of indices, one for each dimension, which broadcast.
nb::object offsets_at(const Layout& layout, const nb::args& arguments) {
  const IndexArrays indices(arguments);
  if (arguments.size() != layout.rank()) {
    raise(Code::rank_mismatch,
          fmt::format("the layout has {}, but {} given", detail::plural(layout.rank(), "dimension"),
                      arguments.size() == 1 ? "1 array is" : fmt::format("{} arrays are", arguments.size())),
          "pass one array of indices for each dimension");
  }
  std::unique_ptr<Index[]> offsets(new Index[indices.size()]);
  std::vector<Index> index(layout.rank());
  const bool inside = released([&] {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      indices.read(i, index);
      for (std::size_t d = 0; d < index.size(); ++d) {
        if (index[d] < 0 || index[d] >= layout.shape()[d]) return false;
      }
      offsets[i] = layout.offset(index);
    }
    return true;
  });
  if (!inside) check_index(layout, index);  // raises
  return indices.array_of(std::move(offsets));
}

// Uses memory from NumPy, which is in huge pages. Otherwise page faults would take longer than computing the
// offsets.
nb::object offsets(const Layout& layout) {
  nb::object array = nb::module_::import_("numpy").attr("empty")(tuple_of(layout.shape()), "int64");
  const ArrayView view(array);
  released([&] {
    write_offsets(layout, {reinterpret_cast<Index*>(view.data()), static_cast<std::size_t>(layout.size())});
  });
  return array;
}

Preimage preimage(const Layout& layout, Index offset, std::size_t limit) {
  return unwrap(released([&] { return indices_at(layout, offset, {.indices = limit}); }));
}

Conversion converted(const Layout& layout, std::string_view notation) {
  const auto* const triton = layout.as<TritonLayout>();
  if (triton != nullptr && notation == "gluon")
    raise(Code::unknown_name, "a class of Gluon is a text, and not a Layout",
          "tessera.TritonLayout(str(layout)).gluon is the text");
  if (triton != nullptr && parse_notation(notation) == Notation::axe && detail::has_axes(*triton)) {
    Diagnostic error{
        .code = Code::not_representable,
        .message = "the places are on several axes, and a Layout is the offset in one memory (axes)",
        .help = "tessera.TritonLayout(str(layout)).to('axe') is the Placement"};
    error.reason = "axes";
    raise(error);
  }
  const Notation to = notation_argument(notation);
  return unwrap(released([&] { return convert(layout, to); }));
}

template <Notation kTo>
Layout to(const Layout& layout) {
  return unwrap(released([&] { return convert(layout, kTo); })).layout;
}

std::optional<std::pair<nb::tuple, nb::tuple>> shared_offset(const Layout& layout) {
  const auto pair = unwrap(released([&] { return collision(layout); }));
  if (!pair) return {};
  return std::pair(tuple_of(pair->first), tuple_of(pair->second));
}

std::string facts_text(const LayoutFacts& facts) {
  std::string text = facts.text;
  for (const auto& [name, value] : fact_rows(facts)) text += fmt::format("\n  {:<10} {}", name, value);
  return text;
}

nb::tuple texts_of(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(text);
  return nb::tuple(list);
}

Layout atom_layout(const Atom& atom) { return read_layout(atom.layout); }

const Atom& atom_by_id(std::string_view id) {
  const Atom* const atom = find_atom(id);
  if (atom == nullptr) {
    raise(Code::unknown_name, fmt::format("there is no atom '{}'", id),
          "[atom.id for atom in tessera.atoms()] lists them");
  }
  return *atom;
}

// The text of an option for a layout, a tiler or a shape, given as a text, a tuple of numbers, or None.
std::string option_text(nb::handle value, std::string_view open = "", std::string_view close = "") {
  if (value.is_none()) return {};
  if (nb::isinstance<nb::tuple>(value) || nb::isinstance<nb::list>(value)) {
    const Indices numbers(value);
    return fmt::format("{}{}{}", open, fmt::join(numbers.span(), ","), close);
  }
  return nb::cast<std::string>(nb::str(value));
}

ShownPicture show_layout(const Layout& layout, const std::string& view, const std::string& color_by,
                         const std::string& cells, nb::handle window, Index columns, Index bytes,
                         nb::handle compare, bool tv, nb::handle tile, nb::handle divide, nb::handle compose,
                         nb::handle product) {
  verbs::FieldTexts fields = {{"view", {view}}, {"color_by", {color_by}}, {"cells", {cells}}};
  if (view == "index") fields.erase("view");  // the default, which goes with every other field
  if (color_by == "auto") fields.erase("color_by");
  if (cells == "auto") fields.erase("cells");
  if (bytes != 0) fields["bytes"] = {std::to_string(bytes)};
  if (columns != 0) fields["columns"] = {std::to_string(columns)};
  if (tv) fields["tv"] = {};
  const std::pair<const char*, std::string> texts[] = {
      {"window", option_text(window)},   {"compare", option_text(compare)},
      {"tile", option_text(tile)},       {"divide", option_text(divide, "<", ">")},
      {"compose", option_text(compose)}, {"product", option_text(product)}};
  for (const auto& [name, text] : texts)
    if (!text.empty()) fields[name] = {text};
  return show(layout, std::move(fields));
}

// The picture for notebooks. Empty for layouts that are too large, so that notebooks show their text instead.
std::optional<std::string> notebook_svg(const Layout& layout) {
  const Result<Picture> picture = released([&] { return picture_of(view_of(layout, to_string(layout))); });
  if (!picture) return {};
  return render_svg(*picture);
}

std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

// The layout, and a line for each note of the command line.
std::string conversion_text(const Conversion& conversion) {
  std::string text = to_string(conversion.layout);
  for (const std::string& note : notes_of(conversion)) text += "\nnote: " + note;
  return text;
}

void add_conversion(nb::module_& m) {
  nb::class_<Conversion>(m, "Conversion", "A converted layout, and what the target notation leaves out.")
      .def_ro("layout", &Conversion::layout, "The same function on the same box.")
      .def_ro("buffer_size", &Conversion::buffer_size,
              "Elements of the source's buffer, if the target implies a smaller one.")
      .def_prop_ro(
          "dropped", [](const Conversion& c) { return texts_of(c.dropped); },
          nb::sig("def dropped(self) -> tuple[str, ...]"),
          "Properties that the target cannot express: ``type bf16``.")
      .def_prop_ro(
          "notes", [](const Conversion& c) { return texts_of(c.notes); },
          nb::sig("def notes(self) -> tuple[str, ...]"), "Remarks for the user.")
      .def("__str__", &conversion_text)
      .def("__repr__",
           [](const Conversion& c) { return fmt::format("<Conversion to {}>", to_string(c.layout)); });
}

void add_atoms(nb::module_& m) {
  nb::class_<Atom>(m, "Atom", "A layout that hardware or a library uses. See docs/lookup/atoms.md.")
      .def(
          "__init__", [](Atom* self, std::string_view id) { new (self) Atom(atom_by_id(id)); }, "id"_a,
          "As ``tessera.atom``.")
      .def_prop_ro(
          "id", [](const Atom& a) { return a.id; }, "vendor.generation.instruction.element.operand")
      .def_prop_ro("vendor", [](const Atom& a) { return a.vendor; })
      .def_prop_ro("family", [](const Atom& a) { return a.family; })
      .def_prop_ro(
          "kind", [](const Atom& a) { return to_string(a.kind); },
          "``fragment``, ``shared``, ``memory`` or ``lanes``.")
      .def_prop_ro(
          "element", [](const Atom& a) { return a.element; }, "The element type of the source.")
      .def_prop_ro("element_bits", [](const Atom& a) { return a.element_bits; })
      .def_prop_ro("layout", &atom_layout, "The layout, from (thread, value) or a position.")
      .def_prop_ro("meaning", [](const Atom& a) { return a.meaning; })
      .def_prop_ro("notes", [](const Atom& a) { return a.notes; })
      .def_prop_ro(
          "source", [](const Atom& a) { return a.source; }, "Where the layout was taken from.")
      .def("__repr__", [](const Atom& a) { return fmt::format("tessera.atom({})", literal(a.id)); })
      .def(
          "__reduce__",
          [](nb::handle self) { return nb::make_tuple(nb::type<Atom>(), nb::make_tuple(self.attr("id"))); },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  m.def(
      "atoms",
      [] {
        nb::list all;
        for (const Atom& atom : atoms()) all.append(nb::cast(&atom, nb::rv_policy::reference));
        return all;
      },
      nb::sig("def atoms() -> list[Atom]"),
      "Every layout of the catalog of real hardware.\n\n"
      ">>> len(tessera.atoms()) > 100\nTrue");
  m.def("atom", &atom_by_id, "id"_a, nb::rv_policy::reference,
        "The atom with this ID. Raises UnknownName, a KeyError.\n\n"
        ">>> tessera.atom('nv.sm80.m16n8k16.f16.A').layout\n"
        "tessera.parse('((4,8),(2,2,2)):((32,1),(16,8,128))')");
}

}  // namespace

void add_layout(nb::module_& m) {
  nb::class_<Layout>(
      m, "Layout",
      "A function from the indices of a box to offsets in elements, as written in one notation. "
      "Immutable.\n\n"
      "``layout(i, j)`` and ``layout[i, j]`` are the offset of an index. ``==`` compares spellings;\n"
      "``tessera.equal`` compares functions.\n\n"
      ">>> layout = tessera.Layout('f32[3,5]{1,0:T(2,2)}')\n"
      ">>> layout(2, 3), layout.shape, layout.buffer_size\n"
      "(17, (3, 5), 24)")
      .def(
          "__init__",
          [](Layout* self, std::string_view text, std::optional<std::string> notation) {
            new (self) Layout(read_layout(text, notation));
          },
          "text"_a, "notation"_a = nb::none(), "As ``tessera.parse``.")
      .def(
          "__init__",
          [](Layout*, const nb::tuple& shape, const nb::object& stride) {
            const std::string call = stride.is_none() ? fmt::format("tessera.cute.Layout({})", text_of(shape))
                                                      : fmt::format("tessera.cute.Layout({}, {})",
                                                                    text_of(shape), text_of(stride));
            throw nb::type_error(("tessera.Layout takes a text in any notation, such as "
                                  "'f32[3,5]{1,0}'; for a shape and strides use " +
                                  call)
                                     .c_str());
          },
          "shape"_a, "stride"_a = nb::none(),
          nb::sig("def __init__(self, shape: typing.NoReturn, stride: typing.NoReturn = ...) -> None"))
      .def_prop_ro(
          "notation", [](const Layout& l) { return to_string(l.notation()); },
          "``xla``, ``cute``, ``morello``, ``strides``, ``linear``, ``onednn`` or ``map``.")
      .def_prop_ro(
          "shape", [](const Layout& l) { return tuple_of(l.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "The extents of the box of indices.")
      .def_prop_ro("size", &Layout::size, "The number of indices.")
      .def_prop_ro("rank", &Layout::rank, "The number of dimensions.")
      .def_prop_ro(
          "dtype",
          [](const Layout& l) -> std::optional<std::string_view> {
            if (!l.dtype()) return {};
            return to_string(*l.dtype());
          },
          "The element type by its XLA name, such as ``bf16``, if the notation has one.")
      .def_prop_ro(
          "buffer_size", [](const Layout& l) { return unwrap(l.buffer_size()); },
          "Elements of memory, with padding. Raises Error for negative offsets.")
      .def_prop_ro("element_bits", &Layout::element_bits,
                   "Bits of one element in memory, if the type is known.")
      // The usual ranks, without the overhead of an argument tuple.
      .def("__call__", [](const Layout& l, Index i) { return offset_of(l, std::array{i}); })
      .def("__call__", [](const Layout& l, Index i, Index j) { return offset_of(l, std::array{i, j}); })
      .def("__call__",
           [](const Layout& l, Index i, Index j, Index k) { return offset_of(l, std::array{i, j, k}); })
      .def(
          "__call__",
          [](const Layout& l, const nb::args& index) {
            if (!IndexArrays::is_single_index(index)) throw nb::next_overload();
            return offset_at(l, Indices(index));
          },
          nb::sig("def __call__(self, *index: int | tuple[int, ...]) -> int"))
      .def("__call__", &offsets_at,
           nb::sig("def __call__(self, *index: numpy.typing.ArrayLike) -> typing.Any"),
           "The offset of an index inside the shape, in elements; for arrays of indices, which broadcast, an "
           "int64\n"
           "array. Raises ShapeError.\n\n"
           ">>> tessera.parse('(4,8):(8,1)')(2, 3)\n19\n"
           ">>> import numpy as np\n"
           ">>> tessera.parse('(4,8):(8,1)')(np.arange(4), 3).tolist()\n[3, 11, 19, 27]")
      .def(
          "__getitem__", [](const Layout& l, nb::handle index) { return offset_at(l, Indices(index)); },
          nb::sig("def __getitem__(self, index: int | tuple[int, ...], /) -> int"), "The same as a call.")
      .def("__len__", &Layout::size)
      .def(
          "index_of",
          [](const Layout& l, Index offset) -> std::optional<nb::tuple> {
            const Preimage found = preimage(l, offset, 1);
            if (found.indices.empty()) return {};
            return tuple_of(found.indices[0]);
          },
          "offset"_a, nb::sig("def index_of(self, offset: int) -> tuple[int, ...] | None"),
          "The first index at an offset, or None for padding. Raises ShapeError outside the buffer.\n\n"
          ">>> layout = tessera.parse('f32[3,5]{1,0:T(2,2)}')\n"
          ">>> layout.index_of(17), layout.index_of(9)\n"
          "((2, 3), None)")
      .def(
          "indices_of",
          [](const Layout& l, Index offset, std::size_t limit) {
            nb::list out;
            for (const std::vector<Index>& index : preimage(l, offset, limit).indices)
              out.append(tuple_of(index));
            return out;
          },
          "offset"_a, "limit"_a = 64,
          nb::sig("def indices_of(self, offset: int, limit: int = 64) -> list[tuple[int, ...]]"),
          "All indices at an offset in row-major order, at most ``limit`` of them.\n\n"
          ">>> tessera.parse('(2,4):(0,1)').indices_of(3)\n[(0, 3), (1, 3)]")
      .def("offsets", &offsets, nb::sig("def offsets(self) -> numpy.typing.NDArray[numpy.int64]"),
           "The offset of every index, as an int64 array of the layout's shape. O(size).\n\n"
           ">>> tessera.parse('(2,3):(1,2)').offsets().tolist()\n[[0, 2, 4], [1, 3, 5]]")
      .def(
          "to", [](const Layout& l, std::string_view notation) { return converted(l, notation).layout; },
          "notation"_a,
          "The same function in another notation. Raises NotRepresentable with a witness.\n\n"
          ">>> tessera.parse('f32[3,5]{1,0:T(2,2)}').to('cute')\n"
          "tessera.parse('((2,2),(2,3)):((2,12),(1,4)) crop (3,5)')")
      .def("to_xla", &to<Notation::xla>, "``to('xla')``")
      .def("to_cute", &to<Notation::cute>, "``to('cute')``")
      .def("to_morello", &to<Notation::morello>, "``to('morello')``")
      .def("to_linear", &to<Notation::linear>, "``to('linear')``")
      .def("to_strides", &to<Notation::strides>, "``to('strides')``")
      .def("to_onednn", &to<Notation::onednn>, "``to('onednn')``")
      .def("to_axe", &to<Notation::axe>, "``to('axe')``")
      .def("to_named", &to<Notation::named>, "``to('named')``, which needs the width of the elements")
      .def("to_map", &to<Notation::map>, "``to('map')``. The property ``map`` is the IndexMap itself.")
      .def("convert", &converted, "notation"_a,
           "As ``to``, with the properties that the target cannot express.\n\n"
           ">>> conversion = tessera.parse('bf16[4,8]{1,0:T(2,4)}').convert('cute')\n"
           ">>> print(conversion)\n((2,2),(4,2)):((4,16),(1,8))\nnote: dropped type bf16\n"
           ">>> conversion.dropped\n('type bf16',)")
      .def(
          "spellings",
          [](const Layout& l, std::string_view notation) {
            const Notation to = notation_argument(notation);
            return unwrap(released([&] { return spellings(l, to); }));
          },
          "notation"_a, "Every known spelling in a notation; the first one is that of ``to``.")
      .def_prop_ro(
          "map", [](const Layout& l) { return released([&] { return simplify(lower(l)); }); },
          "The index map ``(d0, d1) -> (offset)`` over the shape, simplified.")
      .def(
          "transpose",
          [](const Layout& l, const nb::args& axes) {
            const Indices order(axes);
            if (!order.span().empty() || l.rank() == 0) return unwrap(transpose(l, order.span()));
            std::vector<Index> reversed;
            for (std::size_t i = l.rank(); i-- > 0;) reversed.push_back(static_cast<Index>(i));
            return unwrap(transpose(l, reversed));
          },
          nb::sig("def transpose(self, *axes: int | tuple[int, ...]) -> Layout"),
          "The same memory through permuted indices, as ``numpy.transpose``. Without axes, reverses them.\n\n"
          ">>> tessera.parse('f32[3,5]{1,0:T(2,2)}').transpose(1, 0)\n"
          "tessera.parse('f32[5,3]{0,1:T(2,2)}')")
      .def_prop_ro("order", &order_text, "How the notation orders dimensions.")
      .def("collision", &shared_offset,
           nb::sig("def collision(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None"),
           "The two smallest indices that share an offset, or None if no two do. Exact. Raises Undecided.\n\n"
           ">>> tessera.parse('(2,4):(1,1)').collision()\n((0, 1), (1, 0))")
      .def(
          "offset_range",
          [](const Layout& l) {
            if (l.size() == 0) raise(Code::not_applicable, "a layout without indices has no offsets");
            const Interval range = unwrap(released([&] { return offset_range(l); }));
            return std::pair(range.lower, range.upper);
          },
          "The smallest and the largest offset. Exact. Raises Undecided.")
      .def(
          "access_map",
          [](const Layout& l, const IndexMap& map) {
            return unwrap(released([&] { return access_map(map, l); }));
          },
          "map"_a,
          "A map to indices of this layout, followed by the layout: the result is an offset. Simplified. "
          "Exact.\n\n"
          ">>> transpose = tessera.IndexMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]')\n"
          ">>> print(tessera.parse('f32[4,8]').access_map(transpose))\n"
          "(d0, d1) -> (d1 * 8 + d0), domain: d0 in [0, 7], d1 in [0, 3]")
      .def(
          "is_bitcast",
          [](const Layout& l, const IndexMap& map, nb::handle output) {
            const Layout to = layout_argument(output);
            const Equality answer = unwrap(released([&] { return is_bitcast(map, l, to); }));
            if (answer.verdict == Verdict::undecided) raise(Code::undecided, "undecided: " + answer.reason);
            return answer.verdict == Verdict::yes;
          },
          "map"_a, "output"_a, nb::sig("def is_bitcast(self, map: IndexMap, output: Layout | str) -> bool"),
          "Whether an operation with this operand and this output moves no data: ``map`` goes from an index "
          "of\n"
          "the output to the operand's. Exact. Raises Undecided.")
      .def(
          "describe", [](const Layout& l) { return facts_text(released([&] { return facts_of(l); })); },
          "The facts that ``tessera show`` prints: size, padding, runs, injectivity.")
      .def(
          "to_json",
          [](const Layout& l) {
            const LayoutFacts facts = released([&] { return facts_of(l); });
            return detail::show_json(&facts, nullptr);
          },
          "The answer of ``tessera show --facts --json``, on one line.")
      .def("show", &show_layout, "view"_a = "index", "color_by"_a = "auto", "cells"_a = "auto", nb::kw_only(),
           "window"_a = nb::none(), "columns"_a = 0, "bytes"_a = 0, "compare"_a = nb::none(), "tv"_a = false,
           "tile"_a = nb::none(), "divide"_a = nb::none(), "compose"_a = nb::none(), "product"_a = nb::none(),
           nb::sig("def show(self, view: str = 'index', color_by: str = 'auto', cells: str = 'auto', *, "
                   "window: str | "
                   "None = None, columns: int = 0, bytes: int = 0, compare: typing.Any = None, tv: bool = "
                   "False, tile: "
                   "str | tuple[int, ...] | None = None, divide: typing.Any = None, compose: typing.Any = "
                   "None, product: "
                   "typing.Any = None) -> Picture"),
           "The picture that ``tessera show`` draws, with its options.\n\n"
           "``view``: index, memory. ``color_by``: auto, offset, index, tile, bank, thread, padding, none.\n"
           "``cells``: auto, offset, coordinate, natural, index, bank, both, none. ``window``: "
           "``0:8,120:136``.\n"
           "``bytes``: of an element, for banks. ``compare``: a second layout. ``tv``: the layout maps "
           "(thread,\n"
           "value) to a ``tile``. ``divide``, ``compose``, ``product``: the right operand. Raises Error "
           "(limit) for\n"
           "a layout of more than 65536 cells.\n\n"
           ">>> tessera.parse('f32[3,5]{1,0:T(2,2)}').show(view='memory')\n"
           "<Picture of f32[3,5]{1,0:T(2,2)}>")
      .def("_repr_svg_", &notebook_svg)
      .def("__str__", [](const Layout& l) { return to_string(l); })
      .def("__repr__",
           [](const Layout& l) { return fmt::format("tessera.parse({})", literal(to_string(l))); })
      .def(
          "__eq__", [](const Layout& a, const Layout& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const Layout& l) { return nb::hash(nb::cast(to_prefixed_string(l))); },
          nb::sig("def __hash__(self) -> int"))
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> Layout"))
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: typing.Any) -> Layout"))
      .def(
          "__reduce__",
          [](const Layout& l) {
            return nb::make_tuple(nb::type<Layout>(), nb::make_tuple(to_prefixed_string(l)));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  m.def(
      "parse",
      [](std::string_view text, std::optional<std::string> notation) { return read_layout(text, notation); },
      "text"_a, "notation"_a = nb::none(),
      "Reads a layout of any notation; ``notation`` is needed if a text is valid in several. Raises "
      "ParseError.\n\n"
      ">>> tessera.parse('f32[3,5]{1,0:T(2,2)}').to_cute()\n"
      "tessera.parse('((2,2),(2,3)):((2,12),(1,4)) crop (3,5)')\n"
      ">>> tessera.parse('(6,8):(1,6)', notation='strides')\n"
      "tessera.parse('np:(6,8):(1,6)')");
  add_conversion(m);
  add_atoms(m);
}

}  // namespace tessera::python
