// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bands of a buffer whose elements are runs of bits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayout/bits/form_of.h"
#include "transfer/bands.h"
#include "transfer/index_box.h"

namespace tessera::transfer {

/// Bits that hold all bits of the elements of a box, and maybe others.
struct BitSpan {
  Index begin = 0;
  Index end = 0;
};
/// O(digits), if the box is wider than the tables. Requires a box that is not empty.
BitSpan bits_of(const moving::BitForm& form, const IndexBox& box);

/// Bands of whole bytes, in bits of the buffer, which hold at most `most_bits` of elements each. Empty if no
/// boxes of indices lie one after another in the buffer.
std::optional<std::vector<Band>> cut_into_byte_bands(std::span<const moving::FormPiece> pieces,
                                                     std::span<const Index> shape, Index buffer_bits,
                                                     Index most_bits);

}  // namespace tessera::transfer
