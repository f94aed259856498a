// SPDX-License-Identifier: Apache-2.0
/// \file
/// AxeLayout: the layouts of TVM TIRx, which place the elements of a tile on named axes of a GPU:
/// `axe:8x16:S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/algebra/composed_layout.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"
#include "tessera/placement/placement.h"

namespace tessera {

/// `4@laneid` for 8 values: a digit and what it adds to one axis.
struct AxeIterator {
  Index extent = 1;
  Index stride = 0;
  std::string axis = "m";
  friend bool operator==(const AxeIterator&, const AxeIterator&) = default;
};

/// `5@warpid`: added to every place.
struct AxeOffset {
  Index value = 0;
  std::string axis = "m";
  friend bool operator==(const AxeOffset&, const AxeOffset&) = default;
};

/// An Axe layout. The row-major number of an index splits into the digits of `sharded`, the last one fastest.
/// Axis a has the value sum of digit * stride over the iterators on a, plus any value of the replicas on a,
/// plus the offset on a; then the swizzle. An axis that is named nowhere does not exist.
struct AxeLayout {
  std::vector<Index> shape = {};
  std::vector<AxeIterator> sharded = {};   ///< S; extents multiply to the number of indices
  std::vector<AxeIterator> replicas = {};  ///< R
  std::vector<AxeOffset> offsets = {};     ///< at most one for each axis, in the order of axes
  std::optional<Swizzle> swizzle = {};     ///< of the values on `m`, the only axis then
  friend bool operator==(const AxeLayout&, const AxeLayout&) = default;
};

/// Sorts and adds up offsets, and checks the fields. Errors: rank_mismatch (a scalar), bad_extent (below 1),
/// shape_mismatch, syntax (an axis without a name), bad_swizzle, not_applicable with reason `axes` (a swizzle
/// of another axis) or `scope` (thread axes that do not form a chain from the finest unit to its containers),
/// index_out_of_range (a value below 0 on an axis other than `m`, `m` included under a swizzle; a lane, a
/// thread or a warp beyond its container), overflow, limit (more than 1024 axes).
Result<AxeLayout> make_axe(AxeLayout layout);

/// Reads what TIRx prints, and its documentation and paper: `[axe:] [shape:] S[8:1@laneid] + R[..] +
/// 5@warpid`, `T.TileLayout(T.S[(8, 4):(4 @ Axis.laneid, 1)])`, `ComposeLayout(3, 3, 3, S[(8,64):(64,1)])`.
/// Without strides, S is row-major on `m`. Errors: those of make_axe, syntax, number_range, not_congruent
/// (strides), not_applicable with reason `swizzle` (a swizzle in a swizzle); each with its span. O(text).
Result<AxeLayout> parse_axe(std::string_view text);

/// The canonical text, with the prefix `axe:`; parse_axe reads it back.
std::string to_string(const AxeLayout& layout);

/// Whether a text is in this notation: it has the prefix, or `S[`, `R[`, `TileLayout(` or `ComposeLayout(`.
bool is_axe_text(std::string_view text);

/// What thread axes count, and in what: `thread`, `cta`. Empty without thread axes.
struct AxeScope {
  std::string_view unit;
  std::string_view container;
};
std::optional<AxeScope> scope(const AxeLayout& layout);

/// Iterators of extent 1 dropped, neighbors joined that count on, replicas sorted and joined. Places do not
/// change. A normal form of `sharded`, not of `replicas`. The shape stays, but extents of S follow S: only a
/// shape that differs from them is one of its own.
AxeLayout canonical(const AxeLayout& layout);
/// All thread axes as the one axis that counts the finest unit in the widest container up to the CTA: lanes
/// and warps become `tx`. Errors: overflow.
Result<AxeLayout> fused(const AxeLayout& layout);

/// The placement, on the axes in their order. Errors: overflow.
Result<Placement> placement(const AxeLayout& layout);

/// The placement of a layout of any notation, on the axis `m`: by its digits if they are known and fill its
/// shape, else by its map. Errors: overflow.
Result<Placement> placement(const Layout& layout);

/// Whether both place every index alike, after `fused`; places are those of the layouts as they are. Exact,
/// at any size without a swizzle. See `equal` of placements.
Result<PlacementEquality> equal(const AxeLayout& a, const AxeLayout& b);

/// \name Operations. Their results may name lanes beyond a warp, whose text parse_axe then refuses.
/// @{

/// A half-open range of indices.
using AxeRange = std::pair<Index, Index>;

/// The layout y -> layout(begin + y) over the extents of the ranges. Errors: rank_mismatch,
/// index_out_of_range, not_representable with reason `irregular`, `padding` (no chain of digits) or `axes` (a
/// digit would move two axes), undecided (more than 2^22 values across the border of a digit, or of an
/// iterator that crosses a dimension).
Result<AxeLayout> slice(const AxeLayout& layout, std::span<const AxeRange> region);
/// TIRx's tile: each index of `outer` becomes a copy of `inner`, apart by the span of `inner` on each axis.
/// Errors: rank_mismatch, not_applicable with reason `swizzle` (`outer` has one), negative_stride,
/// not_representable with reason `entangled` (an iterator that crosses a dimension), those of make_axe.
Result<AxeLayout> tile(const AxeLayout& outer, const AxeLayout& inner);
/// Over the shape A0, B0, A1, B1, ...: the sum of both places. Errors: as for `tile`.
Result<AxeLayout> direct_sum(const AxeLayout& left, const AxeLayout& right);
/// @}

/// \name Views
/// @{

/// The layout of one axis: `m`, the only axis that moves, or the given one; `taddr` is 65536 TLane + TCol,
/// the address of tensor memory. Errors: unknown_name, not_representable with reason `axes` (several axes
/// move), `replicated`, `entangled` (a digit that crosses a dimension), overflow.
Result<Layout> layout_of(const AxeLayout& layout, std::optional<std::string_view> axis = {});

/// (thread, value) to the 1-D index of the tile, first dimension fastest, as atoms have it. Requires one
/// thread axis after fusing and no memory but `m`. Replicas have stride 0. Errors: not_representable with
/// reason `axes`, `offset`, `negative_stride`, `broadcast` (two elements share a place), `padding` (a place
/// of the bounding box is free), `entangled`, `irregular`; undecided beyond 2^22 places.
Result<StridedLayout> thread_value(const AxeLayout& layout);
/// The same of a placement with one place axis, and no memory axis but `m`.
Result<StridedLayout> thread_value(const Placement& placement);
/// @}

/// \name From other notations
/// @{

/// A layout on `m`. Errors: those of to_digits, not_representable with reason `padding`.
Result<AxeLayout> axe_of(const Layout& layout);
/// A thread-value layout over a tile, with its threads on an axis. Errors: rank_mismatch (not a thread and a
/// value mode), bad_extent (of the tile), not_applicable with reason `axes` (threads on a memory axis),
/// not_representable with reason `broadcast`, `padding`, `negative_stride` or `entangled`, those of make_axe.
Result<AxeLayout> axe_of_thread_value(const StridedLayout& layout, std::vector<Index> tile,
                                      std::string thread);
/// @}

/// For Layout::make: layout_of without an axis.
Result<Layout> to_layout(AxeLayout layout);

}  // namespace tessera
