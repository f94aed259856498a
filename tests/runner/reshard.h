// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions shared by the checks of the folder reshard.
#pragma once

#include <string_view>

#include "runner/check.h"
#include "tessera/reshard/distribution.h"

namespace tessera::vectors {

/// The distribution with this text, bound to the row's `shape` (or another key) and `places`.
Result<BoundDistribution> bound(std::string_view text, const Json& row, const char* shape);

/// Judges a row of axis expressions.
VectorResult axes_row(const Json& row);
/// Judges the rows of pieces that another program gets wrong.
VectorResult pieces_bug(const Json& row);

}  // namespace tessera::vectors
