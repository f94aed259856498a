// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes values character by character into any sink with `put(char)`; usable in constant expressions.
#pragma once

#include "tessera/algebra/detail/tracked_layout.h"

namespace tessera {

namespace detail {

/// A sink that only counts the characters.
struct CountSink {
  int size = 0;
  constexpr void put(char) { ++size; }
};

template <class Sink>
constexpr void put_text(Sink& sink, const char* text) {
  for (; *text != '\0'; ++text) sink.put(*text);
}

template <class Sink>
constexpr void put_number(Sink& sink, Index value) {
  char digits[20] = {};
  int n = 0;
  std::uint64_t rest = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  do {
    digits[n++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (value < 0) sink.put('-');
  while (n > 0) sink.put(digits[--n]);
}

/// Writes the brackets and commas, and calls `leaf(i)` for each leaf.
template <class Sink, class Leaf>
constexpr Cursor put_nested(Sink& sink, const Profile& p, Cursor at, char open, char close, Leaf&& leaf) {
  if (p.is_leaf(at.node)) {
    leaf(at.leaf);
    return {at.node + 1, at.leaf + 1};
  }
  sink.put(open);
  const int rank = p.rank(at.node);
  at = {at.node + 1, at.leaf};
  for (int i = 0; i < rank; ++i) {
    if (i > 0) sink.put(',');
    at = put_nested(sink, p, at, open, close, leaf);
  }
  sink.put(close);
  return at;
}

template <class Sink>
constexpr void put_extents(Sink& sink, const StridedLayout& l, const Marks& marks, Cursor at) {
  put_nested(sink, l.profile, at, '(', ')', [&](int i) {
    if (marks.extent(i)) sink.put('_');
    put_number(sink, l.extent[i]);
  });
}

template <class Sink>
constexpr void put_layout(Sink& sink, const StridedLayout& l, const Marks& marks, Cursor at) {
  put_extents(sink, l, marks, at);
  sink.put(':');
  put_nested(sink, l.profile, at, '(', ')', [&](int i) {
    if (marks.stride(i)) sink.put('_');
    put_number(sink, l.stride[i]);
    for (int level = path_levels(l.path[i]) - 1; level >= 0; --level) {
      sink.put('@');
      put_number(sink, path_index(l.path[i], level));
    }
  });
}

}  // namespace detail

/// Writes the canonical text of a value: no spaces, `shape:stride`, `Sw<3,4,3> o _0 o …`, by-mode tilers in
/// `<…>`.
template <class Sink>
constexpr void format_to(Sink& sink, const IntTuple& t, std::uint64_t marks = 0) {
  detail::put_nested(sink, t.profile, {}, '(', ')', [&](int i) {
    if (((marks >> i) & 1) != 0) sink.put('_');
    detail::put_number(sink, t.leaf[i]);
  });
}
template <class Sink>
constexpr void format_to(Sink& sink, const Coord& c, std::uint64_t marks = 0) {
  detail::put_nested(sink, c.tuple.profile, {}, '(', ')', [&](int i) {
    if (((marks >> i) & 1) != 0 || c.is_hole(i)) sink.put('_');
    if (!c.is_hole(i)) detail::put_number(sink, c.tuple.leaf[i]);
  });
}
template <class Sink>
constexpr void format_to(Sink& sink, const StridedLayout& l, const Marks& marks = {}) {
  detail::put_layout(sink, l, marks, {});
}
template <class Sink>
constexpr void format_to(Sink& sink, const Swizzle& s) {
  detail::put_text(sink, "Sw<");
  detail::put_number(sink, s.bits);
  sink.put(',');
  detail::put_number(sink, s.base);
  sink.put(',');
  detail::put_number(sink, s.shift);
  sink.put('>');
}
template <class Sink>
constexpr void format_to(Sink& sink, const TrackedComposed& t) {
  const ComposedLayout& c = t.layout;
  for (int i = 0; i < c.parts; ++i) {
    if (i > 0) {
      detail::put_text(sink, " o ");
      if (((t.static_offset >> (i - 1)) & 1) != 0) sink.put('_');
      detail::put_number(sink, c.part[i - 1].offset);
      detail::put_text(sink, " o ");
    }
    if (c.part[i].kind == ComposedPart::Kind::swizzle) {
      format_to(sink, c.part[i].swizzle);
    } else {
      format_to(sink, c.part[i].layout, t.marks[i]);
    }
  }
}
/// Writes a chain; its offsets are static, so they are written `_N`.
template <class Sink>
constexpr void format_to(Sink& sink, const ComposedLayout& c) {
  TrackedComposed t;
  t.layout = c;
  t.static_offset = 0xff;
  format_to(sink, t);
}
template <class Sink>
constexpr void format_to(Sink& sink, const Tiler& t, const Marks& marks = {}) {
  Cursor part = first_mode(t.parts.profile);
  detail::put_nested(sink, t.nesting, {}, '<', '>', [&](int i) {
    if (t.kind[i] == Tiler::Kind::everything) {
      sink.put('_');
    } else if (t.kind[i] == Tiler::Kind::integer) {
      detail::put_extents(sink, t.parts, marks, part);
    } else {
      detail::put_layout(sink, t.parts, marks, part);
    }
    part = after(t.parts.profile, part);
  });
}
template <class Sink>
constexpr void format_to(Sink& sink, const TrackedLayout& l) {
  format_to(sink, l.layout, l.marks);
}
template <class Sink>
constexpr void format_to(Sink& sink, const TrackedTuple& t) {
  format_to(sink, t.tuple, t.marks);
}
template <class Sink>
constexpr void format_to(Sink& sink, const TrackedCoord& c) {
  format_to(sink, c.coord, c.marks);
}
template <class Sink>
constexpr void format_to(Sink& sink, const TrackedTiler& t) {
  format_to(sink, t.tiler, t.marks);
}

}  // namespace tessera
