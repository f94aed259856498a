// SPDX-License-Identifier: Apache-2.0
// Layouts as CuTe C++ computes with them: modes of integers, each known at compile time or not.
#pragma once

#include <algorithm>
#include <vector>

#include "tessera/algebra/detail/coalesce.h"
#include "tessera/algebra/detail/tracked_layout.h"

namespace tessera::cute {

/// An integer and whether it is a compile-time constant.
struct Int {
  Index value = 0;
  bool fixed = true;

  bool is(Index constant) const { return fixed && value == constant; }
};
inline constexpr Int kOne = {1, true};
inline constexpr Int kZero = {0, true};

/// The magnitude of -2^63 does not fit: kIndexMax. Only a number that has overflowed is -2^63.
inline Int magnitude(Int a) {
  return {a.value == kIndexMin ? kIndexMax : detail::magnitude(a.value), a.fixed};
}
inline Int smaller(Int a, Int b) { return {std::min(a.value, b.value), a.fixed && b.fixed}; }

struct Mode {
  Int extent;
  Int stride;
};
/// A flat list of modes; `tuple` distinguishes `(4):(1)` from `4:1`.
struct Modes {
  std::vector<Mode> mode;
  bool tuple = false;
};

inline Modes flat(const TrackedLayout& l) {
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
  detail::Outcome<TrackedLayout> finish() const {
    const detail::AlgebraError e = build.profile.error();
    if (e.failed) return e;
    return out;
  }
};

inline TrackedLayout part(const TrackedLayout& l, Cursor at) {
  Builder b;
  b.copy(l, at);
  return b.out;
}

/// Terminal `i` of a tiler; an integer n is n:_1.
inline TrackedLayout terminal(const TrackedTiler& t, int i) {
  TrackedLayout l = part({t.tiler.parts, t.marks}, mode_at(t.tiler.parts.profile, i));
  if (t.tiler.kind[i] == Tiler::Kind::integer) l.marks.set(0, l.marks.extent(0), true);
  return l;
}

inline std::vector<Int> leaves(const TrackedTuple& t) {
  std::vector<Int> out;
  for (int i = 0; i < t.tuple.leaves(); ++i) out.push_back({t.tuple.leaf[i], ((t.marks >> i) & 1) != 0});
  return out;
}

inline detail::Outcome<TrackedLayout> shaped(const Profile& profile, const std::vector<Mode>& modes) {
  TrackedLayout l;
  l.layout.profile = profile;
  l.layout.extent[0] = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    l.layout.extent[i] = modes[i].extent.value;
    l.layout.stride[i] = modes[i].stride.value;
    l.marks.set(static_cast<int>(i), modes[i].extent.fixed, modes[i].stride.fixed);
  }
  const detail::AlgebraError e = detail::check_invariants(l.layout);
  if (e.failed) return e;
  return l;
}

}  // namespace tessera::cute
