// SPDX-License-Identifier: Apache-2.0
// Element types, by their names in NumPy and ml_dtypes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "python/src/python.h"
#include "tessera/base/dtype.h"

namespace tessera::python {

/// The type with the name `float32` or `f32`, `bfloat16`, `float8_e4m3fn`, `int4`, `bool`, .... Empty for
/// unknown names.
std::optional<DType> dtype_named(std::string_view name);

/// The name in NumPy or ml_dtypes: `float8_e4m3fn` for f8e4m3fn.
std::string numpy_name(DType type);

/// The numpy.dtype. Imports ml_dtypes for a type that NumPy does not have. Raises ImportError.
nb::object numpy_dtype(DType type);

/// The type for a name, a numpy.dtype, a scalar type such as numpy.float32, or a torch.dtype. Raises Error
/// (unknown_type).
DType dtype_argument(nb::handle value);

}  // namespace tessera::python
