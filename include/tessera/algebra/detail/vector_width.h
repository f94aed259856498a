// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many elements one vector access may cover: the longest vector that two layouts have in common, and the
/// alignment of one layout.
#pragma once

#include "tessera/algebra/detail/inverse.h"

namespace tessera {

namespace detail {

/// The modes of one layout, and the largest digit in use in each. As long as no digit carries, k times a
/// coordinate has k times its offset.
struct DigitRoom {
  FlatModes modes;
  Index used[kMaxLeaves] = {};

  constexpr explicit DigitRoom(const StridedLayout& l) { coalesce_modes(l, {}, modes); }

  /// How many multiples 0, c, 2c, ... can be added to every coordinate in use without a carry. 0 if `c` is
  /// not a coordinate of the layout or its offset is not `value`.
  constexpr Index multiples(Index c, Index value) const {
    Index count = kIndexMax;
    Index offset = 0;
    for (int i = 0; i < modes.count; ++i) {
      const Index digit = c % modes.extent[i];
      c /= modes.extent[i];
      offset += digit * modes.stride[i];
      if (digit == 0) continue;
      const Index fit = (modes.extent[i] - 1 - used[i]) / digit + 1;
      if (fit < count) count = fit;
    }
    return c == 0 && offset == value ? count : 0;
  }
  /// Marks the coordinates 0, c, ..., (count - 1) * c as used.
  constexpr void use(Index c, Index count) {
    for (int i = 0; i < modes.count; ++i) {
      used[i] += c % modes.extent[i] * (count - 1);
      c /= modes.extent[i];
    }
  }
};

/// The longest vector that is contiguous in both: R with a(R(i)) = i and b(R(i)) = i for all i < size(R).
/// Every R(i) is a coordinate of both layouts, so the vector has at most min(size(a), size(b)) elements. The
/// order of the arguments does not matter. R is the longest vector if both layouts are injective. If several
/// coordinates share an offset (stride 0, overlapping modes), R follows the two right inverses and their sum,
/// and a longer vector through other coordinates may exist. Errors: unsupported_codomain. O(modes²). Example:
/// max_common_layout("(4,2):(1,4)", "(4,2):(1,8)") == "4:1".
constexpr Outcome<StridedLayout> max_common_layout(const StridedLayout& a, const StridedLayout& b) {
  const Outcome<StridedLayout> along_a = right_inverse(a);
  if (!along_a) return along_a;
  const Outcome<StridedLayout> along_b = right_inverse(b);
  if (!along_b) return along_b;
  detail::DigitRoom in_a(a);
  detail::DigitRoom in_b(b);
  detail::FlatModes common;
  common.count = 0;
  Index length = 1;
  for (;;) {
    // The next mode of R starts at a coordinate whose offset is `length` in both. If a mode of stride 0 in
    // one layout is a mode of the chain in the other, that coordinate is the sum of the two candidates.
    Index candidate[3] = {};
    int candidates = 0;
    if (length < along_a->size()) candidate[candidates++] = (*along_a)(length);
    if (length < along_b->size()) candidate[candidates++] = (*along_b)(length);
    if (candidates == 2 && !add_overflows(candidate[0], candidate[1], candidate[2])) ++candidates;
    Index start = 0;
    Index count = 1;
    for (int k = 0; k < candidates; ++k) {
      const Index c = candidate[k];
      const Index from_a = in_a.multiples(c, length);
      const Index from_b = in_b.multiples(c, length);
      const Index n = from_a < from_b ? from_a : from_b;
      if (n < count || (n == count && c >= start)) continue;
      start = c;
      count = n;
    }
    if (count == 1) break;
    in_a.use(start, count);
    in_b.use(start, count);
    detail::push_merged(common, count, start, 0, NoTrace{});
    length *= count;
  }
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(common, build);
  return out;
}

/// The size of max_common_layout. Errors: those of max_common_layout.
constexpr Outcome<Index> max_common_vector(const StridedLayout& a, const StridedLayout& b) {
  const Outcome<StridedLayout> common = max_common_layout(a, b);
  if (!common) return common.error;
  return common->size();
}

/// The widest vector that the strides allow: the largest n for which the offsets form whole aligned runs of
/// n. It is the gcd of two things: the size of the chain of modes that starts at stride 1, and the strides of
/// the other modes. Upcast by n is then exact. Errors: unsupported_codomain. Example:
/// max_alignment("(4,8):(1,6)") == 2.
constexpr Outcome<Index> max_alignment(const StridedLayout& l) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes);
  detail::FlatModes inverse;
  bool on_chain[kMaxLeaves] = {};
  Index n = detail::right_inverse_modes(modes, inverse, on_chain, NoTrace{});
  for (int i = 0; i < modes.count; ++i) {
    if (!on_chain[i]) n = detail::gcd(n, detail::magnitude(modes.stride[i]));
  }
  return n;
}

}  // namespace detail

}  // namespace tessera
