// SPDX-License-Identifier: Apache-2.0
// NumPy's `__array_interface__`, read with checks: any object may have one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "python/src/python.h"
#include "tessera/base/index.h"

namespace tessera::python {

/// What an `__array_interface__` says.
struct ArrayInterface {
  std::byte* data = nullptr;
  bool read_only = false;
  char order = '|';  ///< of the bytes: `<`, `>` or `|`
  char kind = 'V';   ///< the letter of the type: i, u, f, c, b, V, ...
  Index element_bytes = 1;
  std::vector<Index> shape;
  std::optional<std::vector<Index>> strides = {};  ///< in bytes; empty: dense, in row-major order
};

/// Reads the value of the attribute. `type` is the name of the type of its object. Raises TypeError with the
/// key that is missing or malformed, and for elements that are Python objects.
ArrayInterface read_array_interface(nb::handle about, const std::string& type);

/// The error for elements that are references to Python objects: their bytes cannot be moved.
[[noreturn]] void refuse_objects(const std::string& type);

/// The name of the type of an object, for messages.
std::string type_name_of(nb::handle object);

/// The attribute, or an invalid object if there is none. An exception in a property passes through.
nb::object attribute(nb::handle object, const char* name);

}  // namespace tessera::python
