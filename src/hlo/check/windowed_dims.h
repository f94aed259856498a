// SPDX-License-Identifier: Apache-2.0
/// \file
/// The number of positions of a window over an array.
#pragma once

#include <span>
#include <vector>

#include "hlo/check/op_reader.h"

namespace tessera::detail {

/// The extents of the result of sliding `window` over dimensions `dims`:
/// floor((dilated + low + high - dilated size) / stride) + 1, or 0 if the window does not fit.
/// Problems: rank_mismatch (one window dimension for each), bad_attribute, overflow.
Problem windowed_dims(const OpReader& reader, std::span<const WindowDim> window, std::span<const Index> dims,
                      std::vector<Index>& out);

}  // namespace tessera::detail
