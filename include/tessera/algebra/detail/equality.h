// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides whether layouts are equal, injective, bijective or contiguous, with a witness if not.
#pragma once

#include "tessera/algebra/detail/inverse.h"

namespace tessera {

namespace detail {
/// The smallest 1-D coordinate where two layouts of one size differ, or -1 if they are the same function on
/// [0, size). Complete, because coalesced forms are unique. Errors: rank_mismatch (the sizes differ).
/// O(leaves). Example: first_difference("8:1", "(4,2):(1,7)") == 4.
constexpr Outcome<Index> first_difference(const StridedLayout& a, const StridedLayout& b) {
  if (a.size() != b.size()) return refuse(Code::rank_mismatch, a.size(), b.size());
  detail::FlatModes x;
  detail::FlatModes y;
  detail::coalesce_modes(a, {}, x);
  detail::coalesce_modes(b, {}, y);
  Index before = 1;
  for (int i = 0; i < x.count && i < y.count; ++i) {
    if (x.stride[i] != y.stride[i] || x.path[i] != y.path[i]) return before;
    if (x.extent[i] != y.extent[i]) return before * (x.extent[i] < y.extent[i] ? x.extent[i] : y.extent[i]);
    before *= x.extent[i];
  }
  return Index{-1};
}

}  // namespace detail

/// Whether two layouts have the same size and the same offset at every 1-D coordinate. O(leaves).
constexpr bool equal_function(const StridedLayout& a, const StridedLayout& b) {
  const detail::Outcome<Index> at = detail::first_difference(a, b);
  return at.ok() && *at < 0;
}

namespace detail {
/// Whether two layouts are the same function of the coordinates of `profile`, a coarser nesting of both in
/// which their extents agree. Errors: rank_mismatch.
constexpr Outcome<bool> equal_on(const StridedLayout& a, const StridedLayout& b, const Profile& profile) {
  const Outcome<StridedLayout> x = coalesce(a, profile);
  if (!x) return x.error;
  const Outcome<StridedLayout> y = coalesce(b, profile);
  if (!y) return y.error;
  return *x == *y;
}

}  // namespace detail

namespace detail {
/// Whether no two 1-D coordinates in [0, size) have the same offset; if some do, the result has such a pair.
/// Decided by the strides if each exceeds the reach of all smaller ones, else by a bit set over the image.
/// Errors: undecided (image beyond evaluation_limit()), unsupported_codomain. Example:
/// injectivity("(2,2):(2,3)") is yes, injectivity("(4,2):(1,3)") is no, with 3 and 4.
constexpr Outcome<Injectivity> injectivity(const StridedLayout& l) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  Index weight = 1;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] == 0 && l.extent[i] > 1) return Injectivity{false, 0, weight};
    weight *= l.extent[i];
  }
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes);
  for (int i = 0; i < modes.count; ++i) modes.stride[i] = detail::magnitude(modes.stride[i]);
  int order[kMaxLeaves] = {};
  detail::order_by_stride(modes, order);
  Index reach = 0;
  bool apart = true;
  for (int k = 0; k < modes.count; ++k) {
    apart = apart && modes.stride[order[k]] > reach;
    reach += (modes.extent[order[k]] - 1) * modes.stride[order[k]];
  }
  if (apart) return Injectivity{};
  const Index size = l.size();
  Index limit = evaluation_limit();
  // More coordinates than offsets: by the pigeonhole principle two collide within the first reach + 2.
  const Index look = size - 1 <= reach ? size : reach + 2;
  if (!enumerable(look) || reach >= limit * 64 || look > limit)
    return refuse(Code::undecided, look > reach ? look : reach, limit);
  const Index lowest = image_min(l);
  const std::size_t words = static_cast<std::size_t>(reach / 64 + 1);
  std::uint64_t* seen = new std::uint64_t[words]{};
  Injectivity answer;
  for (Index k = 0; k < look && answer.injective; ++k) {
    const Index at = l(k) - lowest;
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    if ((seen[at / 64] & bit) != 0) {
      Index first = 0;
      while (l(first) - lowest != at) ++first;
      answer = {false, first, k};
    }
    seen[at / 64] |= bit;
  }
  delete[] seen;
  return answer;
}

/// The smallest offset >= 0 that does not occur (strides >= 0): 1 + the reach of the strides below the first
/// gap. Exact, O(modes²). Errors: negative_stride, unsupported_codomain. Example:
/// first_missing_offset("(2,2):(1,4)") == 2.
constexpr Outcome<Index> first_missing_offset(const StridedLayout& l) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes, true);
  int order[kMaxLeaves] = {};
  detail::order_by_stride(modes, order);
  Index reach = 0;
  bool gap = false;
  for (int k = 0; k < modes.count; ++k) {
    const Index d = modes.stride[order[k]];
    if (d < 0) return refuse(Code::negative_stride, modes.extent[order[k]], d, order[k]);
    gap = gap || d > reach + 1;
    if (!gap) reach += (modes.extent[order[k]] - 1) * d;
  }
  return reach + 1;
}

/// Whether every offset in [0, cosize) occurs (strides >= 0). Exact, O(modes²). Errors: as above. Example:
/// is_contiguous("(2,2):(1,1)").
constexpr Outcome<bool> is_contiguous(const StridedLayout& l) {
  const Outcome<Index> missing = first_missing_offset(l);
  if (!missing) return missing.error;
  return *missing > image_max(l);
}

}  // namespace detail

/// Whether the layout is a permutation of [0, size), decided by the size of its right inverse. Exact,
/// O(modes²). Example: is_bijective("(4,8):(8,1)").
constexpr bool is_bijective(const StridedLayout& l) {
  const detail::Outcome<StridedLayout> inverse = detail::right_inverse(l);
  return inverse.ok() && inverse->size() == l.size();
}

}  // namespace tessera
