// SPDX-License-Identifier: Apache-2.0
// Linear layouts over F2 as values: products and inverses of matrices of bits.
#pragma once

#include "eval/function.h"

namespace tessera::eval {

/// Checks that a chain is swizzles of one layout. Errors: argument_type (it has no layout),
/// unsupported_codomain (it has several).
Result<void> check_swizzles_of_layout(const Call& call, const ComposedLayout& chain);

/// The bases of argument `index`, which may be a layout or a chain that is linear over F2. Errors:
/// not_representable.
Result<LinearBases> linear_of(const Call& call, std::size_t index, const ChainOrBases& value);

/// c -> A(B(c)). Errors: index_out_of_range (an offset of B has more bits than the coordinates of A).
Result<Value> linear_composed(const Call& call, const LinearBases& a, const LinearBases& b);
/// c -> S(B(c)) for swizzles S without a layout, which are linear over F2. Errors: nonzero_offset.
Result<Value> swizzled_bases(const Call& call, const ComposedLayout& swizzles, const LinearBases& b);
/// The inverse of a permutation of the coordinates, on one leaf. Errors: not_invertible.
Result<Value> linear_inverse(const Call& call, const LinearBases& a);
/// R with A(R(A(c))) = A(c), linear, on one leaf with the bits of the offsets. Of the coordinates that share
/// an offset, the one without bits whose basis is an XOR of the bases before it.
Result<Value> pseudo_inverse(const Call& call, const LinearBases& a);
/// R with B(R(c)) = A(c). Errors: not_invertible (B does not have every offset of A).
Result<Value> linear_solved(const Call& call, const LinearBases& a, const LinearBases& b);
/// The offset of a coordinate. Errors: those of crd2idx.
Result<Value> linear_at(Call& call, const LinearBases& a, const IntTuple& c);

}  // namespace tessera::eval
