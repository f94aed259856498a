// SPDX-License-Identifier: Apache-2.0
/// \file
/// The common refinement of two digit forms: digits cut where either side cuts.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "relayout/nest.h"
#include "tessera/notation/digits.h"

namespace tessera::relayout {

/// Digit values [0, count) of the dimension's index divided by `unit`. Strides in bytes; `table`: the two
/// sides have no stride there, value t lies at src_table[t], dst_table[t].
struct Segment {
  Index unit = 1;
  Index count = 1;
  Index src = 0;
  Index dst = 0;
  std::vector<Index> src_table = {};
  std::vector<Index> dst_table = {};
};

/// A dimension as a chain of segments, lowest first. Its indices are the union of disjoint pieces: in each,
/// the segments above `segment` have one value (in the offsets), `segment` runs over [0, count), those below
/// over all of theirs. One piece where the extent is the product of the counts.
struct Piece {
  Index src = 0;
  Index dst = 0;
  std::size_t segment = 0;
  Index count = 1;
};
struct Chain {
  std::vector<Segment> segments;
  std::vector<Piece> pieces;
};

/// Longest table of one segment: beyond it building the table costs more than it saves.
inline constexpr Index kMaxTable = Index{1} << 20;

/// May the digits of one dimension be cut at `unit`: do the index part below it, and the part above it, keep
/// digits of their own?
bool is_clean(std::span<const Digit> digits, Index unit);
/// The digit that an index step of `unit` moves; null where there are no digits.
const Digit* digit_at(std::span<const Digit> digits, Index unit);

/// The segments of one dimension of extent >= 1 from the digits of both sides, strides scaled by
/// `element_bytes`. False when a table would be longer than kMaxTable.
bool refine(Index extent, std::span<const Digit> src, std::span<const Digit> dst, Index element_bytes,
            Chain& chain);

/// The pieces of [0, extent) for segments that cover it.
void cut_pieces(Index extent, Chain& chain);

}  // namespace tessera::relayout
