// SPDX-License-Identifier: Apache-2.0
#include "python/src/array_view.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include <cstring>

#include "python/src/dtype_names.h"
#include "python/src/errors.h"
#include "tessera/notation/linear_layout.h"

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
  if (!nb::hasattr(array, "dtype")) return {};
  const nb::object type = array.attr("dtype");
  return dtype_named(nb::cast<std::string>(nb::str(nb::hasattr(type, "name") ? type.attr("name") : type)));
}

}  // namespace

ArrayView::ArrayView(nb::handle array) {
  if (from_buffer(array) || from_interface(array) || from_dlpack(array)) return;
  throw nb::type_error(
      fmt::format("an array must have the buffer protocol, __array_interface__ or __dlpack__, "
                  "which {} does not have",
                  nb::cast<std::string>(nb::handle(array.type()).attr("__name__")))
          .c_str());
}

ArrayView::~ArrayView() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

bool ArrayView::from_buffer(nb::handle array) {
  if (PyObject_CheckBuffer(array.ptr()) == 0) return false;
  if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    buffer_.obj = nullptr;
    return false;
  }
  data_ = static_cast<std::byte*>(buffer_.buf);
  element_bytes_ = buffer_.itemsize;
  read_only_ = buffer_.readonly != 0;
  if (element_bytes_ < 1) {
    PyBuffer_Release(&buffer_);
    throw nb::type_error("the elements of the array have no bytes");
  }
  const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
  for (int i = 0; i < buffer_.ndim; ++i) {
    shape_.push_back(buffer_.shape[i]);
    strides_.push_back(buffer_.strides[i]);
  }
  // If a constructor throws, the destructor does not run.
  try {
    dtype_ = dtype_of_format(format, element_bytes_);
  } catch (...) {
    PyBuffer_Release(&buffer_);
    throw;
  }
  return true;
}

bool ArrayView::from_interface(nb::handle array) {
  if (!nb::hasattr(array, "__array_interface__")) return false;
  const nb::dict about = nb::cast<nb::dict>(array.attr("__array_interface__"));
  const nb::tuple data = nb::cast<nb::tuple>(about["data"]);
  data_ = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(data[0]));
  read_only_ = nb::cast<bool>(data[1]);
  const std::string type = nb::cast<std::string>(about["typestr"]);  // for example `<V2`
  element_bytes_ = std::stoll(type.substr(2));
  dtype_ = dtype_by_name(array);
  if (!dtype_ && type[1] != 'V') {
    const char kind = type[1] == 'i' ? 'b' : type[1] == 'u' ? 'B' : type[1] == 'f' ? 'f' : 'x';
    dtype_ = dtype_of_format(std::string{type[0] == '|' ? '@' : type[0], kind}, element_bytes_);
  }
  for (const nb::handle extent : nb::cast<nb::tuple>(about["shape"]))
    shape_.push_back(nb::cast<Index>(extent));
  if (about.contains("strides") && !about["strides"].is_none()) {
    for (const nb::handle stride : nb::cast<nb::tuple>(about["strides"]))
      strides_.push_back(nb::cast<Index>(stride));
  } else {
    set_dense_strides();
  }
  owner_ = nb::borrow(array);
  return true;
}

bool ArrayView::from_dlpack(nb::handle array) {
  if (!nb::hasattr(array, "__dlpack__")) return false;
  nb::ndarray<nb::ro> view;
  if (!nb::try_cast(array, view)) {
    PyErr_Clear();
    throw nb::type_error("the array's __dlpack__ did not return an array");
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
    strides_.push_back(view.stride(i) * element_bytes_);
  }
  owner_ = nb::cast(view);
  return true;
}

void ArrayView::set_dense_strides() {
  strides_.resize(shape_.size());
  Index step = element_bytes_;
  for (std::size_t i = shape_.size(); i-- > 0; step *= shape_[i]) strides_[i] = step;
}

Index ArrayView::size() const {
  Index size = 1;
  for (const Index extent : shape_) size *= extent;
  return size;
}

bool ArrayView::is_empty() const { return size() == 0; }

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
