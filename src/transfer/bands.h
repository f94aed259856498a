// SPDX-License-Identifier: Apache-2.0
/// \file
/// A destination cut into bands that can be written one after another.
#pragma once

#include <optional>
#include <vector>

#include "transfer/index_box.h"

namespace tessera::transfer {

/// A range [begin, end) of destination offsets, in elements, and the box of all indices whose elements lie in
/// the range. These elements lie within the first `most_elements` offsets of the range. Without a box, the
/// range is only padding.
struct Band {
  Index begin = 0;
  Index end = 0;
  std::optional<IndexBox> box;
};

/// Cuts the destination into consecutive bands that cover [0, buffer_elements). A band includes the padding
/// after its elements. It has at most `most_elements` offsets unless this padding is longer. Prefers cuts at
/// which the source's digits change too. Empty if the layout cannot be cut this way: a low digit of a
/// dimension has the longest stride, or strides interleave. A destination of at most `most_elements` is
/// always one band.
std::optional<std::vector<Band>> cut_into_bands(const Digits& source, const Digits& destination,
                                                Index buffer_elements, Index most_elements);

}  // namespace tessera::transfer
