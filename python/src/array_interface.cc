// SPDX-License-Identifier: Apache-2.0
#include "python/src/array_interface.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "python/src/limits.h"

namespace tessera::python {
namespace {

class ArrayInterfaceReader {
 public:
  ArrayInterfaceReader(nb::handle about, const std::string& type) : type_(type) {
    if (!nb::isinstance<nb::dict>(about)) malformed(fmt::format("is a {}, not a dict", type_name_of(about)));
    about_ = nb::borrow<nb::dict>(about);
  }

  ArrayInterface read() const {
    ArrayInterface out;
    read_type(out);
    read_data(out);
    out.shape = integers("shape", value("shape"));
    if (const nb::object mask = value_or_none("mask"); !mask.is_none()) malformed("has a 'mask'");
    if (const nb::object strides = value_or_none("strides"); !strides.is_none()) {
      out.strides = integers("strides", strides);
      if (out.strides->size() != out.shape.size()) {
        malformed(
            fmt::format("has {} 'strides' for {} extents in 'shape'", out.strides->size(), out.shape.size()));
      }
    }
    return out;
  }

 private:
  [[noreturn]] void malformed(const std::string& what) const {
    throw nb::type_error(
        fmt::format("the __array_interface__ of {} {}; pass a NumPy array", type_, what).c_str());
  }

  nb::object value_or_none(const char* key) const {
    return about_.contains(key) ? nb::object(about_[key]) : nb::none();
  }

  nb::object value(const char* key) const {
    nb::object found = value_or_none(key);
    if (found.is_none()) malformed(fmt::format("has no '{}'", key));
    return found;
  }

  std::string shown(nb::handle value) const {
    std::string text = nb::cast<std::string>(nb::repr(value));
    if (text.size() > kPythonLimits.shown_bytes) text = text.substr(0, kPythonLimits.shown_bytes) + "...";
    return text;
  }

  std::vector<Index> integers(const char* key, nb::handle value) const {
    if (!nb::isinstance<nb::tuple>(value))
      malformed(fmt::format("has a '{}' that is not a tuple: {}", key, shown(value)));
    std::vector<Index> out;
    for (const nb::handle one : nb::borrow<nb::tuple>(value)) {
      Index number = 0;
      if (!nb::try_cast(one, number))
        malformed(fmt::format("has a '{}' that is not all integers: {}", key, shown(value)));
      out.push_back(number);
    }
    return out;
  }

  void read_data(ArrayInterface& out) const {
    const nb::object data = value("data");
    std::uintptr_t address = 0;
    if (!nb::isinstance<nb::tuple>(data) || nb::len(data) != 2 || !nb::try_cast(data[0], address) ||
        !nb::isinstance<nb::bool_>(data[1])) {
      malformed("has a 'data' that is not a pair of an address and whether it is read-only: " + shown(data));
    }
    out.data = reinterpret_cast<std::byte*>(address);
    out.read_only = nb::cast<bool>(data[1]);
  }

  // For example `<f4`, `|V2`, `<M8[ns]`, and `|O` for objects.
  void read_type(ArrayInterface& out) const {
    const nb::object named = value("typestr");
    std::string text;
    if (!nb::try_cast(named, text)) malformed("has a 'typestr' that is not a text: " + shown(named));
    constexpr std::size_t kLetters = 2;
    if (text.size() >= kLetters && text[1] == 'O') refuse_objects(type_);
    const char* const end = text.data() + text.size();
    const bool starts =
        text.size() > kLetters && std::string_view("<>|=").find(text[0]) != std::string_view::npos;
    const auto [rest, error] = starts ? std::from_chars(text.data() + kLetters, end, out.element_bytes)
                                      : std::from_chars_result{text.data(), std::errc::invalid_argument};
    if (error != std::errc{} || (rest != end && *rest != '[')) {
      malformed(fmt::format("has a 'typestr' that is not a type such as '<f4': {}", shown(named)));
    }
    if (holds_objects(value_or_none("descr"))) refuse_objects(type_);
    out.order = text[0];
    out.kind = text[1];
    if (out.kind == 'U') {  // counts characters
      if (mul_overflows(out.element_bytes, Index{4}, out.element_bytes))
        malformed("has elements of too many bytes");
    }
  }

  // Whether the fields (name, type) of a structure, which may be nested, hold Python objects.
  bool holds_objects(nb::handle fields, int depth = 0) const {
    if (!nb::isinstance<nb::list>(fields)) return false;
    if (depth == kPythonLimits.descr_depth) malformed("has a 'descr' that is nested too deeply");
    for (const nb::handle field : nb::borrow<nb::list>(fields)) {
      if (!nb::isinstance<nb::tuple>(field) || nb::len(field) < 2) continue;
      const nb::object type = field[1];
      std::string text;
      if (nb::try_cast(type, text) ? text.size() > 1 && text[1] == 'O' : holds_objects(type, depth + 1))
        return true;
    }
    return false;
  }

  nb::dict about_;
  const std::string& type_;
};

}  // namespace

ArrayInterface read_array_interface(nb::handle about, const std::string& type) {
  return ArrayInterfaceReader(about, type).read();
}

void refuse_objects(const std::string& type) {
  throw nb::type_error(
      fmt::format("the elements of the {} are Python objects, whose bytes cannot be moved; pass "
                  "an array of numbers, such as array.astype(float)",
                  type)
          .c_str());
}

std::string type_name_of(nb::handle object) {
  return nb::cast<std::string>(nb::str(nb::handle(object.type()).attr("__name__")));
}

nb::object attribute(nb::handle object, const char* name) {
  PyObject* const found = PyObject_GetAttrString(object.ptr(), name);
  if (found == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(found);
}

}  // namespace tessera::python
