// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads indices of a layout.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// Reads `2,3` or `(2,3)`: one number for each dimension. In CuTe's notation, a mode also accepts a
/// coordinate of its own shape, `(0,(1,1)),5`, and a layout that is not cropped accepts one number for all
/// modes, the leftmost fastest. The index of a scalar is `()` or blank. Returns the index inside the box.
/// Errors, each with its span: syntax, number_range, value_count, rank_mismatch (brackets that the mode does
/// not have), index_out_of_range.
Result<std::vector<Index>> parse_layout_index(std::string_view text, const Layout& layout);

}  // namespace tessera
