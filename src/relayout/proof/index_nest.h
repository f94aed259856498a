// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a part of a plan moves the index: its loops and tables, with steps of indices instead of bytes.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "notation/summands.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

using Point = std::vector<Index>;

/// A layout and its offset function as a sum of independent summands.
struct LayoutSide {
  explicit LayoutSide(const Layout& l) : layout(l), sum(detail::summands(l)) {}
  Layout layout;
  std::vector<detail::Summand> sum;
};

/// The two layouts of a plan. `near` is the one whose offsets are inverted to indices.
struct LayoutSides {
  const LayoutSide& near;
  const LayoutSide& far;
  bool near_is_dst = false;
};

/// A loop of a part as a loop over one dimension's index: value i adds sign * i * unit to the index, and i *
/// stride to each offset. Offsets are in elements.
struct IndexLoop {
  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  Index sign = 1;  ///< 1 or -1
  Index near_stride = 0;
  Index far_stride = 0;
};

/// A table of a part: what entry i adds to the index and to each offset. Offsets are in elements.
struct IndexTable {
  std::vector<Point> steps = {};
  std::vector<Index> near = {};
  std::vector<Index> far = {};
};

using IndexAxis = std::variant<IndexLoop, IndexTable>;

/// A part as loops over the index. For each combination of the axes' values, it copies the element at
/// `corner` plus the sum of the axes' index steps.
struct IndexNest {
  Point corner;
  Index near_corner = 0;  ///< offsets of `corner`
  Index far_corner = 0;
  std::vector<IndexAxis> axes;
};

/// How many table entries, and combinations of them, may still be checked one by one.
struct EntryBudget {
  Index left = Index{1} << 23;
  bool take(Index entries) { return entries <= left && (left -= entries, true); }
};

/// True if the index of an offset can be found without enumeration.
bool can_invert(const Layout& layout);

/// The loops and tables of a part as axes of the index. Empty if they are not recognized. Table entries are
/// checked against both layouts. Whether a loop has one constant index step is only guessed; offsets_match
/// proves it.
std::optional<IndexNest> index_nest(const PlanPart& part, Index element_bytes, const LayoutSides& sides,
                                    EntryBudget& budget);

/// Like index_nest, but with all tables and the loops of the smallest steps as one table of at most 2^14
/// entries. Needed if the indices of single loops form no box, but those of all loops together do.
std::optional<IndexNest> joined_index_nest(const PlanPart& part, Index element_bytes,
                                           const LayoutSides& sides, EntryBudget& budget);

}  // namespace tessera::moving
