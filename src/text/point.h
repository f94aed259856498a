// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads points.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// Reads `3,5` or `(3, 5)`: integers separated by commas, with or without parentheses. `()` and the empty
/// text have no integers. Errors, each with its span: syntax, number_range.
Result<std::vector<Index>> parse_point(std::string_view text);

/// Reads a shape: `8x16`, `8,16` or `(8,16)`. Errors: as for parse_point.
Result<std::vector<Index>> parse_shape(std::string_view text);

}  // namespace tessera
