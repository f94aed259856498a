// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bits of a named layout: rows are bytes or words, columns bits from high to low, as in manuals.
#pragma once

#include <vector>

#include "tessera/draw/layout_picture.h"
#include "tessera/notation/named_layout.h"

namespace tessera {

struct BitsPictureOptions {
  Index word = 8;  ///< bits of a row
  Index rows = 0;  ///< 0: a block of GGUF, else 8 rows; at most those of the buffer
  /// One range of rows, in place of `rows`. Empty: from the first row on.
  std::vector<IndexRange> window = {};
};

/// A cell names the element, and below it the bit of the value if a row does not show all bits of the element
/// side by side. Of a block of GGUF, all fields are drawn, each in its color; unused bits are padding.
/// Errors: bad_option (a word that is not 8, 16, 32 or 64 bits), bad_extent (no elements), limit (more than
/// 2^16 bits), value_count and index_out_of_range (of the window), and those of owner_of.
Result<Picture> bits_picture(const NamedLayout& layout, const BitsPictureOptions& options = {});

}  // namespace tessera
