// SPDX-License-Identifier: Apache-2.0
/// \file
/// composition(A, B), the layout of c -> A(B(c)): exact, or refused with a witness.
#pragma once

#include "tessera/algebra/detail/recognise.h"
#include "tessera/algebra/detail/tiler.h"

namespace tessera {

namespace detail {

/// A coordinate: one value for each distinct path of a list of modes, in the order of first appearance.
struct Components {
  Index value[kMaxLeaves] = {};
  friend constexpr bool operator==(const Components& a, const Components& b) {
    for (int i = 0; i < kMaxLeaves; ++i) {
      if (a.value[i] != b.value[i]) return false;
    }
    return true;
  }
};
constexpr bool add_scaled(Components& sum, const Components& step, Index digit) {
  for (int i = 0; i < kMaxLeaves; ++i) {
    if (step.value[i] != 0 && !add_scaled(sum.value[i], step.value[i], digit)) return false;
  }
  return true;
}
constexpr Index shown(const Components&) { return 0; }

/// The left operand of a composition: its merged modes with the last one unbounded, and their codomain.
struct LeftOperand {
  FlatModes modes;
  bool basis;
  int components;
  BasisPath path[kMaxLeaves];
  int component[kMaxLeaves];

  constexpr void set(const StridedLayout& a, Cursor at) {
    coalesce_extended(a, at, modes);
    basis = modes.has_basis();
    components = 0;
    if (!basis) return;
    for (int i = 0; i < modes.count; ++i) {
      int k = 0;
      while (k < components && path[k] != modes.path[i]) ++k;
      if (k == components) path[components++] = modes.path[i];
      component[i] = k;
    }
  }
  /// A(x) on the extended domain, x of any sign; false on overflow.
  constexpr bool at(Index x, Index& sum) const {
    if (!modes.extended(magnitude(x), sum)) return false;
    if (x < 0) sum = -sum;
    return true;
  }
  constexpr bool at(Index x, Components& sum) const {
    sum = {};
    Index rest = magnitude(x);
    for (int i = 0; i < modes.count && rest != 0; ++i) {
      Index digit = rest;
      if (i + 1 < modes.count) {
        rest = digit / modes.extent[i];
        digit -= rest * modes.extent[i];
      }
      if (!add_scaled(sum.value[component[i]], modes.stride[i], x < 0 ? -digit : digit)) return false;
    }
    return true;
  }
  /// Writes `value` as one stride; false if it needs two components.
  constexpr bool as_stride(const Index& value, Index& stride, BasisPath& p) const {
    stride = value;
    p = 0;
    return true;
  }
  constexpr bool as_stride(const Components& value, Index& stride, BasisPath& p) const {
    stride = 0;
    p = 0;
    for (int k = 0; k < components; ++k) {
      if (value.value[k] == 0) continue;
      if (stride != 0) return false;
      stride = value.value[k];
      p = path[k];
    }
    return true;
  }
};

/// Tracks whether the leaves of B can interact: for each mode of A, the sum of their largest digits.
struct CarryCheck {
  int leaves = 0;
  bool positive = false;
  bool negative = false;
  bool compare = false;
  Index digits[kMaxLeaves] = {};

  constexpr void add(int mode, Index largest) {
    if (add_overflows(digits[mode], largest, digits[mode])) compare = true;
  }
};

/// Composes one leaf s:d of B (s > 1, d != 0) by evaluating it, where the divisibility rules do not decide.
template <class Value>
constexpr AlgebraError compose_general(const LeftOperand& a, Index s, Index d, FlatModes& out) {
  Recognised<Value> found;
  const AlgebraError e =
      recognise<Value>([&](Index k, Value& value) { return a.at(k * d, value); }, s, found);
  if (e.failed) return e;
  for (int i = 0; i < found.count; ++i) {
    Index stride = 0;
    BasisPath path = 0;
    if (!a.as_stride(found.step[i], stride, path)) {
      return {
          .failed = true, .code = Code::not_representable, .reason = AlgebraReason::basis_sum, .witness = 1};
    }
    out.push(found.extent[i], stride, path);
  }
  return {};
}

/// The modes of k -> A(k·d), k < s, with s > 1 and d != 0. Each step is forced: a mode must end where the
/// values stop being linear.
template <class Trace>
constexpr AlgebraError compose_leaf(const LeftOperand& a, Index s, Index d0, FlatModes& out,
                                    CarryCheck& carry, Trace trace) {
  const FlatModes& m = a.modes;
  const int last = m.count - 1;
  const bool negative = d0 < 0;
  Index d = magnitude(d0);
  Index n = s;
  out.count = 0;
  ++carry.leaves;
  (negative ? carry.negative : carry.positive) = true;
  const auto emit = [&](int mode, Index count) {
    Index stride = negative ? -d : d;
    if (!multiply(stride, m.stride[mode])) return false;
    out.push(count, stride, stride == 0 ? 0 : m.path[mode]);
    return true;
  };
  const auto overflow = [&](int mode) { return refuse(Code::overflow, d, m.stride[mode]); };
  for (int i = 0; i < last && n > 1; ++i) {
    const Index extent = m.extent[i];
    if (d % extent == 0) {
      trace(StepKind::skip_mode, i, extent, d, d / extent);
      d /= extent;
      continue;
    }
    // (n-1)*d cannot overflow: it is at most the span of B.
    if ((n - 1) * d < extent) {
      if (!emit(i, n)) return overflow(i);
      carry.add(i, (n - 1) * d);
      trace(StepKind::fits, i, extent, n, d, out.stride[out.count - 1]);
      n = 1;
      break;
    }
    if (extent % d != 0) {
      // Happens only before the first mode is emitted: afterward d is 1.
      trace(StepKind::general, s, d0);
      carry.compare = true;
      return a.basis ? compose_general<Components>(a, s, d0, out) : compose_general<Index>(a, s, d0, out);
    }
    const Index count = extent / d;
    if (!emit(i, count)) return overflow(i);
    carry.add(i, (count - 1) * d);
    trace(StepKind::split, i, extent, d, count, out.stride[out.count - 1], n / count);
    if (n % count != 0) {
      AlgebraError e = {.failed = true, .code = Code::not_representable, .reason = AlgebraReason::shape};
      e.witness = count;
      for (int k = 0; k + 1 < out.count; ++k) e.witness *= out.extent[k];
      if (!a.basis) {
        Index said = 0;
        if (!a.at(e.witness * d0, e.first) || !predict(out.extent, out.stride, out.count, e.witness, said)) {
          return overflow(i);
        }
        e.second = said;
      }
      return e;
    }
    n /= count;
    d = 1;
  }
  if (n > 1) {
    if (!emit(last, n)) return overflow(last);
    trace(StepKind::last_mode, n, d, out.stride[out.count - 1]);
  }
  return {};
}

/// Compares A(Σ x_j) with Σ A(x_j) for every choice of digits of the leaves of B whose path is `group`; the
/// first difference is the witness, as a 1-D coordinate of B.
template <class Value>
constexpr AlgebraError compare_sums(const LeftOperand& a, const StridedLayout& b, BasisPath group) {
  int leaf[kMaxLeaves] = {};
  Index weight[kMaxLeaves] = {};
  Index digit[kMaxLeaves] = {};
  int leaves = 0;
  Index before = 1;
  Index total = 1;
  for (int i = 0; i < b.leaves(); ++i) {
    if (b.path[i] == group && b.extent[i] > 1 && b.stride[i] != 0) {
      leaf[leaves] = i;
      weight[leaves++] = before;
      total *= b.extent[i];
    }
    before *= b.extent[i];
  }
  Index limit = evaluation_limit();
  if (!enumerable(total) || total > limit) return refuse(Code::undecided, total, limit);
  for (Index count = 0; count < total; ++count) {
    Index x = 0;
    Value sum = {};
    for (int j = 0; j < leaves; ++j) {
      const Index part = digit[j] * b.stride[leaf[j]];
      Value value = {};
      if (!a.at(part, value) || !add_scaled(sum, value, 1)) return refuse(Code::overflow, part);
      x += part;
    }
    Value actual = {};
    if (!a.at(x, actual)) return refuse(Code::overflow, x);
    if (!(actual == sum)) {
      AlgebraError e = {.failed = true, .code = Code::not_representable, .reason = AlgebraReason::carry};
      for (int j = 0; j < leaves; ++j) e.witness += digit[j] * weight[j];
      e.first = shown(actual);
      e.second = shown(sum);
      return e;
    }
    for (int j = 0; j < leaves && ++digit[j] == b.extent[leaf[j]]; ++j) digit[j] = 0;
  }
  return {};
}

template <class Trace>
constexpr AlgebraError check_carry(const LeftOperand& a, const StridedLayout& b, BasisPath group,
                                   const CarryCheck& carry, Trace trace) {
  if (carry.leaves < 2) return {};
  bool compare = carry.compare || (carry.positive && carry.negative);
  for (int i = 0; i + 1 < a.modes.count; ++i) {
    if (carry.digits[i] >= a.modes.extent[i]) {
      compare = true;
    } else if (carry.digits[i] > 0) {
      trace(StepKind::no_carry, i, a.modes.extent[i], carry.digits[i]);
    }
  }
  if (!compare) return {};
  trace(StepKind::compare_all, b.size());
  return a.basis ? compare_sums<Components>(a, b, group) : compare_sums<Index>(a, b, group);
}

/// The mode of A that a coordinate stride of B selects. Errors: basis_out_of_range.
constexpr Outcome<Cursor> basis_target(const StridedLayout& a, BasisPath path, int leaf) {
  Cursor at = {};
  for (int level = 0; level < path_levels(path); ++level) {
    const int index = path_index(path, level);
    const int rank = a.profile.rank(at.node);
    if (index >= rank) return refuse(Code::basis_out_of_range, index, rank, leaf);
    at = mode_at(a.profile, index, at);
  }
  return at;
}

/// Appends composition(A, B) to a builder. Does not check the invariants of the result.
template <class Trace>
constexpr AlgebraError compose(const StridedLayout& a, Cursor at, const StridedLayout& b, LayoutBuilder& out,
                               Trace trace) {
  LeftOperand left;
  BasisPath group = 0;
  left.set(a, at);
  CarryCheck carry;
  FlatModes modes;
  bool groups = false;
  for (int node = 0, i = 0; node < b.profile.nodes; ++node) {
    if (!b.profile.is_leaf(node)) {
      out.tuple(b.profile.rank(node));
      continue;
    }
    const Index s = b.extent[i];
    const Index d = b.stride[i];
    trace(StepKind::leaf, i, s, d);
    if (d != 0 && b.path[i] != group) {
      // A coordinate stride selects another part of A. The sums are checked path by path below.
      groups = groups || group != 0;
      group = b.path[i];
      const StridedLayout part = sublayout(a, at);
      const Outcome<Cursor> target = basis_target(part, group, i);
      if (!target) return target.error;
      left.set(part, *target);
    }
    if (d == 0) {
      trace(StepKind::zero_leaf, s);
      out.leaf(s, 0);
    } else if (s == 1) {
      Index stride = 0;
      BasisPath path = 0;
      if (left.basis) {
        Components value = {};
        if (!left.at(d, value)) return refuse(Code::overflow, d, 0, i);
        // A leaf of extent 1 never uses its stride, so a sum of two components is written as 0.
        if (!left.as_stride(value, stride, path)) stride = 0, path = 0;
      } else if (!left.at(d, stride)) {
        return refuse(Code::overflow, d, 0, i);
      }
      trace(StepKind::unit_leaf, d, stride);
      out.leaf(1, stride, path);
    } else {
      AlgebraError e = compose_leaf(left, s, d, modes, carry, trace);
      if (e.failed) {
        e.leaf = i;
        return e;
      }
      build_flat(modes, out);
    }
    ++i;
  }
  if (!groups) return check_carry(left, b, group, carry, trace);
  for (int i = 0; i < b.leaves(); ++i) {
    bool first = b.path[i] != 0;
    for (int j = 0; j < i; ++j) first = first && b.path[j] != b.path[i];
    if (!first) continue;
    const StridedLayout part = sublayout(a, at);
    left.set(part, *basis_target(part, b.path[i], i));
    carry = {};
    for (int j = i; j < b.leaves(); ++j) {
      if (b.path[j] != b.path[i] || b.extent[j] == 1 || b.stride[j] == 0) continue;
      const AlgebraError e = compose_leaf(left, b.extent[j], b.stride[j], modes, carry, NoTrace{});
      if (e.failed) return e;
    }
    const AlgebraError e = check_carry(left, b, b.path[i], carry, trace);
    if (e.failed) return e;
  }
  return {};
}

/// By-mode composition of the sub-tree of `a` at `at` with the terminals below `ct`; `terminal` counts them.
template <class Trace>
constexpr AlgebraError compose_by(const StridedLayout& a, Cursor at, const Tiler& t, Cursor ct,
                                  LayoutBuilder& out, Trace trace) {
  if (t.nesting.is_leaf(ct.node)) {
    if (t.kind[ct.leaf] == Tiler::Kind::everything) {
      out.copy(a, at);
      return {};
    }
    return compose(a, at, terminal(t, ct.leaf), out, trace);
  }
  const int rank = t.nesting.rank(ct.node);
  if (rank > a.profile.rank(at.node)) return refuse(Code::rank_mismatch, rank, a.profile.rank(at.node));
  out.tuple(rank);
  Cursor mt = first_mode(t.nesting, ct);
  Cursor ma = first_mode(a.profile, at);
  for (int i = 0; i < rank; ++i, mt = after(t.nesting, mt), ma = after(a.profile, ma)) {
    AlgebraError e = compose_by(a, ma, t, mt, out, trace);
    if (e.failed) return e;
  }
  return {};
}

/// Composition: the layout R with R(c) = A(B(c)) for every coordinate c of B and shape(B) ⪯ shape(R); A's
/// last mode is unbounded. B gives the shape, A the offsets. A coordinate stride of B selects a mode of A.
/// Errors: not_representable (reason shape, stride, carry or basis_sum; leaf, witness and both values),
/// undecided (a comparison beyond evaluation_limit()), basis_out_of_range, overflow, capacity. Exact:
/// succeeds iff such a layout exists, and then its leaves (relative to B's) are coalesced and unique.
/// O(modes(A) · leaves(B)); up to O(size(B)) if divisibility does not decide. Does not allocate. Example:
/// composition("(6,2):(8,2)", "(4,3):(3,1)") == "((2,2),3):((24,2),8)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> composition(const StridedLayout& a, const StridedLayout& b,
                                             Trace trace = {}) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  out.error = detail::compose(a, {}, b, build, trace);
  if (out.ok()) out.error = build.finish();
  return out;
}

/// Composition by a tiler: mode by mode for `<…>`, dropping modes of A beyond the tiler; `_` keeps a mode.
/// Errors: as above, rank_mismatch (the tiler is longer than A). Example:
/// composition("(12,(4,8)):(59,(13,1))", "<3:4,8:2>") == "(3,(2,4)):(236,(26,1))".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> composition(const StridedLayout& a, const Tiler& tiler, Trace trace = {}) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  out.error = detail::compose_by(a, {}, tiler, {}, build, trace);
  if (out.ok()) out.error = build.finish();
  return out;
}

}  // namespace detail

}  // namespace tessera
