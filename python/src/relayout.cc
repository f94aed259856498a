// SPDX-License-Identifier: Apache-2.0
// tessera.relayout, tessera.plan, tessera.layout_of: move the elements of arrays.
#include "tessera/relayout/relayout.h"

#include <fmt/format.h>

#include <algorithm>

#include "python/src/array_view.h"
#include "python/src/copied_type.h"
#include "python/src/dtype_names.h"
#include "python/src/errors.h"
#include "python/src/layout_argument.h"
#include "tessera/notation/conversion.h"
#include "tessera/transfer/copy.h"

namespace tessera::python {
namespace {

// For fewer bytes, a copy is faster than starting threads or releasing the GIL.
constexpr Index kThreadBytes = Index{1} << 20;
constexpr Index kReleaseBytes = Index{1} << 14;

int threads_for(std::optional<int> threads, Index payload) {
  if (threads && *threads < 0)
    raise(Code::bad_option, fmt::format("threads must be at least 0, not {}", *threads));
  if (!threads && payload < kThreadBytes) return 1;
  return executor_threads(threads.value_or(0));
}

void check_inside(ByteRange range, const Extent& extent, std::string_view side) {
  if (range.begin >= range.end || (range.begin >= extent.begin && range.end <= extent.end)) return;
  raise(Code::buffer_too_small, fmt::format("the {} layout needs bytes {} to {}, but the array has {} to {}",
                                            side, range.begin, range.end, extent.begin, extent.end));
}

void run_plan(const RelayoutPlan& plan, const ArrayView& src, const ArrayView& dst, std::byte* dst_zero,
              Extent dst_extent, int threads) {
  if (dst.read_only()) {
    raise(Code::not_applicable, "the destination is read-only", "pass a writable array");
  }
  const ByteRange read = plan.src_range();
  const ByteRange written = plan.dst_range();
  check_inside(read, src.extent(), "source");
  check_inside(written, dst_extent, "destination");
  const auto address = [](const std::byte* base, Index at) {
    return reinterpret_cast<std::intptr_t>(base) + at;
  };
  if (read.begin < read.end && written.begin < written.end &&
      address(src.data(), read.begin) < address(dst_zero, written.end) &&
      address(dst_zero, written.begin) < address(src.data(), read.end)) {
    raise(Code::overlap, "the source and the destination overlap in memory", "copy to a separate array");
  }
  if (plan.payload_bytes() < kReleaseBytes) return run(plan, src.data(), dst_zero);
  released([&] {
    if (threads <= 1 || plan.chunks() == 1) return run(plan, src.data(), dst_zero);
    run(plan, src.data(), dst_zero, *parallel_executor(threads));
  });
}

// The number of bytes of one element. The arrays and the layouts must agree on it.
Index element_bytes(const ArrayView& array, const Layout& from, const Layout& to, bool raw_allowed) {
  Index bytes = array.element_bytes();
  const bool raw = raw_allowed && bytes == 1;
  for (const Layout* layout : {&from, &to}) {
    const std::optional<Index> bits = layout->element_bits();
    if (!bits) continue;
    if (*bits % 8 != 0) {
      raise(Code::unsupported_width,
            fmt::format("the elements of {} have {} bits: only whole bytes can be moved in memory",
                        to_string(*layout), *bits),
            "tessera.files.copy packs and unpacks elements");
    }
    if (raw && *bits / 8 > bytes) {
      bytes = *bits / 8;
    } else if (*bits / 8 != bytes || (!raw && array.dtype() && *layout->dtype() != *array.dtype())) {
      raise(Code::different_type,
            fmt::format("the array has elements of type {} and {} bytes, but the layout is {}",
                        array.dtype() ? to_string(*array.dtype()) : "unknown", array.element_bytes(),
                        to_string(*layout)));
    }
  }
  return bytes;
}

PlanOptions options_for(nb::handle fill, Padding padding, std::optional<DType> dtype, Index bytes,
                        int threads) {
  PlanOptions options{.padding = padding, .threads = threads};
  if (fill.is_none()) return options;
  options.padding = Padding::value;
  const std::string text = nb::cast<std::string>(nb::str(fill));
  options.fill = unwrap(parse_fill(text, dtype, bytes * 8), text);
  return options;
}

// The strides in elements. Empty unless each dimension has one constant step.
std::optional<std::vector<Index>> strides_of(const Layout& layout) {
  const Digits* const digits = layout.known_digits();
  if (digits == nullptr) return {};
  std::vector<Index> strides;
  for (std::size_t d = 0; d < digits->box().size(); ++d) {
    const std::span<const Digit> own = digits->digits(d);
    if (own.size() > 1) return {};
    strides.push_back(own.empty() ? 0 : own[0].stride);
  }
  return strides;
}

nb::object numpy_type(nb::handle array, const ArrayView& view, const Layout& to, Index bytes) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (bytes == view.element_bytes() && nb::hasattr(array, "dtype")) {
    nb::object type = array.attr("dtype");
    if (nb::isinstance(type, numpy.attr("dtype"))) return type;
  }
  if (bytes == view.element_bytes() && view.dtype()) return numpy_dtype(*view.dtype());
  if (to.dtype()) return numpy_dtype(*to.dtype());
  return numpy.attr("dtype")(fmt::format("V{}", bytes));
}

nb::object relayout_array(nb::handle array, nb::handle dst, nb::handle src, nb::handle out, nb::handle fill,
                          std::optional<int> threads) {
  const ArrayView view(array);
  if (dst.is_none() && out.is_none()) throw nb::type_error("relayout needs a layout or an out array");
  std::optional<ArrayView> given;
  if (!out.is_none()) given.emplace(out);
  const Layout from = src.is_none() ? view.layout() : layout_argument(src);
  // Memory begins at the lowest byte, even if strides are negative.
  const Index low = dst.is_none() ? given->extent().begin : 0;
  const Layout to = dst.is_none() ? given->layout(-low / given->element_bytes()) : layout_argument(dst);
  if (dst.is_none() && !fill.is_none())
    throw nb::type_error("fill needs a destination layout, which has padding");
  const Index bytes = element_bytes(view, from, to, !src.is_none());
  if (!src.is_none() && !view.is_dense()) {
    raise(Code::not_applicable, "src= describes a buffer, but the array has gaps or negative strides",
          "pass a contiguous array, or leave out src=");
  }
  const int count = threads_for(threads, from.size() * bytes);
  std::optional<DType> type = view.dtype();
  if (bytes != view.element_bytes()) type = to.dtype() ? to.dtype() : from.dtype();
  const PlanOptions options = options_for(fill, given ? Padding::keep : Padding::zero, type, bytes, count);
  static PlanCache cache;
  const RelayoutPlan plan = unwrap(cache.plan(from, to, bytes, options));
  if (given) {
    if (!dst.is_none() && !given->is_dense()) {
      raise(Code::not_applicable,
            "a destination layout describes a buffer, but out= has gaps or negative strides",
            "pass a contiguous array, or leave out the layout");
    }
    const Extent extent{0, given->extent().end - low};
    run_plan(plan, view, *given, given->data() + low, extent, count);
    return nb::borrow(out);
  }
  const Index elements = unwrap(to.buffer_size());
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object memory = numpy.attr("empty")(elements * bytes, "uint8");
  const ArrayView target(memory);
  run_plan(plan, view, target, target.data(), target.extent(), count);
  const nb::object element = numpy_type(array, view, to, bytes);
  const nb::object make = numpy.attr("ndarray");
  const std::optional<std::vector<Index>> strides = strides_of(to);
  const bool padded = to.allocated_elements().value_or(to.size()) != to.size();
  if (!strides || padded || elements == 0) return make(nb::make_tuple(elements), element, memory);
  std::vector<Index> steps;
  for (const Index stride : *strides) steps.push_back(stride * bytes);
  const Index first = to.known_digits()->base() * bytes;
  return make(tuple_of(to.shape()), element, memory, first, tuple_of(steps));
}

RelayoutPlan plan(nb::handle src, nb::handle dst, nb::handle dtype, nb::handle fill, int threads) {
  const Layout from = layout_argument(src);
  const Layout to = layout_argument(dst);
  const CopiedType type = copied_type(from, to, dtype);
  const PlanOptions options =
      options_for(fill, Padding::zero, type.dtype, type.bytes, threads == 1 ? 1 : executor_threads(threads));
  return unwrap(released([&] { return make_plan(from, to, type.bytes, options); }));
}

void run_arrays(const RelayoutPlan& plan, nb::handle src, nb::handle dst, std::optional<int> threads) {
  const ArrayView from(src);
  const ArrayView to(dst);
  run_plan(plan, from, to, to.data(), to.extent(), threads_for(threads, plan.payload_bytes()));
}

Layout layout_of(nb::handle array, nb::handle base) {
  const ArrayView view(array);
  if (base.is_none()) return view.layout();
  const ArrayView start(base);
  const Index bytes = view.data() - start.data();
  if (bytes % view.element_bytes() != 0) {
    raise(Diagnostic{
        .code = Code::not_representable,
        .message = fmt::format("the array begins {} bytes after its base, which is not a whole number "
                               "of elements of {} bytes",
                               bytes, view.element_bytes()),
        .reason = "offset",
        .witness = fmt::format("{} bytes", bytes)});
  }
  return view.layout(bytes / view.element_bytes());
}

// Returns what a JAX layout contains: the dimensions from slowest to fastest, the tiles, and the number of
// bits of an element narrower than a byte.
nb::tuple tiling(nb::handle value) {
  Layout layout = layout_argument(value);
  if (layout.tensor_type() == nullptr) layout = unwrap(convert(layout, Notation::xla)).layout;
  const TensorType& type = *layout.tensor_type();
  std::vector<Index> order = type.minor_to_major();
  std::reverse(order.begin(), order.end());
  nb::list tiles;
  if (type.layout != nullptr) {
    for (const std::vector<Index>& tile : type.layout->tiles) tiles.append(tuple_of(tile));
  }
  return nb::make_tuple(tuple_of(order), nb::tuple(tiles),
                        type.layout == nullptr ? 0 : type.layout->element_bits);
}

}  // namespace

void add_relayout(nb::module_& m) {
  nb::class_<RelayoutPlan>(
      m, "RelayoutPlan",
      "How to move the elements of one array between two layouts. Immutable; any thread may run it.\n\n"
      ">>> plan = tessera.plan('f32[64,64]{1,0}', 'f32[64,64]{0,1}')\n"
      ">>> plan.payload_bytes\n16384")
      .def(
          "__init__",
          [](RelayoutPlan* self, std::string_view text) {
            new (self) RelayoutPlan(unwrap(parse_plan(text), text));
          },
          "text"_a, "Reads the text of ``describe``. The plan is not proved: see ``verify``.")
      .def_prop_ro("element_bytes", &RelayoutPlan::element_bytes)
      .def_prop_ro("payload_bytes", &RelayoutPlan::payload_bytes, "Elements times bytes per element.")
      .def_prop_ro("chunks", &RelayoutPlan::chunks, "Independent parts for threads.")
      .def("describe", &RelayoutPlan::describe,
           "The loop nests and kernels, as ``tessera plan`` prints them.")
      .def("run", &run_arrays, "src"_a.none(), "dst"_a.none(), "threads"_a = nb::none(),
           nb::sig("def run(self, src: typing.Any, dst: typing.Any, threads: int | None = None) -> None"),
           "Moves the elements of ``src`` to ``dst``: arrays of any exporter, whose first element is offset "
           "0.\n"
           "The GIL is released. Raises ShapeError (buffer_too_small), Error (overlap, not_applicable).\n\n"
           ">>> import numpy as np\n"
           ">>> src, dst = np.arange(6.0), np.empty(6)\n"
           ">>> tessera.plan('f64[2,3]{1,0}', 'f64[2,3]{0,1}').run(src, dst)\n"
           ">>> dst.tolist()\n[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]")
      .def(
          "verify",
          [](const RelayoutPlan& p, nb::handle src, nb::handle dst) {
            const Layout from = layout_argument(src);
            const Layout to = layout_argument(dst);
            unwrap(released([&] { return verify(p, from, to); }));
          },
          "src"_a, "dst"_a, nb::sig("def verify(self, src: Layout | str, dst: Layout | str) -> None"),
          "Proves that the plan is the copy between two layouts. Raises Error (verify_failed), Undecided.")
      .def("__str__", &RelayoutPlan::describe)
      .def("__repr__",
           [](const RelayoutPlan& p) {
             return fmt::format("tessera.RelayoutPlan({})", literal(p.describe()));
           })
      .def(
          "__reduce__",
          [](const RelayoutPlan& p) {
            return nb::make_tuple(nb::type<RelayoutPlan>(), nb::make_tuple(p.describe()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  m.def(
      "plan", &plan, "src"_a, "dst"_a, "dtype"_a = nb::none(), "fill"_a = nb::none(), "threads"_a = 0,
      nb::sig(
          "def plan(src: Layout | str, dst: Layout | str, dtype: typing.Any = None, fill: float | str | None "
          "= None, threads: int = 0) -> RelayoutPlan"),
      "The plan for a copy, for arrays of one type. ``dtype`` is a name such as ``f32`` or a numpy.dtype, if "
      "the\n"
      "layouts have none. Padding of the destination becomes ``fill``, or 0. ``threads``: 0 is all cores.\n"
      "Raises ShapeError (different_shape), Error (broadcast, different_type).");
  m.def(
      "relayout", &relayout_array, "array"_a.none(), "dst"_a = nb::none(), "src"_a = nb::none(),
      "out"_a = nb::none(), "fill"_a = nb::none(), "threads"_a = nb::none(),
      nb::sig(
          "def relayout(array: typing.Any, dst: Layout | str | None = None, src: Layout | str | None = None, "
          "out: typing.Any = None, fill: float | str | None = None, threads: int | None = None) -> "
          "typing.Any"),
      "Moves the elements of an array to another layout, in one pass.\n\n"
      "``array``: any exporter of memory. Its layout is that of its strides, or ``src`` if it is a buffer.\n"
      "``out``: the memory to write, whose padding stays as it is; with ``dst`` a contiguous buffer, without "
      "it\n"
      "any array of the same shape. ``fill``: the value of padding; 0 in new memory. ``threads``: by "
      "default\n"
      "one, or all cores from 1 MiB on.\n\n"
      "Returns ``out``, or a new NumPy array: of the layout's shape if it has one stride per dimension and "
      "no\n"
      "padding, else flat. Raises ShapeError (different_shape, buffer_too_small), Error (broadcast,\n"
      "different_type, unsupported_width, overlap).\n\n"
      ">>> import numpy as np\n"
      ">>> a = np.arange(15, dtype=np.float32).reshape(3, 5)\n"
      ">>> flat = tessera.relayout(a, 'f32[3,5]{1,0:T(2,2)}')\n"
      ">>> flat.shape, float(flat[17]), float(a[2, 3])\n"
      "((24,), 13.0, 13.0)\n"
      ">>> bool((tessera.relayout(flat, 'f32[3,5]', src='f32[3,5]{1,0:T(2,2)}') == a).all())\n"
      "True");
  m.def("_tiling", &tiling, "layout"_a,
        nb::sig(
            "def _tiling(layout: Layout | str) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int]"));
  m.def(
      "_dtype_name", [](nb::handle dtype) { return to_string(dtype_argument(dtype)); }, "dtype"_a,
      nb::sig("def _dtype_name(dtype: typing.Any) -> str"));
  m.def("layout_of", &layout_of, "array"_a.none(), "base"_a = nb::none(),
        nb::sig("def layout_of(array: typing.Any, base: typing.Any = None) -> Layout"),
        "The strides of an array as a layout, in elements: negative and broadcast strides too. With "
        "``base``, an\n"
        "array that owns the memory, offsets count from the first element of ``base``.\n\n"
        ">>> import numpy as np\n"
        ">>> a = np.zeros((4, 6))\n"
        ">>> tessera.layout_of(a[::2, ::-1], base=a)\n"
        "tessera.parse('np:(2,6):(12,-1) + 5')");
}

}  // namespace tessera::python
