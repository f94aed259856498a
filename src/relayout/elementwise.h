// SPDX-License-Identifier: Apache-2.0
/// \file
/// The copy that evaluates both layouts at each element.
#pragma once

#include <cstddef>

#include "relayout/offset_lines.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// The copy of last resort, for layouts with neither digits nor small tables: evaluates both layouts at every
/// element. It works in blocks of lines. A line runs along the dimension with the smallest destination step;
/// the lines of a block follow each other along the dimension with the smallest source step, so that each
/// cache line is loaded about once.
class ElementwiseCopy {
 public:
  ElementwiseCopy(const Layout& src, const Layout& dst);

  /// The layouts passed to the constructor.
  const Layout& src() const { return src_; }
  const Layout& dst() const { return dst_; }
  /// The same layouts in a form that is evaluated without allocation and has at most
  /// kRelayoutLimits.nest_dims dimensions: if there are more, those of extent 1 are dropped.
  const Layout& src_map() const { return from_.layout(); }
  const Layout& dst_map() const { return to_.layout(); }

  /// The number of blocks. Threads may run disjoint ranges of blocks.
  Index units() const { return units_; }
  /// Copies blocks [first, last). Does not allocate.
  void run(Index first, Index last, Index element_bytes, const std::byte* src, std::byte* dst) const;

 private:
  struct Maps;
  ElementwiseCopy(const Layout& src, const Layout& dst, const Maps& maps);

  Layout src_;
  Layout dst_;
  std::size_t line_ = 0;  // the dimension that a line runs along
  std::size_t band_ = 0;  // the dimension across the lines of a block; may equal line_
  OffsetLines from_;
  OffsetLines to_;
  Index units_ = 1;
};

}  // namespace tessera::moving
