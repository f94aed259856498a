// SPDX-License-Identifier: Apache-2.0
#include "algebra/cute_emulation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/algebra/detail/coalesce.h"

namespace tessera::cute {
namespace {

/// An integer and whether it is a compile-time constant.
struct Int {
  Index value = 0;
  bool fixed = true;

  bool is(Index constant) const { return fixed && value == constant; }
};
constexpr Int kOne = {1, true};
constexpr Int kZero = {0, true};

/// Thrown only inside this file, if an operation has no result.
struct Refused {
  AlgebraError error;
};

Int multiply(Int a, Int b) {
  if (a.is(0) || b.is(0)) return kZero;
  Int r = {a.value, a.fixed && b.fixed};
  if (!detail::multiply(r.value, b.value)) throw Refused{refuse(AlgebraCode::overflow, a.value, b.value)};
  return r;
}
Int magnitude(Int a) { return {detail::magnitude(a.value), a.fixed}; }
Int divide_up(Int a, Int b) {
  if (a.is(0)) return kZero;
  if (b.value == 0) throw Refused{refuse(AlgebraCode::div_by_zero)};
  return {ceil_div(a.value, b.value), a.fixed && b.fixed};
}
Int divide_down(Int a, Int b) {
  if (a.is(0)) return kZero;
  if (b.value == 0) throw Refused{refuse(AlgebraCode::div_by_zero)};
  return {a.value / b.value, a.fixed && b.fixed};
}
Int smaller(Int a, Int b) { return {std::min(a.value, b.value), a.fixed && b.fixed}; }

struct Mode {
  Int extent;
  Int stride;
};
/// Modes in a row; `tuple` distinguishes `(4):(1)` from `4:1`.
struct Modes {
  std::vector<Mode> mode;
  bool tuple = false;
};

Modes flat(const TrackedLayout& l) {
  Modes out;
  out.tuple = !l.layout.profile.is_leaf();
  for (int i = 0; i < l.layout.leaves(); ++i) {
    out.mode.push_back({{l.layout.extent[i], l.marks.extent(i)}, {l.layout.stride[i], l.marks.stride(i)}});
  }
  if (out.mode.empty()) out.mode.push_back({kOne, kZero});
  return out;
}

/// Writes a tracked layout in preorder.
struct Builder {
  TrackedLayout out;
  LayoutBuilder build{out.layout};

  void leaf(Mode m) {
    const int i = out.layout.leaves();
    build.leaf(m.extent.value, m.stride.value);
    if (i < kMaxLeaves) out.marks.set(i, m.extent.fixed, m.stride.fixed);
  }
  void modes(const Modes& m) {
    if (m.tuple) build.tuple(static_cast<int>(m.mode.size()));
    for (const Mode& x : m.mode) leaf(x);
  }
  void copy(const TrackedLayout& l, Cursor at = {}) {
    const int before = out.layout.leaves();
    const int count = leaf_count(l.layout.profile, at);
    build.copy(l.layout, at);
    for (int i = 0; i < count && before + i < kMaxLeaves; ++i) {
      out.marks.set(before + i, l.marks.extent(at.leaf + i), l.marks.stride(at.leaf + i));
    }
  }
  /// Checks only the capacity: CuTe C++ also prints layouts with an extent of 0.
  Outcome<TrackedLayout> finish() const {
    const AlgebraError e = build.profile.error();
    if (e.code != AlgebraCode::none) return e;
    return out;
  }
};

TrackedLayout part(const TrackedLayout& l, Cursor at) {
  Builder b;
  b.copy(l, at);
  return b.out;
}

void require_integers(const TrackedLayout& l) {
  if (l.layout.has_basis()) throw Refused{refuse(AlgebraCode::unsupported_codomain)};
}

/// CuTe's scan from the right: `last_unbounded` counts a trailing static extent 1 as 2, as composition does.
Modes merged(const Modes& l, bool last_unbounded) {
  Modes out;
  Mode front = l.mode.back();
  if (last_unbounded && front.extent.is(1)) front.extent = {2, true};
  out.mode = {front};
  for (std::size_t i = l.mode.size() - 1; i-- > 0;) {
    const Mode m = l.mode[i];
    Mode& f = out.mode.front();
    if (m.extent.is(1)) continue;
    if (out.mode.size() == 1 && f.extent.is(1)) {
      f = m;
      continue;
    }
    const Int reach = multiply(m.extent, m.stride);
    if (f.extent.fixed && reach.fixed && f.stride.fixed && reach.value == f.stride.value) {
      f = {multiply(m.extent, f.extent), m.stride};
    } else {
      out.mode.insert(out.mode.begin(), m);
    }
  }
  if (out.mode.size() == 1 && out.mode[0].extent.is(1)) out.mode[0].stride = kZero;
  out.tuple = out.mode.size() > 1;
  return out;
}

/// One leaf of B through the modes of A.
Modes compose_leaf(const Modes& a, Mode b) {
  if (b.stride.is(0)) return {{b}, false};
  if (a.mode.size() == 1) return {{{b.extent, multiply(b.stride, a.mode[0].stride)}}, false};
  Modes out;
  Int n = b.extent;
  Int d = b.stride;
  for (std::size_t i = 0; i + 1 < a.mode.size(); ++i) {
    const Int s = a.mode[i].extent;
    if (s.fixed && d.fixed && d.value % s.value != 0 && d.value >= s.value) {
      throw Refused{refuse(AlgebraCode::stride_divisibility, d.value, s.value, static_cast<int>(i))};
    }
    const Int count = divide_up(s, magnitude(d));
    Int next = divide_up(magnitude(d), s);
    if (d.value < 0) next.value = -next.value;
    if (count.is(1) || n.is(1)) {
      d = next;
      continue;
    }
    const Int m = smaller(count, n);
    if (m.fixed && n.fixed && n.value % m.value != 0) {
      throw Refused{refuse(AlgebraCode::shape_divisibility, n.value, m.value, static_cast<int>(i))};
    }
    out.mode.push_back({m, multiply(d, a.mode[i].stride)});
    n = divide_down(n, m);
    d = next;
  }
  if (out.mode.empty() || !n.is(1)) out.mode.push_back({n, multiply(d, a.mode.back().stride)});
  out.tuple = out.mode.size() > 1;
  return out;
}

void compose(const TrackedLayout& a, const TrackedLayout& b, Builder& out) {
  require_integers(a);
  require_integers(b);
  const Modes left = merged(flat(a), true);
  int leaf = 0;
  for (int node = 0; node < b.layout.profile.nodes; ++node) {
    if (!b.layout.profile.is_leaf(node)) {
      out.build.tuple(b.layout.profile.rank(node));
      continue;
    }
    out.modes(compose_leaf(left, {{b.layout.extent[leaf], b.marks.extent(leaf)},
                                  {b.layout.stride[leaf], b.marks.stride(leaf)}}));
    ++leaf;
  }
}

/// Terminal `i` of a tiler; an integer n is n:_1.
TrackedLayout terminal(const TrackedTiler& t, int i) {
  TrackedLayout l = part({t.tiler.parts, t.marks}, mode_at(t.tiler.parts.profile, i));
  if (t.tiler.kind[i] == Tiler::Kind::integer) l.marks.set(0, l.marks.extent(0), true);
  return l;
}

/// Applies `op(part, terminal, builder)` by mode; `keep_rest` keeps the modes beyond the tiler.
template <class Op>
void by_mode(const TrackedLayout& a, Cursor at, const TrackedTiler& t, Cursor ct, bool keep_rest,
             Builder& out, Op&& op) {
  const Profile& nesting = t.tiler.nesting;
  if (nesting.is_leaf(ct.node)) {
    if (t.tiler.kind[ct.leaf] == Tiler::Kind::everything) return out.copy(a, at);
    return op(part(a, at), terminal(t, ct.leaf), out);
  }
  const int rank = a.layout.profile.rank(at.node);
  const int named = nesting.rank(ct.node);
  if (named > rank) throw Refused{refuse(AlgebraCode::rank_mismatch, named, rank)};
  out.build.tuple(keep_rest ? rank : named);
  Cursor ma = first_mode(a.layout.profile, at);
  Cursor mt = first_mode(nesting, ct);
  for (int i = 0; i < rank; ++i, ma = after(a.layout.profile, ma)) {
    if (i < named) {
      by_mode(a, ma, t, mt, keep_rest, out, op);
      mt = after(nesting, mt);
    } else if (keep_rest) {
      out.copy(a, ma);
    }
  }
}

/// Compact strides of extents in a given order, starting at `start`.
std::vector<Mode> compact(const std::vector<Int>& extents, Int start, bool from_right) {
  std::vector<Mode> out(extents.size());
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::size_t i = from_right ? extents.size() - 1 - k : k;
    out[i] = {extents[i], extents[i].is(1) ? kZero : start};
    start = multiply(start, extents[i]);
  }
  return out;
}

std::vector<Int> leaves(const TrackedTuple& t) {
  std::vector<Int> out;
  for (int i = 0; i < t.tuple.leaves(); ++i) out.push_back({t.tuple.leaf[i], ((t.marks >> i) & 1) != 0});
  return out;
}

TrackedLayout complement_of(const TrackedLayout& l, const std::vector<Int>& cotarget) {
  require_integers(l);
  Modes zeros = flat(l);
  for (Mode& m : zeros.mode) {
    if (m.stride.is(0)) m.extent = kOne;
  }
  Modes f = merged(zeros, false);
  Modes result;
  Int cursor = kOne;
  if (f.mode.size() > 1 || !f.mode[0].stride.is(0)) {
    if (f.mode.size() > 1 &&
        std::any_of(f.mode.begin(), f.mode.end(), [](const Mode& m) { return !m.stride.fixed; })) {
      throw Refused{refuse(AlgebraCode::dynamic_stride)};
    }
    // By insertion, which is stable: std::stable_sort of this library warns under clang.
    for (std::size_t i = 1; i < f.mode.size(); ++i) {
      for (std::size_t k = i; k > 0 && f.mode[k].stride.value < f.mode[k - 1].stride.value; --k) {
        std::swap(f.mode[k], f.mode[k - 1]);
      }
    }
    for (std::size_t i = 0; i < f.mode.size(); ++i) {
      const Mode& m = f.mode[i];
      const Int hole = divide_down(m.stride, cursor);
      if (hole.is(0)) {
        throw Refused{refuse(AlgebraCode::non_injective, m.stride.value, cursor.value, static_cast<int>(i))};
      }
      result.mode.push_back({hole, cursor});
      cursor = multiply(m.stride, m.extent);
    }
  }
  // The rest of the cotarget: what is left of each extent (all of it for a layout that is static 0), with
  // neighbors of one kind multiplied.
  const bool nothing = f.mode.size() == 1 && f.mode[0].stride.is(0);
  std::vector<Int> rest;
  Int left = cursor;
  for (const Int x : cotarget) {
    Int count = x;
    if (!nothing) {
      count = divide_up(x, left);
      left = divide_up(left, x);
    }
    if (count.is(1)) continue;
    if (!rest.empty() && rest.back().fixed == count.fixed) {
      rest.back() = multiply(rest.back(), count);
    } else {
      rest.push_back(count);
    }
  }
  for (const Mode& m : compact(rest, cursor, false)) result.mode.push_back(m);
  if (result.mode.empty()) result.mode.push_back({kOne, kZero});
  Builder out;
  out.modes(merged(result, false));
  return out.out;
}

template <class F>
Outcome<TrackedLayout> guarded(F&& f) {
  try {
    Builder out;
    f(out);
    return out.finish();
  } catch (const Refused& refused) {
    return refused.error;
  }
}

/// Strides of parts ordered by value: a part starts after all parts of smaller order.
void ordered(const std::vector<Int>& extents, const std::vector<int>& begin, const std::vector<Int>& order,
             std::vector<Mode>& out) {
  Index largest = kIndexMin;
  for (const Int x : order) {
    if (x.fixed) largest = std::max(largest, x.value);
  }
  // Dynamic orders come after all static ones, in their positions.
  std::vector<std::pair<Index, Index>> key;
  for (std::size_t p = 0; p < order.size(); ++p) {
    key.emplace_back(order[p].fixed ? 0 : 1, order[p].fixed ? order[p].value : static_cast<Index>(p));
  }
  for (std::size_t p = 0; p < order.size(); ++p) {
    Int start = kOne;
    for (std::size_t q = 0; q < order.size(); ++q) {
      if (!(key[q] < key[p])) continue;
      for (int i = begin[q]; i < begin[q + 1]; ++i)
        start = multiply(start, extents[static_cast<std::size_t>(i)]);
    }
    const std::vector<Int> inside(extents.begin() + begin[p], extents.begin() + begin[p + 1]);
    for (const Mode& m : compact(inside, start, false)) out.push_back(m);
  }
}

Outcome<TrackedLayout> shaped(const Profile& profile, const std::vector<Mode>& modes) {
  TrackedLayout l;
  l.layout.profile = profile;
  l.layout.extent[0] = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    l.layout.extent[i] = modes[i].extent.value;
    l.layout.stride[i] = modes[i].stride.value;
    l.marks.set(static_cast<int>(i), modes[i].extent.fixed, modes[i].stride.fixed);
  }
  const AlgebraError e = check_invariants(l.layout);
  if (e.code != AlgebraCode::none) return e;
  return l;
}

}  // namespace

Outcome<TrackedLayout> make_layout(const TrackedTuple& shape, Order order) {
  try {
    return shaped(shape.tuple.profile, compact(leaves(shape), kOne, order == Order::right));
  } catch (const Refused& refused) {
    return refused.error;
  }
}

Outcome<TrackedLayout> make_ordered_layout(const TrackedTuple& shape, const TrackedTuple& order) {
  if (!weakly_congruent(order.tuple, shape.tuple)) {
    return refuse(AlgebraCode::rank_mismatch, order.tuple.rank(), shape.tuple.rank());
  }
  std::vector<int> begin;
  Cursor at = {};
  for (int n = 0; n < order.tuple.profile.nodes; ++n) {
    if (order.tuple.profile.is_leaf(n)) {
      begin.push_back(at.leaf);
      at = after(shape.tuple.profile, at);
    } else {
      at = first_mode(shape.tuple.profile, at);
    }
  }
  begin.push_back(shape.tuple.leaves());
  try {
    std::vector<Mode> modes;
    ordered(leaves(shape), begin, leaves(order), modes);
    return shaped(shape.tuple.profile, modes);
  } catch (const Refused& refused) {
    return refused.error;
  }
}

Outcome<TrackedLayout> make_layout_like(const TrackedLayout& l) {
  if (l.layout.has_basis()) return refuse(AlgebraCode::unsupported_codomain);
  std::vector<Int> extents;
  std::vector<Int> order;
  std::vector<int> begin;
  for (const Mode& m : flat(l).mode) {
    begin.push_back(static_cast<int>(extents.size()));
    extents.push_back(m.stride.is(0) ? kOne : m.extent);
    order.push_back(m.stride);
  }
  begin.push_back(static_cast<int>(extents.size()));
  try {
    std::vector<Mode> modes;
    ordered(extents, begin, order, modes);
    const Modes original = flat(l);
    for (std::size_t i = 0; i < modes.size(); ++i) modes[i].extent = original.mode[i].extent;
    return shaped(l.layout.profile, modes);
  } catch (const Refused& refused) {
    return refused.error;
  }
}

Outcome<TrackedLayout> coalesce(const TrackedLayout& l) {
  return guarded([&](Builder& out) {
    require_integers(l);
    out.modes(merged(flat(l), false));
  });
}

Outcome<TrackedLayout> composition(const TrackedLayout& a, const TrackedTiler& b) {
  return guarded([&](Builder& out) { by_mode(a, {}, b, {}, false, out, compose); });
}

Outcome<TrackedLayout> complement(const TrackedLayout& l, const TrackedTuple& cotarget) {
  return guarded([&](Builder& out) { out.copy(complement_of(l, leaves(cotarget))); });
}

Outcome<TrackedLayout> logical_divide(const TrackedLayout& l, const TrackedTiler& t) {
  return guarded([&](Builder& result) {
    by_mode(l, {}, t, {}, true, result, [](const TrackedLayout& a, const TrackedLayout& tile, Builder& out) {
      require_integers(a);
      std::vector<Int> cotarget;
      for (const Mode& m : merged(flat(a), false).mode) cotarget.push_back(m.extent);
      Builder both;
      both.build.tuple(2);
      both.copy(tile);
      both.copy(complement_of(tile, cotarget));
      compose(a, both.out, out);
    });
  });
}

Outcome<TrackedLayout> right_inverse(const TrackedLayout& l) {
  return guarded([&](Builder& out) {
    require_integers(l);
    const Modes modes = merged(flat(l), false);
    std::vector<Int> extents;
    for (const Mode& m : modes.mode) extents.push_back(m.extent);
    const std::vector<Mode> places = compact(extents, kOne, false);
    Modes result;
    Int cursor = kOne;
    for (bool found = true; found;) {
      found = false;
      for (std::size_t i = 0; i < modes.mode.size() && !found; ++i) {
        const Mode& m = modes.mode[i];
        // A dynamic extent ends the chain, so that the cursor grows with every static mode found.
        if (!cursor.fixed || !m.stride.is(cursor.value) || m.extent.is(1)) continue;
        found = true;
        result.mode.push_back({m.extent, places[i].stride});
        cursor = multiply(cursor, m.extent);
      }
    }
    if (result.mode.empty()) result.mode.push_back({kOne, kZero});
    out.modes(merged(result, false));
  });
}

}  // namespace tessera::cute
