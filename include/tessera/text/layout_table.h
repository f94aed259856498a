// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of a layout of rank 2, as CuTe's print_layout writes it.
#pragma once

#include <string>

#include "tessera/algebra/composed_layout.h"
#include "tessera/base/result.h"

namespace tessera {

/// The text of the layout, then a grid with the value of each coordinate (row, column) of the two modes;
/// coordinates where the strides count coordinates. The cells are as wide as CuTe makes them (digits of the
/// cosize + 2), wider only where a value does not fit. Errors: rank_mismatch (rank is not 2), limit (more
/// than 2^20 cells), those of offset.
Result<std::string> print_layout(const StridedLayout& layout);
Result<std::string> print_layout(const ComposedLayout& layout);

}  // namespace tessera
