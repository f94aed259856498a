// SPDX-License-Identifier: Apache-2.0
/// \file
/// CuTe at run time: its notation as text, `(2,(2,2)):(4,(2,1))`, `Sw<3,4,3> o _0 o (8,64):(64,1)`,
/// `<3:4,8:2>`, `(2,_)`; and its layout algebra, `algebra::composition(a, b)`, as a Result.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "tessera/algebra/detail/mdspan_dynamic.h"
#include "tessera/algebra/detail/parse.h"
#include "tessera/algebra/operands.h"
#include "tessera/base/result.h"
#include "tessera/notation/detail/to_result.h"

namespace tessera {

/// Any value in CuTe's notation. A layout alone is a TrackedLayout, a chain a TrackedComposed.
using CuteValue = std::variant<TrackedLayout, Swizzle, TrackedComposed, TrackedTiler, TrackedCoord>;

/// Reads a whole text; the marks `_N` are kept. A text that starts with `<` is a tiler, one with a lone `_` a
/// coordinate, anything else an expression. Errors: syntax, number_range, bad_extent, not_congruent,
/// codomain_mismatch, bad_swizzle, overflow, capacity, and for pointers recast_divisibility and
/// nonzero_offset, each with its span. O(length). Example: parse_cute("(4,8)") is the layout (4,8):(1,4).
Result<CuteValue> parse_cute(std::string_view text);

/// Reads one kind of value. A shape alone is the compact layout; a shape as a tiler applies by mode.
Result<TrackedLayout> parse_cute_layout(std::string_view text);
Result<TrackedTuple> parse_cute_shape(std::string_view text);
Result<TrackedCoord> parse_cute_coord(std::string_view text);
Result<TrackedTiler> parse_cute_tiler(std::string_view text);
Result<TrackedComposed> parse_cute_expression(std::string_view text);
Result<Swizzle> parse_cute_swizzle(std::string_view text);

/// The normal form: no spaces, `shape:stride`, by-mode tilers in `<…>`. parse(to_string(x)) == x, unless x
/// has an empty tuple `()`, which only operations make: a slice without free modes is `():()`.
std::string to_string(const IntTuple& tuple);
std::string to_string(const Coord& coord);
std::string to_string(const StridedLayout& layout);
std::string to_string(const Swizzle& swizzle);
std::string to_string(const ComposedLayout& layout);
std::string to_string(const Tiler& tiler);
std::string to_string(const TrackedLayout& layout);
std::string to_string(const TrackedTuple& tuple);
std::string to_string(const TrackedCoord& coord);
std::string to_string(const TrackedTiler& tiler);
std::string to_string(const TrackedComposed& layout);
std::string to_string(const CuteValue& value);

/// The text of the layout, then a grid with the value of each coordinate (row, column) of the two modes;
/// values are coordinates if the strides are scaled bases. The cells are as wide as CuTe's (digits of the
/// cosize + 2), or wider if a value does not fit. Errors: rank_mismatch (rank is not 2), limit (more than
/// 2^20 cells), those of offset.
Result<std::string> print_layout(const StridedLayout& layout);
Result<std::string> print_layout(const ComposedLayout& layout);

/// The layout algebra of CuTe at run time, on values of parse_cute and of make_layout. A failure is a
/// Diagnostic that names the call and its operands, the numbers that do not fit, and a witness if one exists.
/// In the comments, L, A and B are layouts, C is a ComposedLayout (a chain), S a shape and c a coordinate
/// (IntTuples), T a Tiler, i and n are numbers. An operation returns a Result<StridedLayout> if its comment
/// does not say otherwise; "also of a chain" returns a Result<ComposedLayout>. An operation that never fails
/// returns its value. Errors of all: overflow, capacity, unsupported_codomain for scaled bases where offsets
/// are needed, codomain_mismatch where a layout into offsets meets one into coordinates, and rank_mismatch
/// for a chain that ends in a swizzle where a shape is needed; the other errors are in the comments. All are
/// exact. Most are O(leaves) or O(leaves^2). Example: algebra::composition(a, b) with a = (4,6,8):(2,3,5) and
/// b = 6:3 is the error "composition((4,6,8):(2,3,5), 6:3) is not a layout (stride) at 6:3 of the right
/// operand".
namespace algebra {

#define TESSERA_OPERATION(name)                                              \
  template <class... Operands>                                               \
  auto name(const Operands&... operands) {                                   \
    return detail::to_result(detail::name(operands...), #name, operands...); \
  }

// Construction and modes.
/// make_layout(shape[, order]): the compact layout of a shape, leftmost fastest unless `Order::right`; an
/// extent of 1 has stride 0. bad_extent.
TESSERA_OPERATION(make_layout)
/// make_ordered_layout(shape, order): compact, the modes with the smallest numbers of `order` fastest.
/// rank_mismatch, bad_extent.
TESSERA_OPERATION(make_ordered_layout)
/// make_layout_like(L): the shape of L, compact in the order of its strides.
TESSERA_OPERATION(make_layout_like)
/// make_strided(shape, stride): a layout of two congruent tuples. not_congruent, bad_extent.
TESSERA_OPERATION(make_strided)
/// identity_layout(shape): each coordinate to itself: (4,5):(1@0,1@1). bad_extent.
TESSERA_OPERATION(identity_layout)
/// mode(L, i): mode i. index_out_of_range.
TESSERA_OPERATION(mode)
/// take(L, begin, end): modes begin to end - 1. index_out_of_range, empty_range. Also of a chain.
TESSERA_OPERATION(take)
/// concat(A, B, ...): each layout becomes a mode.
TESSERA_OPERATION(concat)
/// append(L, A): A becomes the last mode. Also of a chain.
TESSERA_OPERATION(append)
/// prepend(L, A): A becomes the first mode.
TESSERA_OPERATION(prepend)
/// append_to_rank(L, n[, A]): appends A, or 1:0, until there are n modes. rank_mismatch.
TESSERA_OPERATION(append_to_rank)
/// replace(L, i, A): A in place of mode i. index_out_of_range.
TESSERA_OPERATION(replace)
/// group(L, begin, end): modes begin to end - 1 become one nested mode. index_out_of_range, empty_range. Also
/// of a chain.
TESSERA_OPERATION(group)
/// flatten(L): the leaves as a flat tuple. Never fails for a layout. Also of a chain.
TESSERA_OPERATION(flatten)
/// unflatten(L, profile): the leaves in another nesting. rank_mismatch.
TESSERA_OPERATION(unflatten)
/// zip(A, B): ((A0,B0),(A1,B1),...). rank_mismatch.
TESSERA_OPERATION(zip)
/// slice(c, L): the modes at the holes of the Coord c. rank_mismatch. Of a chain, a chain that keeps the
/// offset of the rest.
TESSERA_OPERATION(slice)
/// slice_and_offset(c, L): the same, and the offset of the rest, as a Slice. rank_mismatch.
TESSERA_OPERATION(slice_and_offset)
/// dice(c, L): the modes that c gives numbers for. rank_mismatch.
TESSERA_OPERATION(dice)

// Coordinates and shapes.
/// evaluate(L, c): the value at a coordinate of any nesting as an IntTuple, for scaled bases too.
/// rank_mismatch.
TESSERA_OPERATION(evaluate)
/// offset(L, c): the value as an Index; also of a chain. rank_mismatch.
TESSERA_OPERATION(offset)
/// cosize(L): 1 + the largest offset minus the smallest, as an Index: 4 for 4:-1.
TESSERA_OPERATION(cosize)
/// crd2idx(c, S): the 1-D coordinate of a coordinate, as an Index. rank_mismatch.
TESSERA_OPERATION(crd2idx)
/// idx2crd(c, S): the coordinate of the shape S with a number for each leaf, as an IntTuple. rank_mismatch,
/// bad_extent.
TESSERA_OPERATION(idx2crd)
/// crd2crd(c, S, S2): the coordinate of S2 with the same 1-D coordinate. rank_mismatch, bad_extent.
TESSERA_OPERATION(crd2crd)
/// shape_div(S, S2), shape_mod(S, n), ceil_div(S, S2): IntTuples. shape_divisibility, rank_mismatch,
/// bad_extent.
TESSERA_OPERATION(shape_div)
TESSERA_OPERATION(shape_mod)
TESSERA_OPERATION(ceil_div)
/// domain_distribute(S, n): n elements distributed over a shape by gcd, as a layout into its 1-D coordinates.
/// bad_extent.
TESSERA_OPERATION(domain_distribute)

// The algebra.
/// coalesce(L): the simplest layout of the same function of the 1-D coordinate; equal functions get equal
/// layouts. Never fails. (L, profile): at every leaf of the profile. rank_mismatch. Also of a chain.
TESSERA_OPERATION(coalesce)
/// filter(L) and (L, profile): the same without modes of stride 0: each offset once.
TESSERA_OPERATION(filter)
/// simplify(C): the layout of a chain that is one, as an OffsetLayout. not_representable, undecided. O(size).
TESSERA_OPERATION(simplify)
/// composition(A, B): R with R(c) = A(B(c)); B may be a Tiler, A and B may be swizzles or chains. Succeeds if
/// and only if such a layout exists. not_representable, basis_out_of_range, nonzero_offset, undecided,
/// rank_mismatch (a tiler with more modes than A). O(modes(A) * leaves(B)), at most O(size(B)) where
/// divisibility does not decide.
TESSERA_OPERATION(composition)
/// make_composed(A, x, B): the chain c -> A(x + B(c)). capacity.
TESSERA_OPERATION(make_composed)
/// complement(L[, cotarget]): where copies of L start inside a codomain of this size. non_injective,
/// negative_stride, bad_extent.
TESSERA_OPERATION(complement)
/// right_inverse(L): R with L(R(i)) = i below the size of R. Also of a chain.
TESSERA_OPERATION(right_inverse)
/// left_inverse(L): R with R(L(i)) = i and R(-x) = -R(x), if any layout does this. non_injective,
/// not_invertible (there is none), undecided (the strides do not chain, and a search reached its limit). Also
/// of a chain.
TESSERA_OPERATION(left_inverse)
/// generalized_inverse(L): R with L(R(L(i))) = L(i), by the chain of the strides; coordinates may share an
/// offset. non_injective (modes overlap), negative_stride, left_inverse_chain: other layouts may have an R,
/// too. Of a chain also by a search.
TESSERA_OPERATION(generalized_inverse)
/// nullspace(L): the coordinates that strides of 0 map to 0. Never fails.
TESSERA_OPERATION(nullspace)
/// max_common_layout(A, B): a vector that is contiguous in both, the longest if both are injective;
/// max_common_vector: its size. Also of chains.
TESSERA_OPERATION(max_common_layout)
TESSERA_OPERATION(max_common_vector)
/// max_alignment(L): the widest vector that the strides allow, as an Index.
TESSERA_OPERATION(max_alignment)
/// logical_divide(L, T): each mode, or all of L, as (tile, rest). The other divides have the same offsets in
/// another nesting: zipped ((tiles),(rests)), tiled ((tiles),rest0,...), flat (tile0,...,rest0,...).
/// rank_mismatch, and the errors of complement and composition. Also of a chain, as the products.
TESSERA_OPERATION(logical_divide)
TESSERA_OPERATION(zipped_divide)
TESSERA_OPERATION(tiled_divide)
TESSERA_OPERATION(flat_divide)
/// logical_product(L, T): (L, copies), one copy for each element of T; the other products nest as the divides
/// do. blocked_product(A, B): ((A0,B0'),(A1,B1'),...), copies side by side; raked_product: interleaved.
/// tile_to_shape(L, shape, order): copies that cover a shape. rank_mismatch, bad_extent,
/// tile_to_shape_divisibility, and the errors of complement and composition.
TESSERA_OPERATION(logical_product)
TESSERA_OPERATION(zipped_product)
TESSERA_OPERATION(tiled_product)
TESSERA_OPERATION(flat_product)
TESSERA_OPERATION(blocked_product)
TESSERA_OPERATION(raked_product)
TESSERA_OPERATION(tile_to_shape)
/// upcast(L, n), downcast(L, n), recast(L, old_bits, new_bits): the same memory in elements n times as wide,
/// in n parts of each element, or of another width. recast_divisibility, downcast_no_unit_stride, bad_extent.
/// Also of chains. Negative steps end at the base: detail::upcast_alignments says where it may lie.
TESSERA_OPERATION(upcast)
TESSERA_OPERATION(downcast)
TESSERA_OPERATION(recast)
/// make_swizzle(bits, base, shift): a Swizzle. bad_swizzle.
TESSERA_OPERATION(make_swizzle)
/// swizzle_from_masks(read, write): the Swizzle with these masks. swizzle_masks.
TESSERA_OPERATION(swizzle_from_masks)
/// swizzle_compose(a, b): the Swizzle that does both. swizzle_shift_mismatch, swizzle_masks.
TESSERA_OPERATION(swizzle_compose)
/// to_linear(L): a layout or a chain as LinearBases. not_representable, nonzero_offset.
TESSERA_OPERATION(to_linear)
/// make_layout_tv(threads, values): who owns which element of a tile, as a ThreadValue. Errors of the
/// products.
TESSERA_OPERATION(make_layout_tv)
/// local_tile(L, T, c): tile c, as a Slice. inner_partition: the same. outer_partition(L, T, c): element c of
/// every tile. local_partition(L, threads, i): the elements of thread i. Errors of zipped_divide and
/// slice_and_offset.
TESSERA_OPERATION(local_tile)
TESSERA_OPERATION(local_partition)
TESSERA_OPERATION(inner_partition)
TESSERA_OPERATION(outer_partition)

// Comparisons and properties.
/// first_difference(A, B): the smallest 1-D coordinate where two layouts of one size differ, or -1, as an
/// Index. rank_mismatch.
TESSERA_OPERATION(first_difference)
/// injectivity(L): whether no two coordinates share an offset, or two that do, as an Injectivity. undecided.
TESSERA_OPERATION(injectivity)
/// is_contiguous(L): whether every offset below the cosize occurs, as a bool. negative_stride.
TESSERA_OPERATION(is_contiguous)
/// first_missing_offset(L): the smallest offset of at least 0 that does not occur, as an Index.
/// negative_stride.
TESSERA_OPERATION(first_missing_offset)
#undef TESSERA_OPERATION

/// The mapping of c -> swizzle(layout(c)) for indices below the extents, for an mdspan whose layout is known
/// at run time (algebra/mdspan.h). Errors: rank_mismatch (not one extent per top-level mode),
/// index_out_of_range (an extent below 0 or larger than its mode), negative_stride, unsupported_codomain
/// (scaled bases), capacity (more than layout_tessera_dynamic::kMaxDigits digits), overflow (the index type
/// of the extents does not hold the offsets, or the number of them).
template <class Extents>
Result<layout_tessera_dynamic::mapping<Extents>> make_mapping(const Extents& extents,
                                                              const StridedLayout& layout,
                                                              Swizzle swizzle = Swizzle{0, 0, 0}) {
  const auto mapping = detail::make_mapping(extents, layout, swizzle);
  if (mapping) return *mapping;
  IntTuple sizes;
  ProfileBuilder profile(sizes.profile);
  profile.tuple(static_cast<int>(Extents::rank()));
  for (typename Extents::rank_type r = 0; r < Extents::rank(); ++r)
    sizes.leaf[profile.leaf()] = static_cast<Index>(extents.extent(r));
  return fail(detail::mapping_diagnostic(mapping.error, sizes, layout, swizzle));
}

}  // namespace algebra

}  // namespace tessera
