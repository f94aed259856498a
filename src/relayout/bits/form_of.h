// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bits of the elements of a layout.
#pragma once

#include <cstddef>
#include <vector>

#include "relayout/bits/bit_form.h"
#include "tessera/notation/named_layout.h"

namespace tessera::moving {

/// The form for indices begin <= x < end of dimension `dim`.
struct FormPiece {
  std::size_t dim = 0;
  Index begin = 0;
  Index end = kIndexMax;
  BitForm form;
};

/// The lowest `value_bits` bits of each element, in pieces that cover the array: one, or one for each group.
/// `cell_bits` is the width of the cells of a layout that is not of kind bits. Empty if the layout has no
/// digits: maps and swizzles.
std::vector<FormPiece> bit_forms(const NamedOrLayout& layout, Index cell_bits, int value_bits);

}  // namespace tessera::moving
