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
/// codomain_mismatch, bad_swizzle, overflow, capacity, each with its span. O(length).
/// Example: parse_cute("(4,8)") is the layout (4,8):(1,4).
Result<CuteValue> parse_cute(std::string_view text);

/// Reads one kind of value. A shape alone is the compact layout; a shape as a tiler applies by mode.
Result<TrackedLayout> parse_cute_layout(std::string_view text);
Result<TrackedTuple> parse_cute_shape(std::string_view text);
Result<TrackedCoord> parse_cute_coord(std::string_view text);
Result<TrackedTiler> parse_cute_tiler(std::string_view text);
Result<TrackedComposed> parse_cute_expression(std::string_view text);
Result<Swizzle> parse_cute_swizzle(std::string_view text);

/// The normal form: no spaces, `shape:stride`, by-mode tilers in `<…>`. parse(to_string(x)) == x.
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

/// The layout algebra of CuTe at run time, by the names that docs/lookup/cute.md explains, on values of
/// parse_cute and of make_layout. Operations that can fail return a Result, whose Diagnostic names the call
/// and its operands, the numbers that do not fit, and a witness if one exists. An operation that cannot fail
/// returns its value. Example: algebra::composition(a, b) with a = (4,6,8):(2,3,5) and b = 6:3 is the error
/// "composition((4,6,8):(2,3,5), 6:3) is not a layout (stride) at 6:3 of the right operand".
namespace algebra {

#define TESSERA_OPERATION(name)                                              \
  template <class... Operands>                                               \
  auto name(const Operands&... operands) {                                   \
    return detail::to_result(detail::name(operands...), #name, operands...); \
  }
// Construction and modes.
TESSERA_OPERATION(make_layout)
TESSERA_OPERATION(make_ordered_layout)
TESSERA_OPERATION(make_layout_like)
TESSERA_OPERATION(make_strided)
TESSERA_OPERATION(identity_layout)
TESSERA_OPERATION(mode)
TESSERA_OPERATION(take)
TESSERA_OPERATION(concat)
TESSERA_OPERATION(append)
TESSERA_OPERATION(prepend)
TESSERA_OPERATION(append_to_rank)
TESSERA_OPERATION(replace)
TESSERA_OPERATION(group)
TESSERA_OPERATION(flatten)
TESSERA_OPERATION(unflatten)
TESSERA_OPERATION(zip)
TESSERA_OPERATION(slice)
TESSERA_OPERATION(slice_and_offset)
TESSERA_OPERATION(dice)
// Coordinates and shapes.
TESSERA_OPERATION(evaluate)
TESSERA_OPERATION(offset)
TESSERA_OPERATION(cosize)
TESSERA_OPERATION(crd2idx)
TESSERA_OPERATION(idx2crd)
TESSERA_OPERATION(crd2crd)
TESSERA_OPERATION(shape_div)
TESSERA_OPERATION(shape_mod)
TESSERA_OPERATION(ceil_div)
TESSERA_OPERATION(domain_distribute)
// The algebra.
TESSERA_OPERATION(coalesce)
TESSERA_OPERATION(filter)
TESSERA_OPERATION(simplify)
TESSERA_OPERATION(composition)
TESSERA_OPERATION(make_composed)
TESSERA_OPERATION(complement)
TESSERA_OPERATION(right_inverse)
TESSERA_OPERATION(left_inverse)
TESSERA_OPERATION(generalized_inverse)
TESSERA_OPERATION(nullspace)
TESSERA_OPERATION(max_common_layout)
TESSERA_OPERATION(max_common_vector)
TESSERA_OPERATION(max_alignment)
TESSERA_OPERATION(logical_divide)
TESSERA_OPERATION(zipped_divide)
TESSERA_OPERATION(tiled_divide)
TESSERA_OPERATION(flat_divide)
TESSERA_OPERATION(logical_product)
TESSERA_OPERATION(zipped_product)
TESSERA_OPERATION(tiled_product)
TESSERA_OPERATION(flat_product)
TESSERA_OPERATION(blocked_product)
TESSERA_OPERATION(raked_product)
TESSERA_OPERATION(tile_to_shape)
TESSERA_OPERATION(upcast)
TESSERA_OPERATION(downcast)
TESSERA_OPERATION(recast)
TESSERA_OPERATION(make_swizzle)
TESSERA_OPERATION(swizzle_from_masks)
TESSERA_OPERATION(swizzle_compose)
TESSERA_OPERATION(to_linear)
TESSERA_OPERATION(make_layout_tv)
TESSERA_OPERATION(local_tile)
TESSERA_OPERATION(local_partition)
TESSERA_OPERATION(inner_partition)
TESSERA_OPERATION(outer_partition)
// Comparisons and properties.
TESSERA_OPERATION(first_difference)
TESSERA_OPERATION(injectivity)
TESSERA_OPERATION(is_contiguous)
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
