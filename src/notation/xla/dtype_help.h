// SPDX-License-Identifier: Apache-2.0
/// \file
/// Element types by the names of other programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/dtype.h"

namespace tessera {

/// The type of an XLA name, or of a name for the same type in Triton, MLIR, NumPy or PyTorch, in any case:
/// `i8`, `fp16`, `f8E4M3FN`, `float8_e5m2`. MLIR's integers have no sign and become signed ones; `i1` is
/// pred. Nothing for names with several meanings, such as `float` and `fp8`.
std::optional<DType> read_dtype(std::string_view name);

/// `did you mean f32?` for the name of a type in other notations (float32, half, i8) or a misspelling; else
/// the list of types.
std::string dtype_help(std::string_view word);

}  // namespace tessera
