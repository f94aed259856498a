// SPDX-License-Identifier: Apache-2.0
/// \file
/// A destination cut into bands that can be written one after the other.
#pragma once

#include <optional>
#include <vector>

#include "transfer/index_box.h"

namespace tessera::transfer {

/// The elements of `box` and no others lie in [begin, end) of the destination, within the first
/// `most_elements` of it; without a box it is padding alone. In elements.
struct Band {
  Index begin = 0;
  Index end = 0;
  std::optional<IndexBox> box;
};

/// Bands that follow each other from 0 to `buffer_elements`, each of at most `most_elements` unless the
/// padding behind its elements is longer; the padding belongs to the band before it. Cuts where the source is
/// aligned too, if there is a choice. Nothing where the layout does not lie in such bands (the digits of a
/// dimension in another order than their weight, strides that interleave); a destination that is small enough
/// is one band in any case.
std::optional<std::vector<Band>> cut_into_bands(const Digits& source, const Digits& destination,
                                                Index buffer_elements, Index most_elements);

}  // namespace tessera::transfer
