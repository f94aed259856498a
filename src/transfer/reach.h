// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds on the memory positions of the elements of a box of indices, for layouts of every kind.
#pragma once

#include <optional>

#include "tessera/map/index_map.h"
#include "tessera/notation/layout.h"
#include "transfer/index_box.h"

namespace tessera::transfer {

/// Bounds on the offsets and bytes of boxes of a layout. They come from its digits if it has any, otherwise
/// from interval arithmetic on its index map.
class Reach {
 public:
  explicit Reach(const Layout& layout);

  const std::optional<Digits>& digits() const { return digits_; }

  /// A range that contains all offsets of the box; the exact range may be smaller. Requires a nonempty box.
  Interval offsets(const IndexBox& box) const;

  /// An upper bound on the bytes that become resident when the box is read from a file of `all_bytes` bytes.
  Index touched_bytes(const IndexBox& box, Index element_bits, Index all_bytes) const;

 private:
  std::optional<Digits> digits_;
  std::optional<IndexMap> map_;
};

}  // namespace tessera::transfer
