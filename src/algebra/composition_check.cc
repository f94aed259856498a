// SPDX-License-Identifier: Apache-2.0
#include "algebra/composition_check.h"

#include <algorithm>

#include "tessera/algebra/detail/shape_arithmetic.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using detail::FlatModes;
using detail::LeftOperand;

/// The paper's rule: truncates A's shape to extent·stride, then removes the first `stride` elements. Both
/// steps require divisibility, and the last mode of A is unbounded.
bool paper_leaf(const FlatModes& a, Index s, Index d, FlatModes& out) {
  Index rest = 0;
  if (mul_overflows(s, detail::magnitude(d), rest)) return false;
  Index skip = detail::magnitude(d);
  for (int i = 0; i < a.count; ++i) {
    Index extent = rest;
    if (i + 1 < a.count) {
      if (rest % a.extent[i] != 0 && a.extent[i] % rest != 0) return false;
      extent = std::min(rest, a.extent[i]);
      rest = ceil_div(rest, extent);
    }
    if (extent % skip != 0 && skip % extent != 0) return false;
    const Index count = ceil_div(extent, skip);
    Index stride = d < 0 ? -skip : skip;
    if (!detail::multiply(stride, a.stride[i])) return false;
    skip = ceil_div(skip, extent);
    if (count > 1) out.push(count, stride);
  }
  return true;
}

/// The other three rules walk a leaf of B through the modes of A.
bool walk_leaf(PeerRule rule, const FlatModes& a, Index s, Index d, FlatModes& out) {
  Index n = s;
  for (int i = 0; i + 1 < a.count; ++i) {
    const Index extent = a.extent[i];
    const Index step = detail::magnitude(d);
    if (step == 0) return false;
    const bool either = extent % step == 0 || step % extent == 0;
    const bool fits = n > 1 && step < extent && (n - 1) * step < extent;
    switch (rule) {
      case PeerRule::cute_cpp:
        // CuTe compares the signed stride, and a negative stride is always below the extent.
        if (d % extent != 0 && d >= extent) return false;
        break;
      case PeerRule::pycute:
        if (!either) return false;
        break;
      case PeerRule::tensor_layouts:
        if (!either && !fits) return false;
        break;
      case PeerRule::paper:
        break;
    }
    // pycute divides negative strides with floor and ceiling, which gives wrong strides.
    const bool floors = rule == PeerRule::pycute;
    const Index here = floors ? std::max<Index>(1, floor_div(extent, d)) : ceil_div(extent, step);
    const Index count = std::min(here, n);
    const Index next = floors || d > 0 ? ceil_div(d, extent) : -ceil_div(step, extent);
    if (!floors && n % count != 0) return false;
    if (count > 1) {
      Index stride = d;
      if (!detail::multiply(stride, a.stride[i])) return false;
      out.push(count, stride);
      n /= count;
    }
    d = next;
  }
  if (n > 1 || out.count == 0) {
    Index stride = d;
    if (!detail::multiply(stride, a.stride[a.count - 1])) return false;
    out.push(n, stride);
  }
  return true;
}

/// Tries leaves s:d until the budget is used up. A leaf that divisibility does not decide costs one
/// evaluation per value.
struct Tries {
  const StridedLayout& a;
  Index budget = Index{1} << 24;  // evaluations, together a fraction of a second

  bool composes(Index s, Index d) {
    const StridedLayout b = make_mode(s, d);
    budget -= s < evaluation_limit() ? s + 64 : 64;
    return budget >= 0 && !check_invariants(b).failed && composition(a, b).ok();
  }
};

}  // namespace

const char* to_string(PeerRule rule) {
  switch (rule) {
    case PeerRule::cute_cpp:
      return "CuTe C++";
    case PeerRule::pycute:
      return "pycute";
    case PeerRule::paper:
      return "PyCuTe";
    case PeerRule::tensor_layouts:
      return "tensor-layouts";
  }
  return "";
}

PeerVerdict peer_composition(PeerRule rule, const StridedLayout& a, const StridedLayout& b) {
  PeerVerdict verdict;
  verdict.rule = rule;
  FlatModes modes;
  // Only the C++ rule and the paper let a trailing mode 1:0 of A bound the mode before it.
  if (rule == PeerRule::cute_cpp || rule == PeerRule::paper) {
    detail::coalesce_extended(a, {}, modes);
  } else {
    detail::coalesce_modes(a, {}, modes);
    if (modes.count == 0) modes.push(1, 0);
  }
  LayoutBuilder build(verdict.result);
  for (int node = 0, i = 0; node < b.profile.nodes; ++node) {
    if (!b.profile.is_leaf(node)) {
      build.tuple(b.profile.rank(node));
      continue;
    }
    FlatModes leaf;
    leaf.count = 0;
    const Index s = b.extent[i];
    const Index d = b.stride[i++];
    if (d == 0) {
      leaf.push(s, 0);
    } else if (!(rule == PeerRule::paper ? paper_leaf(modes, s, d, leaf)
                                         : walk_leaf(rule, modes, s, d, leaf))) {
      return verdict;
    }
    detail::build_flat(leaf, build);
  }
  verdict.fits = !build.finish().failed;
  if (!verdict.fits) return verdict;
  verdict.accepts = true;
  LeftOperand left;
  left.set(a, {});
  const Index size = std::min(b.size(), evaluation_limit());
  for (Index k = 0; k < size; ++k) {
    Index right = 0;
    if (k < verdict.result.size() && left.at(b(k), right) && right == verdict.result(k)) continue;
    verdict.wrong_at = k;
    break;
  }
  return verdict;
}

CompositionReport composition_check(const StridedLayout& a, const StridedLayout& b) {
  CompositionReport report;
  if (a.has_basis() || b.has_basis()) {
    report.exact = composition(a, b);
    if (report.exact.ok() || b.has_basis()) return report;
  } else {
    report.exact = composition(a, b);
    for (int i = 0; i < kPeerRules; ++i) {
      report.peers[static_cast<std::size_t>(i)] = peer_composition(static_cast<PeerRule>(i), a, b);
    }
  }
  if (report.exact.ok()) return report;
  const AlgebraError& e = report.exact.error;
  if (e.code == Code::not_representable && e.leaf >= 0) {
    constexpr Index kTries = 4096;
    const Index s = b.extent[e.leaf];
    const Index d = b.stride[e.leaf];
    Tries extents{a};
    for (Index t = s - 1; t > 1 && t >= s - kTries && !report.extent_hint; --t) {
      if (extents.composes(t, d)) report.extent_hint = t;
    }
    Tries strides{a};
    for (Index t = 1; t <= kTries && !report.stride_hint; ++t) {
      for (const Index step : {-t, t}) {
        Index near = 0;
        // A stride with the other sign is not a useful suggestion.
        const bool same_side = !add_overflows(d, step, near) && (near < 0) == (d < 0) && near != 0;
        if (same_side && !report.stride_hint && strides.composes(s, near)) report.stride_hint = near;
      }
    }
  }
  if (b.rank() > 1 && b.rank() <= a.rank()) {
    bool fits = true;
    for (int i = 0; i < b.rank() && fits; ++i) {
      fits = composition(sublayout(a, mode_at(a.profile, i)), sublayout(b, mode_at(b.profile, i))).ok();
    }
    report.by_mode_hint = fits;
  }
  return report;
}

}  // namespace tessera
