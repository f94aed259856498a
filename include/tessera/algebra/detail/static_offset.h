// SPDX-License-Identifier: Apache-2.0
/// \file
/// The offset of a static layout: which divisions to do, and in which order to sum the digits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/algebra/strided_layout.h"

namespace tessera {

namespace detail {

// Whether to factor common strides by hand. GCC factors constants only within one expression, not across
// inlined functions. Clang does both, and would turn the nested shifts of factored strides into wide masks.
#if defined(__clang__)
inline constexpr bool kFactorStrides = false;
#else
inline constexpr bool kFactorStrides = true;
#endif

/// How to sum the offset of a layout with n leaves of nonzero stride: by decreasing stride, with Horner's
/// rule where a stride is a multiple of the next one.
template <int n>
struct OffsetPlan {
  static constexpr int leaves = n;
  int leaf[n + 1] = {};
  Index weight[n + 1] = {};  ///< product of the extents of the leaves before this one
  Index extent[n + 1] = {};  ///< 0 for the last leaf, which is unbounded
  Index ratio[n + 1] = {};   ///< this stride / the next one; 0 if that is not an integer, and at the end
  Index stride[n + 1] = {};
};
constexpr int strided_leaves(const StridedLayout& l) {
  int n = 0;
  for (int i = 0; i < l.leaves(); ++i) n += l.stride[i] != 0 ? 1 : 0;
  return n;
}
template <int n>
constexpr OffsetPlan<n> offset_plan(const StridedLayout& l) {
  OffsetPlan<n> plan;
  Index weight = 1;
  const int leaves = l.leaves();
  for (int i = 0, count = 0; i < leaves; weight *= l.extent[i++]) {
    if (l.stride[i] == 0) continue;
    int k = count++;
    for (; k > 0 && magnitude(plan.stride[k - 1]) < magnitude(l.stride[i]); --k) {
      plan.leaf[k] = plan.leaf[k - 1];
      plan.weight[k] = plan.weight[k - 1];
      plan.extent[k] = plan.extent[k - 1];
      plan.stride[k] = plan.stride[k - 1];
    }
    plan.leaf[k] = i;
    plan.weight[k] = weight;
    plan.extent[k] = i + 1 < leaves ? l.extent[i] : 0;
    plan.stride[k] = l.stride[i];
  }
  for (int k = 0; kFactorStrides && k + 1 < n; ++k) {
    if (plan.stride[k] % plan.stride[k + 1] == 0) plan.ratio[k] = plan.stride[k] / plan.stride[k + 1];
  }
  return plan;
}

/// A variable outside the class, so that it is not instantiated for a layout that is never evaluated.
template <StridedLayout L>
inline constexpr OffsetPlan<strided_leaves(L)> plan = offset_plan<strided_leaves(L)>(L);

/// One digit of c. Callers pass constants for all arguments but c. C++ division truncates, so the digits are
/// odd functions of c, as layouts are.
template <class I>
constexpr std::uint64_t digit_of(I c, Index weight, Index extent) {
  const I rest = weight == 1 ? c : c / static_cast<I>(weight);
  return static_cast<std::uint64_t>(extent == 0 ? rest : rest % static_cast<I>(extent));
}
/// A sum of digits times strides. Unsigned, so that compilers may reorder it; exact, because the offset fits.
struct OffsetSum {
  std::uint64_t sum = 0;
  std::uint64_t part = 0;
  constexpr void add(std::uint64_t digit, Index ratio, Index stride) {
    part += digit;
    if (ratio != 0) {
      part *= static_cast<std::uint64_t>(ratio);
    } else {
      sum += part * static_cast<std::uint64_t>(stride);
      part = 0;
    }
  }
};

/// The type to divide in: unsigned arguments stay unsigned, which saves the sign handling.
template <class I>
using wide = std::conditional_t<std::is_unsigned_v<I>, std::uint64_t, Index>;

}  // namespace detail

}  // namespace tessera
