// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reading CuTe's notation, at run time and inside the compiler.
#pragma once

#include "tessera/algebra/tracked_layout.h"

namespace tessera {

/// A value, or the error, the byte where it was found, and what was expected there.
template <class T>
struct [[nodiscard]] Parsed {
  T value = {};
  AlgebraError error = {};
  Index position = 0;
  const char* expected = "";

  constexpr bool ok() const { return error.code == AlgebraCode::none; }
  constexpr explicit operator bool() const { return ok(); }
  constexpr const T& operator*() const { return value; }
  constexpr const T* operator->() const { return &value; }
};

/// One pass over a text by recursive descent. The first error stops it: every read returns at once after
/// that.
class CuteReader {
 public:
  constexpr CuteReader(const char* text, Index size) : text_(text), size_(size) {}

  constexpr bool failed() const { return error_.code != AlgebraCode::none; }
  constexpr Index position() const { return at_; }

  /// The next character that is no white space, 0 at the end and after an error.
  constexpr char peek() {
    for (; at_ < size_; ++at_) {
      const char c = text_[at_];
      if (c > ' ' || !is_space(c)) return c;
    }
    return '\0';
  }
  constexpr bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  constexpr void expect(char c, const char* expected) {
    if (!accept(c)) fail(AlgebraCode::syntax, expected);
  }
  constexpr void fail(AlgebraCode code, const char* expected, Index first = 0, Index second = 0) {
    fail_at(at_, refuse(code, first, second), expected);
  }
  constexpr void fail_at(Index position, const AlgebraError& error, const char* expected) {
    if (failed()) return;
    error_ = error;
    position_ = position;
    expected_ = expected;
    at_ = size_;  // nothing more is accepted
  }
  constexpr void end() {
    if (peek() != '\0' || at_ < size_) fail(AlgebraCode::syntax, "expected the end of the text");
  }
  template <class T>
  constexpr void finish(Parsed<T>& out) const {
    out.error = error_;
    out.position = position_;
    out.expected = expected_;
  }

  /// `[_] [-] digits`; `marked` says whether the `_` was there.
  constexpr Index integer(bool& marked, const char* expected) {
    const char first = peek();
    const Index start = at_;
    Index at = at_;  // locals: compilers evaluate them faster than members
    marked = first == '_';
    if (marked) ++at;
    const bool negative = at < size_ && text_[at] == '-';
    if (negative) ++at;
    const Index digits = at;
    Index value = 0;
    for (; at < size_; ++at) {
      const char c = text_[at];
      if (c < '0' || c > '9') break;
      const Index digit = c - '0';
      if (at - digits < 18) {
        value = value * 10 - digit;
      } else if (mul_overflows(value, 10, value) || sub_overflows(value, digit, value)) {
        fail_at(start, refuse(AlgebraCode::number_range), "a number of 64 bits");
        return 0;
      }
    }
    if (at == digits) {
      fail(AlgebraCode::syntax,
           first == '?' ? "a number: the value of a dynamic integer is needed here" : expected);
      return 0;
    }
    at_ = at;
    if (negative) return value;
    // Read as a negative number, because |kIndexMin| has no positive twin.
    if (value == kIndexMin) {
      fail_at(start, refuse(AlgebraCode::number_range), "a number of 64 bits");
      return 0;
    }
    return -value;
  }
  constexpr Index integer(const char* expected) {
    bool marked = false;
    return integer(marked, expected);
  }

  /// Nested integers. `read(builder)` reads one leaf.
  template <class Leaf>
  constexpr void nested(IntTupleBuilder& build, const char* what, const char* separator, Leaf&& leaf) {
    if (!accept('(')) {
      leaf();
      if (build.profile.full) full(build.profile);
      return;
    }
    const int node = build.tuple();
    full(build.profile);
    int rank = 0;
    do {
      nested(build, what, separator, leaf);
      ++rank;
    } while (accept(','));
    expect(')', separator);
    if (!failed()) build.profile.set_rank(node, rank);
  }
  constexpr void full(const ProfileBuilder& profile) {
    if (profile.full) fail_at(at_, profile.error(), "a text that fits");
  }

  constexpr void shape(TrackedTuple& out) {
    IntTupleBuilder build(out.tuple);
    nested(build, "a shape", "expected ',' or ')' in shape", [&] {
      const Index start = (peek(), at_);
      bool marked = false;
      const Index value = integer(marked, "expected an extent or '('");
      if (!failed() && value < 1)
        fail_at(start, refuse(AlgebraCode::bad_extent, value), "an extent of at least 1");
      if (marked && build.out.leaves() < kMaxLeaves) out.marks |= std::uint64_t{1} << build.out.leaves();
      build.leaf(value);
    });
  }

  constexpr void layout(TrackedLayout& out) {
    TrackedTuple extents;
    shape(extents);
    if (!failed()) finish_layout(extents, out);
  }

  /// The rest of a layout whose shape has been read; `out` is fresh.
  constexpr void finish_layout(const TrackedTuple& extents, TrackedLayout& out) {
    StridedLayout& l = out.layout;
    const IntTuple& s = extents.tuple;
    const int n = s.leaves();
    l.profile = s.profile;
    for (int i = 0; i < n; ++i) l.extent[i] = s.leaf[i];
    out.marks.extents = extents.marks;
    const Index colon = at_;
    if (!accept(':')) return compact(out, colon);
    peek();
    const Index start = at_;
    IntTuple strides;
    IntTupleBuilder build(strides);
    nested(build, "a stride", "expected ',' or ')' in stride", [&] {
      bool marked = false;
      const Index value = integer(marked, "expected a stride or '('");
      const int i = build.out.leaves();
      const BasisPath path = peek() == '@' ? basis_path() : 0;
      if (failed()) return;
      if (i < n) {
        l.stride[i] = value;
        if (marked) out.marks.strides |= std::uint64_t{1} << i;
        if (path != 0) l.path[i] = path;
      }
      build.leaf(value);
    });
    if (failed()) return;
    if (!congruent(strides, s)) {
      return fail_at(start, refuse(AlgebraCode::not_congruent, n, strides.leaves()),
                     "a stride nested like the shape");
    }
    const AlgebraError e = check_invariants(l);
    if (e.code != AlgebraCode::none) fail_at(start, e, reason_for(e.code));
  }

  /// `@1@0`, innermost first, as a path, outermost first.
  constexpr BasisPath basis_path() {
    Index index[kMaxPathLevels] = {};
    int levels = 0;
    while (accept('@')) {
      const Index component =
          peek() == '-' || peek() == '_' ? -1 : integer("expected the index of a component");
      if (failed()) return 0;
      if (component < 0) return fail(AlgebraCode::syntax, "expected the index of a component"), 0;
      if (component > kMaxPathIndex) {
        return fail(AlgebraCode::capacity, "a smaller index", component, kMaxPathIndex), 0;
      }
      if (levels == kMaxPathLevels)
        return fail(AlgebraCode::capacity, "fewer levels", levels + 1, kMaxPathLevels), 0;
      index[levels++] = component;
    }
    BasisPath path = 0;
    while (levels > 0) path = path_append(path, static_cast<int>(index[--levels]));
    return path;
  }

  constexpr void swizzle(Swizzle& out) {
    const Index start = (peek(), at_);
    expect('S', "expected 'Sw<'");
    if (!failed() && at_ < size_ && text_[at_] == 'w') ++at_;
    expect('<', "expected '<' of a swizzle");
    const Index bits = integer("expected the number of bits");
    expect(',', "expected ',' in swizzle");
    const Index base = integer("expected the base");
    expect(',', "expected ',' in swizzle");
    const Index shift = integer("expected the shift");
    expect('>', "expected '>' of a swizzle");
    if (failed()) return;
    const Outcome<Swizzle> s = make_swizzle(bits, base, shift);
    if (!s) return fail_at(start, s.error, "bits >= 0, base >= 0, |shift| >= bits, at most 62 together");
    out = *s;
  }

  /// A layout, a swizzle, or a chain joined by `o`.
  constexpr void expression(TrackedComposed& out) {
    ComposedLayout& c = out.layout;
    c.parts = 0;
    for (;;) {
      if (c.parts == ComposedLayout::kMaxParts) {
        return fail(AlgebraCode::capacity, "fewer parts", c.parts + 1, ComposedLayout::kMaxParts);
      }
      ComposedPart& p = c.part[c.parts];
      if (peek() == 'S') {
        p.kind = ComposedPart::Kind::swizzle;
        swizzle(p.swizzle);
      } else {
        p.kind = ComposedPart::Kind::layout;
        TrackedLayout l;
        layout(l);
        p.layout = l.layout;
        out.marks[c.parts] = l.marks;
      }
      ++c.parts;
      if (failed() || !accept('o')) return;
      // An offset is an integer that another 'o' follows; without one it is _0.
      const CuteReader before = *this;
      bool marked = false;
      const Index x = integer(marked, "");
      if (!failed() && accept('o')) {
        p.offset = x;
      } else {
        const bool range = error_.code == AlgebraCode::number_range;
        if (!range) *this = before;
        marked = true;
      }
      if (marked) out.static_offset |= static_cast<std::uint8_t>(1 << (c.parts - 1));
    }
  }

  constexpr void coordinate(TrackedCoord& out) {
    IntTupleBuilder build(out.coord.tuple);
    nested(build, "a coordinate", "expected ',' or ')' in coordinate", [&] {
      const int i = build.out.leaves();
      const std::uint64_t bit = i < kMaxLeaves ? std::uint64_t{1} << i : 0;
      peek();
      if (lone_underscore()) {
        ++at_;
        out.coord.holes |= bit;
        return build.leaf(0);
      }
      bool marked = false;
      const Index value = integer(marked, "expected a coordinate, '_' or '('");
      if (marked) out.marks |= bit;
      build.leaf(value);
    });
  }

  constexpr void tiler(TrackedTiler& out) {
    ProfileBuilder nesting(out.tiler.nesting);
    LayoutBuilder parts(out.tiler.parts);
    const int top = parts.tuple();
    tiler(out, nesting, parts);
    if (!failed()) parts.set_rank(top, nesting.out.leaves);
  }

  /// True when the next token is `_` alone.
  constexpr bool lone_underscore() {
    if (peek() != '_') return false;
    const char next = at_ + 1 < size_ ? text_[at_ + 1] : '\0';
    return !(is_digit(next) || (next == '-' && at_ + 2 < size_ && is_digit(text_[at_ + 2])));
  }
  /// True when some `_` of the text stands alone.
  constexpr bool has_hole() const {
    CuteReader scan = *this;
    for (; scan.at_ < size_; ++scan.at_) {
      if (text_[scan.at_] == '_' && scan.lone_underscore()) return true;
    }
    return false;
  }

 private:
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static constexpr const char* reason_for(AlgebraCode code) {
    return code == AlgebraCode::codomain_mismatch ? "strides that all count coordinates, or none"
                                                  : "a size and offsets of 63 bits";
  }

  /// Compact strides for a shape without any. With a mark somewhere, CuTe's tracking: the running product
  /// starts static, and only a static extent 1 gets stride 0.
  constexpr void compact(TrackedLayout& out, Index position) {
    StridedLayout& l = out.layout;
    const bool tracked = out.marks.extents != 0;
    Index product = 1;
    bool is_static = true;
    for (int i = 0; i < l.leaves(); ++i) {
      const bool mark = out.marks.extent(i);
      const bool unit = l.extent[i] == 1 && (mark || !tracked);
      l.stride[i] = unit ? 0 : product;
      if (tracked && (unit || is_static)) out.marks.strides |= std::uint64_t{1} << i;
      is_static = is_static && mark;
      if (!detail::multiply(product, l.extent[i])) {
        return fail_at(position, refuse(AlgebraCode::overflow, product, l.extent[i], i),
                       reason_for(AlgebraCode::overflow));
      }
    }
  }

  /// Reads one tiler; a shape without stride is by mode.
  constexpr void tiler(TrackedTiler& out, ProfileBuilder& nesting, LayoutBuilder& parts) {
    if (failed()) return;
    if (accept('<')) {
      const int node = nesting.tuple();
      full(nesting);
      int rank = 0;
      do {
        tiler(out, nesting, parts);
        ++rank;
      } while (accept(','));
      expect('>', "expected ',' or '>' in tiler");
      if (!failed()) nesting.set_rank(node, rank);
      return;
    }
    if (lone_underscore()) {
      ++at_;
      return terminal(out, nesting, parts, {}, Tiler::Kind::everything);
    }
    TrackedTuple extents;
    shape(extents);
    if (failed()) return;
    if (peek() == ':') {
      TrackedLayout l;
      finish_layout(extents, l);
      return terminal(out, nesting, parts, l, Tiler::Kind::layout);
    }
    const Profile& p = extents.tuple.profile;
    for (int node = 0, leaf = 0; node < p.nodes; ++node) {
      if (!p.is_leaf(node)) {
        nesting.tuple(p.rank(node));
        full(nesting);
        continue;
      }
      TrackedLayout l;
      l.layout = make_mode(extents.tuple.leaf[leaf], 1);
      l.marks.set(0, ((extents.marks >> leaf) & 1) != 0, false);
      terminal(out, nesting, parts, l, Tiler::Kind::integer);
      ++leaf;
    }
  }
  constexpr void terminal(TrackedTiler& out, ProfileBuilder& nesting, LayoutBuilder& parts,
                          const TrackedLayout& l, Tiler::Kind kind) {
    const int before = parts.out.leaves();
    const int i = nesting.leaf();
    parts.copy(l.layout);
    full(nesting);
    full(parts.profile);
    if (failed()) return;
    out.tiler.kind[i] = kind;
    for (int k = 0; k < l.layout.leaves(); ++k) {
      out.marks.set(before + k, l.marks.extent(k), l.marks.stride(k));
    }
  }

  const char* text_;
  Index size_;
  Index at_ = 0;
  AlgebraError error_ = {};
  Index position_ = 0;
  const char* expected_ = "";
};

namespace detail {
template <class T, class Read>
constexpr Parsed<T> read_whole(const char* text, Index size, Read&& read) {
  CuteReader reader(text, size);
  Parsed<T> out;
  read(reader, out.value);
  reader.end();
  reader.finish(out);
  return out;
}
}  // namespace detail

/// `(4,(2,3)):(6,(3,1))`; without strides compact from the left. Errors: syntax, number_range, bad_extent,
/// not_congruent, codomain_mismatch, overflow, capacity, each with the byte and what was expected.
constexpr Parsed<TrackedLayout> read_layout(const char* text, Index size) {
  return detail::read_whole<TrackedLayout>(text, size, [](CuteReader& r, TrackedLayout& v) { r.layout(v); });
}
/// `(3,(6,2),8)`, all at least 1.
constexpr Parsed<TrackedTuple> read_shape(const char* text, Index size) {
  return detail::read_whole<TrackedTuple>(text, size, [](CuteReader& r, TrackedTuple& v) { r.shape(v); });
}
/// `(2,(_,-1))`.
constexpr Parsed<TrackedCoord> read_coord(const char* text, Index size) {
  return detail::read_whole<TrackedCoord>(text, size,
                                          [](CuteReader& r, TrackedCoord& v) { r.coordinate(v); });
}
/// `<3:4,(2,4):(1,8)>`, `(3,8)` (by mode), `4`, `_`, or one layout.
constexpr Parsed<TrackedTiler> read_tiler(const char* text, Index size) {
  return detail::read_whole<TrackedTiler>(text, size, [](CuteReader& r, TrackedTiler& v) { r.tiler(v); });
}
/// `Sw<3,4,3>` or `S<3,4,3>`. Errors: syntax, number_range, bad_swizzle.
constexpr Parsed<Swizzle> read_swizzle(const char* text, Index size) {
  return detail::read_whole<Swizzle>(text, size, [](CuteReader& r, Swizzle& v) { r.swizzle(v); });
}
/// A layout, a swizzle, or `A o x o B`.
constexpr Parsed<TrackedComposed> read_expression(const char* text, Index size) {
  return detail::read_whole<TrackedComposed>(text, size,
                                             [](CuteReader& r, TrackedComposed& v) { r.expression(v); });
}

}  // namespace tessera
