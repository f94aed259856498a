// SPDX-License-Identifier: Apache-2.0
#include "algebra/cute_emulation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algebra/cute_modes.h"

namespace tessera::cute {
namespace {

/// The state of one emulated call. Keeps the first error; later results are dropped at the end, so after an
/// error every helper returns an arbitrary value and continues.
class Emulator {
 public:
  void record(const detail::AlgebraError& refusal) {
    if (!failed()) error_ = refusal;
  }
  bool failed() const { return error_.failed; }
  detail::Outcome<TrackedLayout> finish(const detail::Outcome<TrackedLayout>& result) const {
    if (failed()) return error_;
    return result;
  }

  Int multiply(Int a, Int b) {
    if (a.is(0) || b.is(0)) return kZero;
    Int r = {a.value, a.fixed && b.fixed};
    if (!detail::multiply(r.value, b.value))
      return record(detail::refuse(Code::overflow, a.value, b.value)), kOne;
    return r;
  }
  Int divide_up(Int a, Int b) {
    if (a.is(0)) return kZero;
    if (b.value == 0) return record(detail::refuse(Code::div_by_zero)), kOne;
    return {ceil_div(a.value, b.value), a.fixed && b.fixed};
  }
  Int divide_down(Int a, Int b) {
    if (a.is(0)) return kZero;
    if (b.value == 0) return record(detail::refuse(Code::div_by_zero)), kOne;
    return {a.value / b.value, a.fixed && b.fixed};
  }
  void require_integers(const TrackedLayout& l) {
    if (l.layout.has_basis()) record(detail::refuse(Code::unsupported_codomain));
  }

  /// CuTe's coalesce, which scans from the right. `last_unbounded` counts a trailing static extent 1 as 2, as
  /// CuTe's composition does.
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

  /// Composes one leaf of B with the modes of A.
  Modes compose_leaf(const Modes& a, Mode b) {
    if (b.stride.is(0)) return {{b}, false};
    if (a.mode.size() == 1) return {{{b.extent, multiply(b.stride, a.mode[0].stride)}}, false};
    Modes out;
    Int n = b.extent;
    Int d = b.stride;
    for (std::size_t i = 0; i + 1 < a.mode.size(); ++i) {
      const Int s = a.mode[i].extent;
      if (s.fixed && d.fixed && d.value % s.value != 0 && d.value >= s.value) {
        record(detail::refuse(Code::stride_divisibility, d.value, s.value, static_cast<int>(i)));
      }
      const Int count = divide_up(s, magnitude(d));
      Int next = divide_up(magnitude(d), s);
      if (d.value < 0) next.value = -next.value;
      if (count.is(1) || n.is(1)) {
        d = next;
        continue;
      }
      const Int m = smaller(count, n);
      // After an error, an extent may be 0.
      if (m.fixed && n.fixed && m.value != 0 && n.value % m.value != 0) {
        record(detail::refuse(Code::shape_divisibility, n.value, m.value, static_cast<int>(i)));
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
    if (named > rank) return record(detail::refuse(Code::rank_mismatch, named, rank));
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
        record(detail::refuse(Code::dynamic_stride));
      }
      // Insertion sort, because it is stable and libstdc++'s std::stable_sort causes a warning in clang.
      for (std::size_t i = 1; i < f.mode.size(); ++i) {
        for (std::size_t k = i; k > 0 && f.mode[k].stride.value < f.mode[k - 1].stride.value; --k) {
          std::swap(f.mode[k], f.mode[k - 1]);
        }
      }
      for (std::size_t i = 0; i < f.mode.size(); ++i) {
        const Mode& m = f.mode[i];
        const Int hole = divide_down(m.stride, cursor);
        if (hole.is(0)) {
          record(detail::refuse(Code::non_injective, m.stride.value, cursor.value, static_cast<int>(i)));
        }
        result.mode.push_back({hole, cursor});
        cursor = multiply(m.stride, m.extent);
      }
    }
    // The rest of each extent of the cotarget (the whole extent if every stride is a static 0). Neighbors
    // that are both static or both dynamic are multiplied.
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
    return layout_of(out);
  }

  /// The layout of a builder. Records that it does not fit; it then has an extent of 1.
  TrackedLayout layout_of(const Builder& builder) {
    const detail::Outcome<TrackedLayout> layout = builder.finish();
    if (!layout) record(layout.error);
    return layout ? *layout : TrackedLayout{};
  }

  /// The strides of parts in a given order: a part comes after all parts of smaller order.
  void ordered(const std::vector<Int>& extents, const std::vector<int>& begin, const std::vector<Int>& order,
               std::vector<Mode>& out) {
    Index largest = kIndexMin;
    for (const Int x : order) {
      if (x.fixed) largest = std::max(largest, x.value);
    }
    // Dynamic orders come after all static ones, by position.
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

 private:
  detail::AlgebraError error_ = {};
};

/// The layout that `write(emulator, builder)` writes, or the error that it records.
template <class Write>
detail::Outcome<TrackedLayout> emulated(Write&& write) {
  Emulator emulator;
  Builder out;
  write(emulator, out);
  return emulator.finish(out.finish());
}

}  // namespace

detail::Outcome<TrackedLayout> make_layout(const TrackedTuple& shape, Order order) {
  Emulator emulator;
  const std::vector<Mode> modes = emulator.compact(leaves(shape), kOne, order == Order::right);
  return emulator.finish(shaped(shape.tuple.profile, modes));
}

detail::Outcome<TrackedLayout> make_ordered_layout(const TrackedTuple& shape, const TrackedTuple& order) {
  if (!weakly_congruent(order.tuple, shape.tuple)) {
    return detail::refuse(Code::rank_mismatch, order.tuple.rank(), shape.tuple.rank());
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
  Emulator emulator;
  std::vector<Mode> modes;
  emulator.ordered(leaves(shape), begin, leaves(order), modes);
  return emulator.finish(shaped(shape.tuple.profile, modes));
}

detail::Outcome<TrackedLayout> make_layout_like(const TrackedLayout& l) {
  if (l.layout.has_basis()) return detail::refuse(Code::unsupported_codomain);
  std::vector<Int> extents;
  std::vector<Int> order;
  std::vector<int> begin;
  for (const Mode& m : flat(l).mode) {
    begin.push_back(static_cast<int>(extents.size()));
    extents.push_back(m.stride.is(0) ? kOne : m.extent);
    order.push_back(m.stride);
  }
  begin.push_back(static_cast<int>(extents.size()));
  Emulator emulator;
  std::vector<Mode> modes;
  emulator.ordered(extents, begin, order, modes);
  const Modes original = flat(l);
  for (std::size_t i = 0; i < modes.size(); ++i) modes[i].extent = original.mode[i].extent;
  return emulator.finish(shaped(l.layout.profile, modes));
}

detail::Outcome<TrackedLayout> coalesce(const TrackedLayout& l) {
  return emulated([&](Emulator& e, Builder& out) {
    e.require_integers(l);
    out.modes(e.merged(flat(l), false));
  });
}

detail::Outcome<TrackedLayout> composition(const TrackedLayout& a, const TrackedTiler& b) {
  return emulated([&](Emulator& e, Builder& out) {
    e.by_mode(a, {}, b, {}, false, out,
              [&](const TrackedLayout& part, const TrackedLayout& tile, Builder& to) {
                e.compose(part, tile, to);
              });
  });
}

detail::Outcome<TrackedLayout> complement(const TrackedLayout& l, const TrackedTuple& cotarget) {
  return emulated([&](Emulator& e, Builder& out) { out.copy(e.complement_of(l, leaves(cotarget))); });
}

detail::Outcome<TrackedLayout> logical_divide(const TrackedLayout& l, const TrackedTiler& t) {
  return emulated([&](Emulator& e, Builder& out) {
    e.by_mode(l, {}, t, {}, true, out,
              [&](const TrackedLayout& part, const TrackedLayout& tile, Builder& to) {
                e.require_integers(part);
                std::vector<Int> cotarget;
                for (const Mode& m : e.merged(flat(part), false).mode) cotarget.push_back(m.extent);
                Builder both;
                both.build.tuple(2);
                both.copy(tile);
                both.copy(e.complement_of(tile, cotarget));
                e.compose(part, e.layout_of(both), to);
              });
  });
}

detail::Outcome<TrackedLayout> right_inverse(const TrackedLayout& l) {
  return emulated([&](Emulator& e, Builder& out) {
    e.require_integers(l);
    const Modes modes = e.merged(flat(l), false);
    std::vector<Int> extents;
    for (const Mode& m : modes.mode) extents.push_back(m.extent);
    const std::vector<Mode> places = e.compact(extents, kOne, false);
    Modes result;
    Int cursor = kOne;
    for (bool found = true; found;) {
      found = false;
      for (std::size_t i = 0; i < modes.mode.size() && !found && !e.failed(); ++i) {
        const Mode& m = modes.mode[i];
        // A dynamic extent ends the chain, so that the cursor grows with every static mode found.
        if (!cursor.fixed || !m.stride.is(cursor.value) || m.extent.is(1)) continue;
        found = true;
        result.mode.push_back({m.extent, places[i].stride});
        cursor = e.multiply(cursor, m.extent);
      }
    }
    if (result.mode.empty()) result.mode.push_back({kOne, kZero});
    out.modes(e.merged(result, false));
  });
}

}  // namespace tessera::cute
