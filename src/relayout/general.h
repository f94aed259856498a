// SPDX-License-Identifier: Apache-2.0
/// \file
/// The copy that evaluates both layouts at each element.
#pragma once

#include <cstddef>

#include "relayout/offset_lines.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// The last resort for shapes whose maps have neither digits nor small tables: both maps at every element.
/// The shape is cut into squares of lines, between the dimensions in which the destination and the source
/// step least, so that neither side touches a cache line again and again.
class General {
 public:
  General(const Layout& src, const Layout& dst);

  /// As given.
  const Layout& src() const { return src_; }
  const Layout& dst() const { return dst_; }
  /// The same functions, evaluated without allocation: of at most kMaxTerms dimensions, without those of one
  /// index if there are more.
  const Layout& src_map() const { return from_.layout(); }
  const Layout& dst_map() const { return to_.layout(); }

  /// Squares, which threads may share.
  Index units() const { return units_; }
  /// Copies squares [first, last). Does not allocate.
  void run(Index first, Index last, Index element_bytes, const std::byte* src, std::byte* dst) const;

 private:
  struct Maps;
  General(const Layout& src, const Layout& dst, const Maps& maps);

  Layout src_;
  Layout dst_;
  std::size_t line_ = 0;  // dimension of the lines
  std::size_t band_ = 0;  // of the lines of a square, if another
  OffsetLines from_;
  OffsetLines to_;
  Index units_ = 1;
};

}  // namespace tessera::moving
