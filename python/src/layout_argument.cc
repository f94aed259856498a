// SPDX-License-Identifier: Apache-2.0
#include "python/src/layout_argument.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "python/src/cute_layout.h"
#include "python/src/errors.h"

namespace tessera::python {

Layout read_layout(std::string_view text, const std::optional<std::string>& notation) {
  if (!notation) return unwrap(parse_layout(text), text);
  const Notation wanted = notation_argument(*notation);
  if (notation_prefix(text) == wanted) return unwrap(parse_layout(text), text);
  const std::string before = std::string(prefix(wanted)) + ":";
  Result<Layout> layout = parse_layout(before + std::string(text));
  if (!layout) {
    Diagnostic error = layout.error();
    const auto shift = static_cast<std::uint32_t>(before.size());
    error.span = {error.span.begin - std::min(shift, error.span.begin),
                  error.span.end - std::min(shift, error.span.end)};
    raise(error, text);
  }
  return *std::move(layout);
}

Layout layout_argument(nb::handle value) {
  if (const Layout* layout = nullptr; nb::try_cast<const Layout*>(value, layout) && layout != nullptr) {
    return *layout;
  }
  if (nb::isinstance<nb::str>(value)) return read_layout(nb::cast<std::string_view>(value));
  if (const CuteLayout* cute = nullptr; nb::try_cast<const CuteLayout*>(value, cute) && cute != nullptr) {
    return unwrap(cute->to_layout());
  }
  throw nb::type_error(
      fmt::format("a layout must be a tessera.Layout, a tessera.cute.Layout or a text, not {}",
                  nb::cast<std::string>(nb::handle(value.type()).attr("__name__")))
          .c_str());
}

Notation notation_argument(std::string_view name) {
  if (const std::optional<Notation> notation = parse_notation(name)) return *notation;
  std::vector<std::string_view> names;
  for (const Notation known : all_notations()) names.push_back(to_string(known));
  raise(Code::unknown_name, fmt::format("there is no notation '{}'", name),
        fmt::format("the notations are {}", fmt::join(names, ", ")));
}

Index index_argument(nb::handle value) {
  const long long number = PyLong_Check(value.ptr()) != 0 ? PyLong_AsLongLong(value.ptr()) : [&] {
    const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
    if (!whole.is_valid()) throw nb::python_error();
    return PyLong_AsLongLong(whole.ptr());
  }();
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

void Indices::push(nb::handle value) {
  const Index index = index_argument(value);
  if (size_ < kInline) {
    inline_[size_++] = index;
    return;
  }
  if (size_ == kInline) heap_.assign(inline_, inline_ + kInline);
  heap_.push_back(index);
  ++size_;
}

void Indices::push_all(nb::handle sequence) {
  if (PyTuple_CheckExact(sequence.ptr()) != 0) {
    const Py_ssize_t count = PyTuple_Size(sequence.ptr());
    for (Py_ssize_t i = 0; i < count; ++i) push(PyTuple_GetItem(sequence.ptr(), i));
    return;
  }
  for (const nb::handle value : nb::iter(sequence)) push(value);
}

Indices::Indices(const nb::args& arguments) {
  if (arguments.size() == 1) {
    const nb::handle only = arguments[0];
    if (nb::isinstance<nb::tuple>(only) || nb::isinstance<nb::list>(only)) {
      push_all(only);
      return;
    }
  }
  push_all(arguments);
}

Indices::Indices(nb::handle value) {
  if (nb::isinstance<nb::tuple>(value) || nb::isinstance<nb::list>(value)) {
    push_all(value);
  } else {
    push(value);
  }
}

nb::tuple tuple_of(std::span<const Index> values) {
  nb::object out = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  if (!out.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyTuple_SetItem(out.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  }
  return nb::steal<nb::tuple>(out.release());
}

void check_index(const Layout& layout, std::span<const Index> index) {
  const std::span<const Index> shape = layout.shape();
  if (index.size() != shape.size()) {
    raise(Code::rank_mismatch, fmt::format("{} {}, but the layout has {} dimensions", index.size(),
                                           index.size() == 1 ? "index" : "indices", shape.size()));
  }
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= shape[i]) {
      raise(Code::index_out_of_range, fmt::format("index ({}) is outside the shape ({})",
                                                  fmt::join(index, ","), fmt::join(shape, ",")));
    }
  }
}

std::string literal(std::string_view text) {
  return nb::cast<std::string>(nb::repr(nb::str(text.data(), text.size())));
}

}  // namespace tessera::python
