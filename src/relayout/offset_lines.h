// SPDX-License-Identifier: Apache-2.0
/// \file
/// The offsets of many indices that differ in one dimension.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Evaluates a layout at consecutive indices of one dimension (a line) faster than index by index: digits
/// take one addition per step, swizzles a few bit operations, bases over F2 two XORs on average. Other
/// layouts are evaluated at each index.
class OffsetLines {
 public:
  /// Lines run along this dimension.
  OffsetLines(const Layout& layout, std::size_t dim);

  /// Sets out[i] to the offset of `index` with first + i in the line's dimension. The entry of `index` for
  /// this dimension is overwritten. Does not allocate. Requires indices inside the shape.
  void fill(std::span<Index> index, Index first, std::span<Index> out) const;

  const Layout& layout() const { return layout_; }

 private:
  // v -> w ^ ((w & read) >> shift) with w = v + offset.
  struct Swizzled {
    Index offset = 0;
    Index read = 0;
    int shift = 0;
  };

  void fill_digits(std::span<Index> index, Index first, std::span<Index> out) const;
  void fill_bases(std::span<Index> index, Index first, std::span<Index> out) const;

  Layout layout_;
  std::size_t dim_;
  std::optional<Digits> digits_;    // digits of the layout, or of the layout inside its swizzles
  std::vector<Swizzled> swizzles_;  // applied in this order
};

}  // namespace tessera::moving
