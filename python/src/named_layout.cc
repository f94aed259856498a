// SPDX-License-Identifier: Apache-2.0
// tessera.NamedLayout: scale orders, packings and blocks of GGUF.
#include "tessera/notation/named_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/index_walk.h"
#include "notation/named/block_fields.h"
#include "notation/named/name_search.h"
#include "python/src/array_view.h"
#include "python/src/errors.h"
#include "python/src/index_arrays.h"
#include "python/src/layout_argument.h"
#include "python/src/python.h"
#include "python/src/triton.h"

namespace tessera::python {
namespace {

NamedLayout read_named(const std::string& text) {
  return unwrap(released([&] { return parse_named_layout(text); }), text);
}

// The NumPy type of an array of codes or of a container.
const char* unsigned_type_name(int bytes) {
  return bytes == 1 ? "uint8" : bytes == 2 ? "uint16" : bytes == 4 ? "uint32" : "uint64";
}
std::string numpy_type(const CellType& type) {
  const std::string name = to_string(type);
  if (name == "s16" || name == "s32" || name == "s64" || name == "s8") return "int" + name.substr(1);
  if (name == "f16" || name == "f32" || name == "f64") return "float" + name.substr(1);
  return unsigned_type_name(type.bits / 8);
}

nb::object filled_array(const std::vector<std::byte>& bytes, std::span<const Index> shape,
                        const std::string& type) {
  nb::object array = nb::module_::import_("numpy").attr("empty")(tuple_of(shape), type);
  const ArrayView view(array);
  if (!bytes.empty()) std::memcpy(view.data(), bytes.data(), bytes.size());
  return array;
}

nb::object offsets_of(const NamedLayout& layout) {
  const Layout cells = unwrap(Layout::make(layout));
  std::vector<std::byte> bytes(static_cast<std::size_t>(cells.size()) * sizeof(Index));
  released([&] {
    std::vector<Index> index(cells.rank(), 0);
    std::size_t at = 0;
    if (cells.size() == 0) return;
    do {
      const Index offset = cells.offset(index);
      std::memcpy(bytes.data() + at, &offset, sizeof(offset));
      at += sizeof(offset);
    } while (detail::next_index(index, cells.shape()));
  });
  return filled_array(bytes, cells.shape(), "int64");
}

nb::object bit_offsets_of(const NamedLayout& layout) {
  std::vector<Index> shape(layout.shape().begin(), layout.shape().end());
  shape.push_back(layout.type().bits);
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(Index));
  released([&] {
    std::vector<Index> index(shape.size(), 0);
    std::size_t at = 0;
    if (count == 0) return;
    do {
      const Index offset =
          layout.bit_offset(std::span(index).first(index.size() - 1), static_cast<int>(index.back()));
      std::memcpy(bytes.data() + at, &offset, sizeof(offset));
      at += sizeof(offset);
    } while (detail::next_index(index, shape));
  });
  return filled_array(bytes, shape, "int64");
}

std::span<const std::byte> bytes_of(const ArrayView& view) {
  return {view.data(), static_cast<std::size_t>(view.size() * view.element_bytes())};
}

// The letter by which NumPy tells kinds of types apart.
char kind_of(const nb::object& array) {
  return nb::cast<std::string>(array.attr("dtype").attr("kind")).front();
}
// Kinds that have no codes: floats, complex numbers, texts, times, objects.
bool has_no_codes(char kind) { return std::string_view("fcUSOMm").find(kind) != std::string_view::npos; }

// An array of the bytes of a buffer.
nb::object buffer_array(const NamedLayout& layout, const nb::object& buffer) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  // NumPy would take bytes for a text, without the zeros at its end.
  if (nb::isinstance<nb::bytes>(buffer))
    return numpy.attr("asarray")(nb::module_::import_("builtins").attr("bytearray")(buffer));
  for (const nb::handle type : {nb::handle((PyObject*)&PyList_Type), nb::handle((PyObject*)&PyTuple_Type),
                                nb::handle((PyObject*)&PyUnicode_Type)}) {
    if (PyObject_IsInstance(buffer.ptr(), type.ptr()) != 1) continue;
    raise(Code::argument_type,
          fmt::format("a {} is not a buffer of bytes", nb::cast<std::string>(type.attr("__name__"))),
          "pass bytes, or an array: numpy.array(numbers, numpy.uint8)");
  }
  const nb::object dense = numpy.attr("ascontiguousarray")(buffer);
  const auto type = nb::cast<std::string>(dense.attr("dtype").attr("name"));
  const bool own = kind_of(dense) == 'f' && type == numpy_type(layout.container().type);
  if (has_no_codes(kind_of(dense)) && !own) {
    raise(Code::argument_type,
          fmt::format("an array of {} is not a buffer of '{}', whose container has the type {}", type,
                      to_string(layout), to_string(layout.container().type)),
          "pass its bytes: array.view(numpy.uint8)");
  }
  return dense;
}

nb::object unpacked(const NamedLayout& layout, const nb::object& buffer) {
  const ArrayView view(buffer_array(layout, buffer));
  const auto codes = unwrap(released([&] { return unpack(layout, bytes_of(view)); }));
  return filled_array(codes, layout.shape(), unsigned_type_name(code_bytes(layout)));
}

nb::object packed(const NamedLayout& layout, nb::handle codes) {
  if (const std::string lost = detail::fields_beside_codes(layout); !lost.empty()) {
    raise(Code::not_representable,
          fmt::format("'{}' names the codes alone: {} would become 0", to_string(layout), lost),
          "pack the codes as pack:low, or write all fields of the blocks");
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object given = numpy.attr("asarray")(codes);
  const bool empty = nb::cast<Index>(given.attr("size")) == 0;
  if (!empty && has_no_codes(kind_of(given))) {
    raise(Code::argument_type,
          fmt::format("codes are integers, and this is an array of {}",
                      nb::cast<std::string>(given.attr("dtype").attr("name"))),
          "give their bits as integers: array.view(numpy.uint32)");
  }
  const CellType& type = layout.type();
  const std::string narrow_type = unsigned_type_name(code_bytes(layout));
  nb::object narrow = given.attr("astype")(narrow_type, "order"_a = "C");
  bool fits = nb::cast<bool>(numpy.attr("array_equal")(given, narrow));
  const bool is_signed = type.dtype && dtype_class(*type.dtype) == DTypeClass::signed_integer;
  if (!fits && is_signed && type.bits == 8 * code_bytes(layout)) {
    const nb::object numbers = given.attr("astype")(narrow_type.substr(1), "order"_a = "C");
    fits = nb::cast<bool>(numpy.attr("array_equal")(given, numbers));
    narrow = numbers.attr("view")(narrow_type);
  }
  if (!fits) raise(Code::number_range, fmt::format("the codes do not fit in {} bits", type.bits));
  const ArrayView view(narrow);
  if (!std::ranges::equal(view.shape(), layout.shape()))
    raise(Code::shape_mismatch, "the codes have another shape than the layout");
  const auto buffer = unwrap(released([&] { return pack(layout, bytes_of(view)); }));
  return filled_array(buffer, layout.container().shape, numpy_type(layout.container().type));
}

std::vector<NamedLayout> all_names(const nb::object& layout, std::optional<int> bits) {
  NamedOrLayout side;
  if (nb::isinstance<NamedLayout>(layout)) {
    side = unwrap(parse_named_or_layout(to_string(nb::cast<NamedLayout>(layout))));
    if (!bits) bits = side.named->type().bits;
    if (side.layout && bits != side.named->type().bits) side.named.reset();
  } else {
    side.layout = layout_argument(layout);
    if (!bits && side.layout->element_bits())
      bits = static_cast<int>(std::min<Index>(*side.layout->element_bits(), 64));
  }
  if (!bits)
    raise(Code::argument_type, "names depend on the width of the elements", "pass bits, for example 8");
  if (*bits < 1 || *bits > 63)
    raise(Code::number_range, fmt::format("elements of {} bits have no names", *bits), "pass 1 to 63 bits");
  if (side.named && side.named->type().bits != *bits)
    raise(Code::different_type,
          fmt::format("the elements of the layout have {} bits, not {}", side.named->type().bits, *bits));
  return released([&] { return detail::search_names(side, *bits, std::nullopt).names; });
}

}  // namespace

void add_named_layout(nb::module_& m) {
  nb::class_<NamedLayout>(
      m, "NamedLayout",
      "An array in an order that has a name: block scales, packed elements, blocks of GGUF. "
      "Immutable.\n\n"
      ">>> layout = tessera.NamedLayout('pack:awq u4[8,16]')\n"
      ">>> layout.container\n('s32', (8, 2))\n"
      ">>> tessera.NamedLayout('gguf:q6_k[256]').runs(77)\n"
      "[(0, 4, 108), (4, 2, 1132)]")
      .def(
          "__init__",
          [](NamedLayout* self, const std::string& text) { new (self) NamedLayout(read_named(text)); },
          "text"_a, "Reads ``scale:128x4 u8[300,7]``. Raises ParseError.")
      .def_prop_ro(
          "shape", [](const NamedLayout& l) { return tuple_of(l.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "The extents.")
      .def_prop_ro(
          "kind", [](const NamedLayout& l) { return std::string(to_string(l.kind())); },
          "``cells``, or ``bits`` if the bits of an element are not one cell.")
      .def_prop_ro(
          "type", [](const NamedLayout& l) { return to_string(l.type()); }, "The type of the elements.")
      .def_prop_ro(
          "element_bits", [](const NamedLayout& l) { return l.type().bits; }, "Bits of an element.")
      .def_prop_ro("buffer_bytes", &NamedLayout::buffer_bytes, "Bytes of the buffer, with padding.")
      .def_prop_ro("name", &name_of, "The name without type and extents: ``scale:128x4``.")
      .def_prop_ro(
          "container",
          [](const NamedLayout& l) {
            return nb::make_tuple(to_string(l.container().type), tuple_of(l.container().shape));
          },
          nb::sig("def container(self) -> tuple[str, tuple[int, ...]]"),
          "Type and shape of the row-major array by which a file holds the buffer.")
      .def_prop_ro(
          "layout", [](const NamedLayout& l) { return unwrap(Layout::make(l)); },
          "The Layout of a name of kind cells. Raises NotRepresentable for bits.")
      .def_prop_ro(
          "bit_layout", [](const NamedLayout& l) { return unwrap(released([&] { return bit_layout(l); })); },
          "The Layout of bits; the bit of the value is the last dimension.")
      .def("offsets", &offsets_of, nb::sig("def offsets(self) -> numpy.typing.NDArray[numpy.int64]"),
           "The cell of every index. Raises NotRepresentable for bits.")
      .def("bit_offsets", &bit_offsets_of,
           nb::sig("def bit_offsets(self) -> numpy.typing.NDArray[numpy.int64]"),
           "The bit offset of every index and bit of the value, which is the last axis.")
      .def(
          "runs",
          [](const NamedLayout& l, const nb::args& arguments) {
            const Indices index(arguments);
            if (index.span().size() != l.shape().size())
              raise(Code::rank_mismatch, "pass one index for each dimension");
            for (std::size_t d = 0; d < l.shape().size(); ++d) {
              if (index.span()[d] < 0 || index.span()[d] >= l.shape()[d])
                raise(Code::index_out_of_range, "the index is outside the shape");
            }
            std::vector<std::tuple<int, int, Index>> runs;
            for (const BitRun& run : runs_at(l, index.span()))
              runs.emplace_back(run.first, run.count, run.offset);
            return runs;
          },
          nb::sig("def runs(self, *index: int | tuple[int, ...]) -> list[tuple[int, int, int]]"),
          "Where the bits of an element are: (first bit of the value, number of bits, bit offset).")
      .def(
          "unpack", &unpacked, "buffer"_a,
          nb::sig("def unpack(self, buffer: typing.Any) -> numpy.typing.NDArray[typing.Any]"),
          "The codes of all elements, from any contiguous array of the buffer's bytes. Raises ShapeError.\n\n"
          ">>> layout = tessera.NamedLayout('pack:high u4[4]')\n"
          ">>> layout.unpack(bytearray([0x12, 0x34])).tolist()\n[1, 2, 3, 4]")
      .def("pack", &packed, "codes"_a,
           nb::sig("def pack(self, codes: typing.Any) -> numpy.typing.NDArray[typing.Any]"),
           "The container with these codes; padding is 0. Raises ShapeError, and Error for a code that does "
           "not "
           "fit.\n\n"
           ">>> tessera.NamedLayout('pack:high u4[4]').pack([1, 2, 3, 4]).tolist()\n[18, 52]")
      .def("__str__", [](const NamedLayout& l) { return to_string(l); })
      .def("__repr__",
           [](const NamedLayout& l) { return fmt::format("tessera.NamedLayout('{}')", to_string(l)); })
      .def(
          "__eq__", [](const NamedLayout& a, const NamedLayout& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__reduce__",
          [](const NamedLayout& l) {
            return nb::make_tuple(nb::type<NamedLayout>(), nb::make_tuple(to_string(l)));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "__hash__", [](const NamedLayout& l) { return nb::hash(nb::cast(to_string(l))); },
          nb::sig("def __hash__(self) -> int"));
  m.def(
      "layout",
      [](const nb::object& value) -> nb::object {
        if (!nb::isinstance<nb::str>(value)) return nb::cast(triton_argument(value));
        const auto text = nb::cast<std::string>(value);
        if (is_named_text(text)) return nb::cast(read_named(text));
        // An attribute without a shape is not yet a layout.
        if (is_triton_text(text)) {
          TritonLayout triton = triton_argument(value);
          if (!triton.shape) return nb::cast(std::move(triton));
        }
        return nb::cast(read_layout(text, {}));
      },
      "text"_a, nb::sig("def layout(text: typing.Any) -> Layout | NamedLayout | TritonLayout"),
      "A NamedLayout for texts that begin with ``scale:``, ``pack:`` or ``gguf:``; a TritonLayout for an "
      "attribute of Triton without a\nshape, and for objects of Gluon; otherwise as ``parse``.\n\n"
      ">>> tessera.layout('#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], "
      "order "
      "= [0]}>').bases((256,))['register']\n[(1,)]\n"
      ">>> tessera.layout('scale:128x4 u8[300,7]').container\n('u8', (384, 8))");
  m.def(
      "names_of", &all_names, "layout"_a, "bits"_a = nb::none(),
      nb::sig(
          "def names_of(layout: Layout | NamedLayout | str, bits: int | None = None) -> list[NamedLayout]"),
      "The names of a layout with elements of this many bits, or of its type: those proved to be the same "
      "function.\n\n"
      ">>> [name.name for name in tessera.names_of(tessera.parse('(5,7):(1,8)'), 32)]\n['scale:mn(rows=4)']");
}

}  // namespace tessera::python
