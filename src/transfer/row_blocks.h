// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements of a row that lie at equal distances, proved from the map that defines a layout.
#pragma once

#include "tessera/base/index.h"
#include "tessera/notation/layout.h"

namespace tessera::transfer {

/// The indices of the last dimension are cut into blocks of `extent`, the last one maybe short. In every
/// block each element lies `step` after the one before.
struct RowBlocks {
  Index extent = 1;
  Index step = 1;

  /// Blocks of one element if larger ones are not found. The map that defines the layout decides, not the
  /// digits that plans are made from.
  static RowBlocks of(const Layout& layout);
  /// How many elements from this one on are in its block.
  Index from(Index last) const { return extent - last % extent; }
};

}  // namespace tessera::transfer
