// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a part of a plan moves the index: its loops and tables as steps of indices instead of bytes.
#pragma once

#include <optional>
#include <vector>

#include "notation/summands.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

using Point = std::vector<Index>;

/// A layout and its offset function as a sum of independent summands.
struct Side {
  explicit Side(const Layout& l) : layout(l), sum(detail::summands(l)) {}
  Layout layout;
  std::vector<detail::Summand> sum;
};

/// The two layouts of a plan. `near` is the one whose offsets are inverted to indices.
struct Sides {
  const Side& near;
  const Side& far;
  bool near_is_dst = false;
};

/// What moves the index of a part: values of the index, each with offsets on both sides. A loop is one run of
/// one dimension; a table is the list of its values. Offsets in elements, from the part's corner.
struct Mover {
  std::vector<Point> steps = {};  ///< table: from the corner to each entry
  std::vector<Index> near = {};   ///< table: offsets of the entries
  std::vector<Index> far = {};
  /// loop: `count` values, `unit` apart, increasing (sign 1) or decreasing (-1)
  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  Index sign = 1;
  Index near_stride = 0;
  Index far_stride = 0;
  bool is_table() const { return !steps.empty(); }
};

struct PartMoves {
  Point corner;  ///< the index that the part copies first
  Index near_corner = 0;
  Index far_corner = 0;
  std::vector<Mover> movers;
};

/// The number of table entries, and of combinations of them, that may still be checked one by one.
struct Budget {
  Index left = Index{1} << 23;
  bool take(Index entries) { return entries <= left && (left -= entries, true); }
};

/// True if the index of a single offset is found without enumeration.
bool turns_around(const Layout& layout);

/// The movers of a part; empty if they are not recognized. Table entries are checked against both layouts.
/// That a loop has one constant index step is only a guess, which moves_hold proves.
std::optional<PartMoves> moves_of(const Part& part, Index element_bytes, const Sides& sides, Budget& budget);

/// As moves_of, but with all tables and the loops of the smallest steps as one table of at most 2^14 entries:
/// for loops whose indices form a box only together.
std::optional<PartMoves> moves_together(const Part& part, Index element_bytes, const Sides& sides,
                                        Budget& budget);

}  // namespace tessera::moving
