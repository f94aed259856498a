// SPDX-License-Identifier: Apache-2.0
/// \file
/// The common refinement of two digit forms: digits split where either side splits.
#pragma once

#include <span>

#include "relayout/nest.h"
#include "tessera/notation/digits.h"

namespace tessera::moving {

/// Digit values [0, count) of a dimension's index divided by `unit`. Strides in bytes, or `table`: the two
/// sides have no stride there, and value t is at offset(t * unit) of their digits.
struct Segment {
  Index unit = 1;
  Index count = 1;
  Index src = 0;
  Index dst = 0;
  bool table = false;
};

/// A dimension of extent >= 1 as a chain of segments, lowest first: enough of them for 63 bits of index.
struct Chain {
  Index extent = 1;
  InlineVector<Segment, kMaxTerms> segments = {};
};

/// The indices of a dimension are the union of disjoint pieces: in piece k, the segments above `segment` have
/// one value each (together index `corner`), `segment` runs over [0, count), and those below over all of
/// theirs. There is one piece if the extent is the product of the counts.
struct Piece {
  Index corner = 0;
  std::size_t segment = 0;
  Index count = 1;
};
/// The piece after the one that ends at `corner`; its `count` is 0 if there is none.
Piece piece_at(const Chain& chain, Index corner);
/// The index after a piece.
Index end_of(const Chain& chain, const Piece& piece);

/// May the digits of one dimension be split at `unit`: do the parts of the index below and above it have
/// their own digits?
bool is_clean(std::span<const Digit> digits, Index unit);
/// The digit that an index step of `unit` moves; null if there are no digits.
const Digit* digit_at(std::span<const Digit> digits, Index unit);

/// Longest table of one segment or group: made in about a millisecond, and fits the L2 cache. Beyond it both
/// layouts are evaluated at each element, which is as fast as reading a table from memory.
inline constexpr Index kMaxTable = Index{1} << 14;

/// The segments of one dimension from the digits of both sides, strides scaled by `element_bytes`. False if a
/// table would be longer than kMaxTable, or there are too many digits.
bool refine(Index extent, std::span<const Digit> src, std::span<const Digit> dst, Index element_bytes,
            Chain& chain);

}  // namespace tessera::moving
