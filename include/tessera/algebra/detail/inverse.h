// SPDX-License-Identifier: Apache-2.0
/// \file
/// Right, left and generalized inverse, and nullspace.
#pragma once

#include "tessera/algebra/detail/complement.h"
#include "tessera/algebra/detail/composition.h"
#include "tessera/algebra/detail/inverse_search.h"

namespace tessera {

namespace detail {

/// Follows the chain of strides from 1, appends the unmerged modes of right_inverse(l), and returns the size
/// of the chain.
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

/// The layout R with l(R(i)) = i for all i < size(R), found by following the chain of strides from 1; modes
/// off the chain are skipped. Errors: unsupported_codomain; never fails for integer strides. O(modes²).
/// Example: right_inverse("(4,8):(8,1)") == "(8,4):(4,1)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> right_inverse(const StridedLayout& l, Trace trace = {}) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes);
  detail::FlatModes inverse;
  detail::right_inverse_modes(modes, inverse, nullptr, trace);
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(inverse, build);
  return out;
}

/// The layout R with l(R(l(i))) = l(i), which picks one of the coordinates that share an offset, found by the
/// chain of the strides; other layouts may have such an R, too. Errors: negative_stride, non_injective (modes
/// overlap), left_inverse_chain (a stride does not divide the next), unsupported_codomain. O(modes²).
/// Example: generalized_inverse("(2,2,2):(4,0,1)") == "(4,2):(4,1)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> generalized_inverse(const StridedLayout& l, Trace trace = {}) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
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
  Index cursor = 1;  // the previous stride
  Index reach = 1;   // the end of the previous mode
  Index gap_at = 0;  // the stride of the mode of the inverse whose extent is not known yet
  int before = -1;
  for (int k = 0; k < modes.count; ++k) {
    const int i = order[k];
    const Index s = modes.extent[i];
    const Index d = modes.stride[i];
    if (d < 0) return refuse(Code::negative_stride, s, d, i);
    if (d == 0) continue;
    if (before >= 0 && d < reach) {
      AlgebraError e = refuse(Code::non_injective, d, reach, i);
      e.witness = before;
      return e;
    }
    if (d % cursor != 0) return refuse(Code::left_inverse_chain, cursor, d, i);
    trace(StepKind::gap, d / cursor, gap_at);
    if (d / cursor > 1) detail::push_merged(inverse, d / cursor, gap_at, 0, NoTrace{});
    gap_at = position[i];
    cursor = d;
    reach = d;
    if (!detail::multiply(reach, s)) return refuse(Code::overflow, d, s, i);
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

/// The steps of a search for an inverse: enough to decide most layouts with offsets up to 10^4.
constexpr Index search_limit() {
  Index limit = evaluation_limit();
  return 4 * limit;
}

/// Whether coordinates may share an offset, which an inverse then maps to the first of them.
enum class Shared : std::uint8_t { no, first };

/// The layout R with f(R(f(i))) = f(i) for 0 <= i < n, found by a search; R(f(i)) = i unless offsets are
/// shared. Errors: non_injective (coordinate `witness` has the offset `first` of a smaller one),
/// not_invertible (there is no such layout; with the reason negative_stride because the coordinates `second`
/// and `witness` have the offsets `first` and -`first`), undecided (with the reason search: it stopped at its
/// limit of steps, or it tried only the first coordinate of each shared offset).
template <class F>
constexpr Outcome<StridedLayout> find_inverse(F&& f, Index n, Shared shared) {
  AlgebraError stopped = {.failed = true, .code = Code::undecided, .reason = AlgebraReason::search};
  Index limit = evaluation_limit();
  stopped.second = search_limit();
  if (!enumerable(n) || n > limit) return stopped;
  Sample* sample = new Sample[static_cast<std::size_t>(n)];
  for (Index i = 0; i < n; ++i) sample[static_cast<std::size_t>(i)] = {f(i), i};
  Index count = n;
  if (shared == Shared::first) count = drop_repeats(sample, n);
  const LayoutSearch search = find_layout(sample, count, search_limit());
  delete[] sample;
  if (search.end != LayoutSearch::End::found && search.end != LayoutSearch::End::limit && count < n)
    stopped.second = 0;
  if (search.end != LayoutSearch::End::found && count < n) return stopped;
  switch (search.end) {
    case LayoutSearch::End::found:
      return search.layout;
    case LayoutSearch::End::none:
      return refuse(Code::not_invertible);
    case LayoutSearch::End::limit:
      return stopped;
    case LayoutSearch::End::contradiction:
      break;
  }
  const Index a = search.first.value;
  const Index b = search.second.value;
  AlgebraError e = refuse(Code::non_injective, search.first.offset);
  e.witness = a < 0 && b < 0 ? -a : b;
  if (a < 0 && b > 0) {
    e = refuse(Code::not_invertible, search.first.offset, b);
    e.reason = AlgebraReason::negative_stride;
    e.witness = -a;
  }
  return e;
}

/// The layout R with R(l(i)) = i, where R(-x) = -R(x): by the chain of the strides, else by a search that
/// decides whether there is one. Errors: non_injective, with the modes that overlap or for a mode of stride 0
/// and extent above 1, whose coordinates 0 and `witness` share the offset 0; not_invertible (no layout is a
/// left inverse); undecided (the search stopped at search_limit()). O(modes²); a search takes
/// O(search_limit() · modes²). Example: left_inverse("(4,8):(1,5)") == "(5,8):(1,4)",
/// left_inverse("(2,2):(2,3)") ==
/// "(2,3):(1,1)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> left_inverse(const StridedLayout& l, Trace trace = {}) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  Index position = 1;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] == 0 && l.extent[i] > 1) {
      AlgebraError e = refuse(Code::non_injective, 0, 0, i);
      e.witness = position;
      return e;
    }
    position *= l.extent[i];
  }
  const Outcome<StridedLayout> chained = generalized_inverse(l, trace);
  if (chained) return chained;
  const Outcome<StridedLayout> found = find_inverse([&](Index i) { return l(i); }, l.size(), Shared::no);
  const bool overlap =
      chained.error.code == Code::non_injective && !found && found.error.code == Code::non_injective;
  return overlap ? chained : found;
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

}  // namespace detail

}  // namespace tessera
