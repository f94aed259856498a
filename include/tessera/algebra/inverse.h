// SPDX-License-Identifier: Apache-2.0
/// \file
/// Right, left and generalized inverse, nullspace, and the largest vectors two layouts have in common.
#pragma once

#include "tessera/algebra/complement.h"
#include "tessera/algebra/composition.h"

namespace tessera {

namespace detail {

/// The chain of strides from 1: modes of right_inverse(l), not merged; returns the size of the chain.
template <class Trace>
constexpr Index right_inverse_modes(const FlatModes& modes, FlatModes& out, bool* on_chain, Trace trace) {
  int order[kMaxLeaves] = {};
  order_by_stride(modes, order);
  Index position[kMaxLeaves] = {};
  Index p = 1;
  for (int i = 0; i < modes.count; ++i) {
    position[i] = p;
    p *= modes.extent[i];
  }
  out.count = 0;
  Index cursor = 1;
  for (int k = 0; k < modes.count; ++k) {
    const int i = order[k];
    if (modes.stride[i] != cursor) {
      trace(StepKind::off_chain, modes.extent[i], modes.stride[i], cursor);
      continue;
    }
    trace(StepKind::chain, modes.extent[i], modes.stride[i], position[i]);
    if (on_chain != nullptr) on_chain[i] = true;
    push_merged(out, modes.extent[i], position[i], 0, NoTrace{});
    cursor *= modes.extent[i];  // divides the size
  }
  return cursor;
}

}  // namespace detail

/// The layout R with l(R(i)) = i for all i < size(R), found by following the chain of strides from 1; modes
/// off the chain are skipped. Errors: unsupported_codomain; never fails for integer strides. O(modes²).
/// Example: right_inverse("(4,8):(8,1)") == "(8,4):(4,1)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> right_inverse(const StridedLayout& l, Trace trace = {}) {
  if (l.has_basis()) return refuse(AlgebraCode::unsupported_codomain);
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes);
  detail::FlatModes inverse;
  detail::right_inverse_modes(modes, inverse, nullptr, trace);
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(inverse, build);
  return out;
}

/// The layout R with l(R(l(i))) = l(i): of the coordinates that share an offset it picks one. Errors:
/// negative_stride, non_injective (modes overlap), left_inverse_chain (a stride does not divide the next),
/// unsupported_codomain. O(modes²). Example: generalized_inverse("(2,2,2):(4,0,1)") == "(4,2):(4,1)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> generalized_inverse(const StridedLayout& l, Trace trace = {}) {
  if (l.has_basis()) return refuse(AlgebraCode::unsupported_codomain);
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes);
  int order[kMaxLeaves] = {};
  detail::order_by_stride(modes, order);
  Index position[kMaxLeaves] = {};
  Index p = 1;
  for (int i = 0; i < modes.count; ++i) {
    position[i] = p;
    p *= modes.extent[i];
  }
  detail::FlatModes inverse;
  inverse.count = 0;
  Index cursor = 1;  // the stride before this one
  Index reach = 1;   // where the mode before ends
  Index gap_at = 0;  // the stride of the inverse that waits for its extent
  int before = -1;
  for (int k = 0; k < modes.count; ++k) {
    const int i = order[k];
    const Index s = modes.extent[i];
    const Index d = modes.stride[i];
    if (d < 0) return refuse(AlgebraCode::negative_stride, s, d, i);
    if (d == 0) continue;
    if (before >= 0 && d < reach) {
      AlgebraError e = refuse(AlgebraCode::non_injective, d, reach, i);
      e.witness = before;
      return e;
    }
    if (d % cursor != 0) return refuse(AlgebraCode::left_inverse_chain, cursor, d, i);
    trace(StepKind::gap, d / cursor, gap_at);
    if (d / cursor > 1) detail::push_merged(inverse, d / cursor, gap_at, 0, NoTrace{});
    gap_at = position[i];
    cursor = d;
    reach = d;
    if (!detail::multiply(reach, s)) return refuse(AlgebraCode::overflow, d, s, i);
    before = i;
  }
  if (before < 0) return make_mode(l.size(), 0);
  trace(StepKind::gap, modes.extent[before], gap_at);
  detail::push_merged(inverse, modes.extent[before], gap_at, 0, NoTrace{});
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(inverse, build);
  return detail::finish(out, build);
}

/// The layout R with R(l(i)) = i. Errors: as generalized_inverse; non_injective also for a mode of stride 0
/// and extent above 1, whose coordinates 0 and `witness` share the offset 0. O(modes²). Example:
/// left_inverse("(4,8):(1,5)") == "(5,8):(1,4)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> left_inverse(const StridedLayout& l, Trace trace = {}) {
  if (l.has_basis()) return refuse(AlgebraCode::unsupported_codomain);
  Index position = 1;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] == 0 && l.extent[i] > 1) {
      AlgebraError e = refuse(AlgebraCode::non_injective, 0, 0, i);
      e.witness = position;
      return e;
    }
    position *= l.extent[i];
  }
  return generalized_inverse(l, trace);
}

/// The layout of the coordinates that `l` maps to 0 because their strides are 0: l(R(i)) = 0, and
/// size(R) = size(l) / size(filter(l)). Never fails. Example: nullspace("(2,4,6):(1,2,0)") == "6:8".
constexpr StridedLayout nullspace(const StridedLayout& l) {
  detail::FlatModes modes;
  modes.count = 0;
  Index position = 1;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] == 0) modes.push(l.extent[i], l.extent[i] == 1 ? 0 : position);
    position *= l.extent[i];
  }
  StridedLayout out;
  LayoutBuilder build(out);
  detail::build_flat(modes, build);
  return out;
}

namespace detail {

/// Whether A(r(i)) = i for all i < size(r): exactly then the composition exists and is size(r):1 when
/// coalesced. Errors: undecided.
constexpr Outcome<bool> is_identity_on(const StridedLayout& a, const StridedLayout& r) {
  const Outcome<StridedLayout> both = composition(a, r);
  if (!both) {
    if (both.error.code == AlgebraCode::undecided) return both.error;
    return false;
  }
  return coalesce(*both) == make_mode(r.size(), r.size() == 1 ? 0 : 1);
}

/// The first `modes` modes of a coalesced layout, the last one with the extent `extent`.
constexpr StridedLayout first_modes(const StridedLayout& l, int modes, Index extent) {
  StridedLayout out;
  LayoutBuilder build(out);
  build.tuple(modes);
  for (int i = 0; i < modes; ++i) build.leaf(i + 1 < modes ? l.extent[i] : extent, l.stride[i]);
  return out;
}

/// Whether each stride is positive and beyond what the smaller ones reach: then every value has one
/// coordinate.
constexpr bool is_mixed_radix(const FlatModes& modes) {
  int order[kMaxLeaves] = {};
  order_by_stride(modes, order);
  Index reach = 0;
  for (int k = 0; k < modes.count; ++k) {
    Index part = modes.extent[order[k]] - 1;
    if (modes.stride[order[k]] <= reach || !multiply(part, modes.stride[order[k]]) ||
        add_overflows(reach, part, reach))
      return false;
  }
  return true;
}

/// The same as identity_prefix from the modes alone, where A has one coordinate a value: A(r(i)) = i exactly
/// where r and the right inverse of A agree. 0 where A may have several. r is coalesced.
constexpr Index identity_prefix_by_modes(const StridedLayout& a, const StridedLayout& r) {
  FlatModes modes;
  coalesce_extended(a, {}, modes);
  // The last mode is unbounded: as long as the coordinates that r gives need it to be.
  Index last = 0;
  for (int i = 0; i < r.leaves(); ++i) last += (r.extent[i] - 1) * r.stride[i];
  Index size = 1;
  for (int i = 0; i + 1 < modes.count; ++i) {
    last /= modes.extent[i];
    size *= modes.extent[i];
  }
  if (!multiply(size, last + 1)) return 0;
  modes.extent[modes.count - 1] = last + 1;
  if (last == 0) --modes.count;
  if (!is_mixed_radix(modes)) return 0;
  FlatModes inverse;
  right_inverse_modes(modes, inverse, nullptr, NoTrace{});
  Index whole = 1;
  for (int i = 0; i < inverse.count && i < r.leaves(); ++i) {
    if (r.extent[i] == 1 || inverse.stride[i] != r.stride[i]) return whole;
    whole *= inverse.extent[i] < r.extent[i] ? inverse.extent[i] : r.extent[i];
    if (inverse.extent[i] != r.extent[i]) return whole;
  }
  return whole;
}

/// The largest n such that A(r(i)) = i for all i < n, rounded down to whole modes of r. Errors: undecided.
constexpr Outcome<Index> identity_prefix(const StridedLayout& a, const StridedLayout& r) {
  // Coordinates beyond the size of A may meet others; the answer may still be smaller than those.
  for (int m = r.leaves(); m > 0; --m) {
    const StridedLayout part = first_modes(r, m, r.extent[m - 1]);
    const Index found = identity_prefix_by_modes(a, part);
    if (found > 0 && (m == r.leaves() || found < part.size())) return found;
  }
  Index whole = 1;  // the size of the modes that are the identity as a whole
  for (int m = 0; m < r.leaves(); ++m) {
    // The longest part of mode m: `yes` elements are the identity, `no` are not.
    Index yes = 1;
    Index no = r.extent[m] + 1;
    for (Index n = r.extent[m]; yes + 1 < no; n = yes + (no - yes) / 2) {
      const Outcome<bool> same = is_identity_on(a, first_modes(r, m + 1, n));
      if (!same) return same.error;
      (*same ? yes : no) = n;
    }
    whole *= yes;
    if (yes < r.extent[m]) break;
  }
  return whole;
}

}  // namespace detail

/// The largest vector of elements contiguous in both: R with a(R(i)) = i and b(R(i)) = i. Errors:
/// unsupported_codomain; undecided only where strides of a are 0, negative or overlap and, in the composition
/// with right_inverse(b), do not divide and meet in more than evaluation_limit() values. O(modes²), for such
/// strides O(modes² · log(size)). Example: max_common_layout("(4,2):(1,4)", "(4,2):(1,8)") == "4:1".
constexpr Outcome<StridedLayout> max_common_layout(const StridedLayout& a, const StridedLayout& b) {
  if (a.has_basis()) return refuse(AlgebraCode::unsupported_codomain);
  const Outcome<StridedLayout> inverse = right_inverse(b);
  if (!inverse) return inverse;
  const Outcome<Index> length = detail::identity_prefix(a, *inverse);
  if (!length) return length.error;
  if (*length == 1) return StridedLayout{};
  return composition(*inverse, make_mode(*length, 1));
}

/// The size of max_common_layout. Errors: the same.
constexpr Outcome<Index> max_common_vector(const StridedLayout& a, const StridedLayout& b) {
  const Outcome<StridedLayout> common = max_common_layout(a, b);
  if (!common) return common.error;
  return common->size();
}

/// The vector width n that the strides allow, the offsets being whole aligned runs of n: gcd of the size of
/// the chain from stride 1 and of the strides off it. Then upcast by n is exact. Errors:
/// unsupported_codomain. Example: max_alignment("(4,8):(1,6)") == 2.
constexpr Outcome<Index> max_alignment(const StridedLayout& l) {
  if (l.has_basis()) return refuse(AlgebraCode::unsupported_codomain);
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes);
  detail::FlatModes inverse;
  bool on_chain[kMaxLeaves] = {};
  Index n = detail::right_inverse_modes(modes, inverse, on_chain, NoTrace{});
  for (int i = 0; i < modes.count; ++i) {
    if (on_chain[i]) continue;
    Index d = detail::magnitude(modes.stride[i]);
    while (d != 0) {
      const Index rest = n % d;
      n = d;
      d = rest;
    }
  }
  return n;
}

}  // namespace tessera
