// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layout algebra at run time: `algebra::composition(a, b)` is `composition(a, b)` as a Result.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/algebra/layout_algebra.h"
#include "tessera/base/result.h"
#include "tessera/notation/cute.h"

namespace tessera {

namespace detail {

std::string operand_text(const Profile& profile);
inline std::string operand_text(std::integral auto number) { return std::to_string(number); }
inline std::string operand_text(Order order) { return order == Order::left ? "left" : "right"; }
template <class T>
  requires(!std::integral<T>)
std::string operand_text(const T& operand) {
  return to_string(operand);
}

/// The diagnostic of a failed operation, with its operands and its witness.
Diagnostic algebra_diagnostic(const AlgebraError& error, std::string_view operation,
                              const std::vector<std::string>& operands);

template <class T, class... Operands>
Result<T> to_result(const Outcome<T>& outcome, std::string_view operation, const Operands&... operands) {
  if (outcome) return *outcome;
  return fail(algebra_diagnostic(outcome.error, operation, {operand_text(operands)...}));
}
/// An operation that cannot fail.
template <class T, class... Operands>
T to_result(const T& value, std::string_view, const Operands&...) {
  return value;
}

}  // namespace detail

/// The operations of `tessera/algebra` under the same names, with the same operands. Those return an Outcome,
/// whose small error also works at compile time; these return a Result, whose Diagnostic names the call and
/// its operands, the numbers that do not fit, and a witness if one exists. An operation that cannot fail
/// returns its value. Example: algebra::composition(a, b) with a = (4,6,8):(2,3,5) and b = 6:3 is the error
/// "composition((4,6,8):(2,3,5), 6:3) is not a layout (stride) at 6:3 of the right operand".
namespace algebra {

#define TESSERA_OPERATION(name)                                               \
  template <class... Operands>                                                \
  auto name(const Operands&... operands) {                                    \
    return detail::to_result(tessera::name(operands...), #name, operands...); \
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

}  // namespace algebra
}  // namespace tessera
