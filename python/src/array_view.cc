// SPDX-License-Identifier: Apache-2.0
#include "python/src/array_view.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "python/src/array_interface.h"
#include "python/src/dtype_names.h"
#include "python/src/errors.h"
#include "python/src/limits.h"
#include "tessera/notation/strides.h"

namespace tessera::python {
namespace {

// The type for a format of the struct module. The exporter gives the width.
std::optional<DType> dtype_of_format(std::string_view format, Index bytes) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) format.remove_prefix(1);
  if (!format.empty() && (format[0] == '>' || format[0] == '!')) {
    if (bytes > 1) {
      raise(Code::byte_order, "the elements are big-endian", "array.astype(array.dtype.newbyteorder('='))");
    }
    format.remove_prefix(1);
  }
  const std::string bits = std::to_string(8 * bytes);
  if (format == "?") return DType::pred;
  if (format == "Zf" || format == "Zd") return parse_dtype("c" + bits);
  if (format.size() != 1) return {};
  if (std::string_view("bhilqn").find(format[0]) != std::string_view::npos) return parse_dtype("s" + bits);
  if (std::string_view("BHILQN").find(format[0]) != std::string_view::npos) return parse_dtype("u" + bits);
  if (std::string_view("efd").find(format[0]) != std::string_view::npos) return parse_dtype("f" + bits);
  return {};
}

std::optional<DType> dtype_of_dlpack(const nb::dlpack::dtype& type) {
  if (type.lanes != 1) return {};
  const std::string bits = std::to_string(type.bits);
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Int:
      return parse_dtype("s" + bits);
    case nb::dlpack::dtype_code::UInt:
      return parse_dtype("u" + bits);
    case nb::dlpack::dtype_code::Float:
      return parse_dtype("f" + bits);
    case nb::dlpack::dtype_code::Bfloat:
      return parse_dtype("bf" + bits);
    case nb::dlpack::dtype_code::Complex:
      return parse_dtype("c" + bits);
    case nb::dlpack::dtype_code::Bool:
      return DType::pred;
    default:
      return {};
  }
}

// The type for the array's dtype, by name. The buffer protocol may not know the dtype, for example bfloat16.
std::optional<DType> dtype_by_name(nb::handle array) {
  const nb::object type = attribute(array, "dtype");
  if (!type.is_valid()) return {};
  const nb::object name = attribute(type, "name");
  const std::optional<DType> found =
      dtype_named(nb::cast<std::string>(nb::str(name.is_valid() ? name : type)));
  return found && is_array_type(*found) ? found : std::nullopt;
}

// Whether a format of the struct module has a reference to a Python object. Names are between colons.
bool holds_objects(std::string_view format) {
  bool in_name = false;
  for (const char c : format) {
    if (c == ':') in_name = !in_name;
    if (!in_name && c == 'O') return true;
  }
  return false;
}

// A NumPy scalar gives the address of a copy, which nothing keeps.
bool is_numpy_scalar(nb::handle object) {
  return nb::isinstance(object, nb::module_::import_("numpy").attr("generic"));
}

}  // namespace

ArrayView::ArrayView(nb::handle array) {
  // If a constructor throws, the destructor does not run.
  try {
    read(array);
  } catch (...) {
    release();
    throw;
  }
}

ArrayView::~ArrayView() { release(); }

void ArrayView::release() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

void ArrayView::read(nb::handle array) {
  std::string no_buffer;
  if (!from_buffer(array, no_buffer)) {
    if (is_numpy_scalar(array)) {
      throw nb::type_error(
          fmt::format("a scalar of type {} has no memory of its own; pass numpy.asarray(x), an "
                      "array without dimensions",
                      type_name_of(array))
              .c_str());
    }
    if (!from_interface(array) && !from_dlpack(array)) {
      throw nb::type_error(
          fmt::format(
              "an array must have the buffer protocol, __array_interface__ or __dlpack__, which {} does "
              "not have{}; pass numpy.asarray(x)",
              type_name_of(array), no_buffer.empty() ? "" : " (" + no_buffer + ")")
              .c_str());
    }
  }
  check(array);
}

bool ArrayView::from_buffer(nb::handle array, std::string& why_not) {
  if (PyObject_CheckBuffer(array.ptr()) == 0) return false;
  if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) {
    why_not = nb::python_error().what();
    buffer_.obj = nullptr;
    return false;
  }
  data_ = static_cast<std::byte*>(buffer_.buf);
  element_bytes_ = buffer_.itemsize;
  read_only_ = buffer_.readonly != 0;
  const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
  if (holds_objects(format)) refuse_objects(type_name_of(array));
  for (int i = 0; i < buffer_.ndim; ++i) {
    shape_.push_back(buffer_.shape[i]);
    strides_.push_back(buffer_.strides[i]);
  }
  keep_unit_strides(array);
  dtype_ = dtype_of_format(format, element_bytes_);
  return true;
}

// NumPy exports the strides of dimensions with one index as if the array were dense.
void ArrayView::keep_unit_strides(nb::handle array) {
  const nb::object told = attribute(array, "strides");
  if (!told.is_valid() || !nb::isinstance<nb::tuple>(told) || nb::len(told) != strides_.size()) return;
  for (std::size_t i = 0; i < strides_.size(); ++i) {
    Index stride = 0;
    if (shape_[i] == 1 && nb::try_cast<Index>(told[i], stride)) strides_[i] = stride;
  }
}

bool ArrayView::from_interface(nb::handle array) {
  const nb::object about = attribute(array, "__array_interface__");
  if (!about.is_valid()) return false;
  ArrayInterface read = read_array_interface(about, type_name_of(array));
  data_ = read.data;
  read_only_ = read.read_only;
  element_bytes_ = read.element_bytes;
  dtype_ = dtype_by_name(array);
  if (!dtype_ && read.kind != 'V') {
    const char kind = read.kind == 'i' ? 'b' : read.kind == 'u' ? 'B' : read.kind == 'f' ? 'f' : 'x';
    dtype_ = dtype_of_format(std::string{read.order == '|' ? '@' : read.order, kind}, element_bytes_);
  }
  shape_ = std::move(read.shape);
  if (read.strides) {
    strides_ = *std::move(read.strides);
  } else {
    set_dense_strides();
  }
  // The dictionary may keep what owns the memory.
  owner_ = nb::make_tuple(nb::borrow(array), about);
  return true;
}

bool ArrayView::from_dlpack(nb::handle array) {
  const nb::object method = attribute(array, "__dlpack__");
  if (!method.is_valid()) return false;
  nb::ndarray<nb::ro> view;
  if (!nb::try_cast(array, view)) {
    PyErr_Clear();
    // nanobind does not say why, and asks only the type for the method.
    const nb::object capsule = nb::steal(PyObject_CallNoArgs(method.ptr()));
    if (!capsule.is_valid()) {
      throw nb::type_error(
          fmt::format("the __dlpack__ of {} failed ({}); pass numpy.asarray(x), or copy the array "
                      "to the host",
                      type_name_of(array), nb::python_error().what())
              .c_str());
    }
    if (PyCapsule_CheckExact(capsule.ptr()) == 0 || !nb::try_cast(capsule, view)) {
      PyErr_Clear();
      throw nb::type_error(
          fmt::format("the __dlpack__ of {} did not return an array but a {}; pass a NumPy array",
                      type_name_of(array), type_name_of(capsule))
              .c_str());
    }
  }
  if (view.device_type() != nb::device::cpu::value) {
    throw nb::type_error("the array is in the memory of a device; copy it to the host first");
  }
  if (view.dtype().bits % 8 != 0) {
    raise(Code::unsupported_width,
          fmt::format("the elements have {} bits: only whole bytes can be moved", view.dtype().bits),
          "unpack them to one byte each");
  }
  data_ = static_cast<std::byte*>(const_cast<void*>(view.data()));
  element_bytes_ = view.dtype().bits / 8 * view.dtype().lanes;
  dtype_ = dtype_by_name(array);
  if (!dtype_) dtype_ = dtype_of_dlpack(view.dtype());
  // A DLPack export is treated as read-only. Only version 1 has a flag for this, which nanobind checks for
  // writable views.
  nb::ndarray<> writable;
  read_only_ = !nb::try_cast(array, writable);
  if (read_only_) PyErr_Clear();
  for (std::size_t i = 0; i < view.ndim(); ++i) {
    shape_.push_back(static_cast<Index>(view.shape(i)));
    Index stride = 0;
    if (mul_overflows(Index{view.stride(i)}, element_bytes_, stride)) stride = kIndexMax;
    strides_.push_back(stride);
  }
  view_ = std::make_shared<nb::ndarray<nb::ro>>(std::move(view));
  return true;
}

// Refuses what no array can be, so that sizes and addresses fit in 64 bits.
void ArrayView::check(nb::handle array) const {
  const auto malformed = [&](const std::string& what) {
    throw nb::type_error(
        fmt::format("the array that {} gives {}; pass a NumPy array", type_name_of(array), what).c_str());
  };
  if (element_bytes_ < 1) malformed(fmt::format("has elements of {} bytes", element_bytes_));
  for (const Index extent : shape_) {
    if (extent < 0) malformed(fmt::format("has the extent {}", extent));
  }
  if (dtype_ && std::max<Index>(8, bit_width(*dtype_)) != checked_mul(element_bytes_, 8)) {
    malformed(fmt::format("has the type {}, but elements of {} bytes", to_string(*dtype_), element_bytes_));
  }
  if (is_empty()) return;
  if (data_ == nullptr) malformed("has elements, but the address 0");
  const Index most = kPythonLimits.address;
  Index bytes = element_bytes_;
  Index below = 0;
  Index above = element_bytes_;
  bool fits = bytes < most;
  for (std::size_t i = 0; i < shape_.size() && fits; ++i) {
    Index reach = 0;
    fits = !mul_overflows(bytes, shape_[i], bytes) && !mul_overflows(shape_[i] - 1, strides_[i], reach) &&
           !add_overflows(reach < 0 ? below : above, reach, reach < 0 ? below : above) && bytes < most &&
           below > -most && above < most;
  }
  // The addresses of a process are below 2^63.
  const auto address = reinterpret_cast<std::uintptr_t>(data_);
  if (!fits || address >= static_cast<std::uintptr_t>(most) || static_cast<Index>(address) + below < 0)
    malformed("has more bytes than memory");
}

void ArrayView::set_dense_strides() {
  strides_.resize(shape_.size());
  Index step = element_bytes_;
  for (std::size_t i = shape_.size(); i-- > 0;) {
    strides_[i] = step;
    // Only an empty or a malformed array is that large; check refuses the latter.
    if (mul_overflows(step, shape_[i], step)) step = 0;
  }
}

Index ArrayView::size() const {
  if (is_empty()) return 0;
  Index size = 1;
  for (const Index extent : shape_) size *= extent;
  return size;
}

bool ArrayView::is_empty() const { return std::ranges::find(shape_, 0) != shape_.end(); }

Extent ArrayView::extent() const {
  Extent extent;
  if (is_empty()) return extent;
  extent.end = element_bytes_;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    const Index reach = (shape_[i] - 1) * strides_[i];
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  return extent;
}

Layout ArrayView::layout(Index offset) const {
  Strides strides{.shape = shape_, .strides = {}, .base = offset};
  for (std::size_t i = 0; i < strides_.size(); ++i) {
    // If a dimension has only one index, its stride may be anything.
    const bool taken = shape_[i] > 1;
    const Index stride = taken || strides_[i] % element_bytes_ == 0 ? strides_[i] : 0;
    if (stride % element_bytes_ != 0) {
      raise(Diagnostic{
          .code = Code::not_representable,
          .message = fmt::format("the stride of dimension {} is {} bytes, which is not a whole number of "
                                 "elements of {} bytes",
                                 i, stride, element_bytes_),
          .reason = "stride",
          .witness = fmt::format("dimension {}", i)});
    }
    strides.strides.push_back(stride / element_bytes_);
  }
  return unwrap(Layout::make(std::move(strides)));
}

}  // namespace tessera::python
