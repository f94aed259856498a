// SPDX-License-Identifier: Apache-2.0
/// \file
/// Questions about a layout: the indices at an offset, the range of offsets, whether two indices share one,
/// and the offsets that an operation reads.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/expr/interval.h"
#include "tessera/map/judge.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The indices at an offset; none means padding.
struct Preimage {
  std::vector<std::vector<Index>> indices = {};  ///< in row-major order
  bool complete = true;                          ///< false if `limit` cut the list
  /// For padding in a tiled array: the number of the tile that pads, or TiledCell::kTail.
  int padding_of = TiledCell::kNone;
};

/// All indices with this offset, at most `limit` of them. Exact. O(digits) if no two indices share an offset;
/// tiles, swizzles and bases over F2 are inverted; other maps are searched, up to kTableLimit indices.
/// Errors: index_out_of_range (no index has the offset, and it is outside the buffer), undecided.
Result<Preimage> indices_at(const Layout& layout, Index offset, std::size_t limit = 64);

/// The smallest and the largest offset over the box; both occur. Exact. Digits, bases over F2 and swizzles
/// need no search; of other maps, only parts that depend on each other are enumerated together. Requires a
/// nonempty box. Errors: undecided (parts that depend on each other have more than kTableLimit indices in
/// total).
Result<Interval> offset_range(const Layout& layout);

/// Two indices of the box with the same offset, the smaller one (row-major) first; empty if the layout is
/// injective. Exact, and decided from the structure at any size: tiles are injective, a swizzle permutes the
/// offsets of the layout after it, bases over F2 are checked for independence, and digits are searched. Any
/// other map is split into independent parts, and it is injective if the steps of each part exceed the range
/// of the smaller parts. Otherwise, up to 2^20 indices are enumerated. Errors: undecided (by to_digits or
/// collision(Digits)).
Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>> collision(const Layout& layout);

/// Composes `map`, from output indices (and range and runtime variables) to operand indices, with the layout
/// of the operand: the result is an offset in the operand's memory. The domain is that of `map`. Simplified.
/// Errors: rank_mismatch (the map does not end in the operand's dimensions). Exact. Example: the transpose
/// `(d0, d1) -> (d1, d0)` of `f32[4,8]{1,0:T(2,4)(2,1)}` is `(d1 / 2) * 14 + d0 * 2 + d1`.
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand);

/// The operand offset as a function of the output offset, defined where the output has an element. Further
/// errors: shape_mismatch (the domain of the map is not the output's box), not_invertible (two output indices
/// share an offset).
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand, const Layout& output);

/// Whether the operation moves no data: each output element is read from the offset at which it is stored
/// (f_in . map = f_out). Errors: rank_mismatch, shape_mismatch.
Result<Equality> is_bitcast(const IndexMap& map, const Layout& operand, const Layout& output);

}  // namespace tessera
