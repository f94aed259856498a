// SPDX-License-Identifier: Apache-2.0
/// \file
/// Emulates the operations of CuTe C++ with compile-time constants (`_4`) and dynamic integers (`4`).
#pragma once

#include "tessera/algebra/detail/construct.h"
#include "tessera/algebra/detail/tracked_layout.h"

/// Only for comparison with the exact operations of `tessera::`. In CuTe C++, a static integer can change the
/// structure of a result, and some checks are too weak, so these results may be written differently, be wrong
/// as functions, or have an extent of 0, just as in CuTe. Not constexpr.
namespace tessera::cute {

/// Compact strides. The running product starts static; a static extent 1 gets the stride `_0`, a dynamic
/// extent 1 the product. Errors: overflow. Example: make_layout("(4,8,1,2)") is "(4,8,1,2):(_1,4,32,32)".
detail::Outcome<TrackedLayout> make_layout(const TrackedTuple& shape, Order order = Order::left);

/// Compact strides in a given order: modes with static order values first, then modes with dynamic ones by
/// position. Modes with equal static values get the same stride, so they alias. Errors: rank_mismatch,
/// overflow.
detail::Outcome<TrackedLayout> make_ordered_layout(const TrackedTuple& shape, const TrackedTuple& order);
detail::Outcome<TrackedLayout> make_layout_like(const TrackedLayout& l);

/// Merges modes whose extent and stride are static. Errors: overflow.
detail::Outcome<TrackedLayout> coalesce(const TrackedLayout& l);

/// Composition as CuTe C++ computes it, without checking whether leaves interact. Errors:
/// stride_divisibility, shape_divisibility, div_by_zero, rank_mismatch, overflow, capacity,
/// unsupported_codomain.
detail::Outcome<TrackedLayout> composition(const TrackedLayout& a, const TrackedTiler& b);

/// The complement as CuTe C++ computes it. Errors: dynamic_stride, non_injective, overflow,
/// unsupported_codomain.
detail::Outcome<TrackedLayout> complement(const TrackedLayout& l, const TrackedTuple& cotarget);

/// The division as CuTe C++ computes it. Errors: those of complement and composition.
detail::Outcome<TrackedLayout> logical_divide(const TrackedLayout& l, const TrackedTiler& t);

/// The right inverse as CuTe C++ computes it. Ignores dynamic strides. Errors: overflow,
/// unsupported_codomain.
detail::Outcome<TrackedLayout> right_inverse(const TrackedLayout& l);

}  // namespace tessera::cute
