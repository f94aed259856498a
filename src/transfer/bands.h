// SPDX-License-Identifier: Apache-2.0
/// \file
/// A destination cut into bands that can be written one after another.
#pragma once

#include <optional>
#include <vector>

#include "transfer/index_box.h"

namespace tessera::transfer {

/// The elements of `box` and no others are in [begin, end) of the destination, within the first
/// `most_elements` of it; without a box it is only padding. In elements.
struct Band {
  Index begin = 0;
  Index end = 0;
  std::optional<IndexBox> box;
};

/// Consecutive bands from 0 to `buffer_elements`, each of at most `most_elements` unless the padding after
/// its elements is longer; padding belongs to the band before it. Prefers cuts where the source is aligned
/// too. Nothing if the layout cannot be cut into such bands (the digits of a dimension are not in the order
/// of their weight, strides interleave); a destination that is small enough is always one band.
std::optional<std::vector<Band>> cut_into_bands(const Digits& source, const Digits& destination,
                                                Index buffer_elements, Index most_elements);

}  // namespace tessera::transfer
