// SPDX-License-Identifier: Apache-2.0
/// \file
/// The grammar of coordinates and tilers: `(2,(_,-1))`, `<3:4,(2,4):(1,8)>`.
#pragma once

#include "tessera/algebra/detail/parse_layout.h"

namespace tessera::grammar {

constexpr void read_coordinate(CuteScanner& in, TrackedCoord& out) {
  IntTupleBuilder build(out.coord.tuple);
  read_nested(in, build, "expected ',' or ')' in coordinate", [&] {
    const int i = build.out.leaves();
    const std::uint64_t bit = i < kMaxLeaves ? std::uint64_t{1} << i : 0;
    if (in.lone_underscore()) {
      in.accept('_');
      out.coord.holes |= bit;
      return build.leaf(0);
    }
    bool marked = false;
    const Index value = in.integer(marked, "expected a coordinate, '_' or '('");
    if (marked) out.marks |= bit;
    build.leaf(value);
  });
}

/// Builds a tiler: the tree of its angle brackets, and the layouts at its terminals.
struct TilerBuilder {
  TrackedTiler& out;
  ProfileBuilder nesting;
  LayoutBuilder parts;

  constexpr explicit TilerBuilder(TrackedTiler& target)
      : out(target), nesting(target.tiler.nesting), parts(target.tiler.parts) {}

  constexpr void terminal(CuteScanner& in, const TrackedLayout& l, Tiler::Kind kind) {
    const int before = parts.out.leaves();
    const int i = nesting.leaf();
    parts.copy(l.layout);
    check_room(in, nesting);
    check_room(in, parts.profile);
    if (in.failed()) return;
    out.tiler.kind[i] = kind;
    for (int k = 0; k < l.layout.leaves(); ++k)
      out.marks.set(before + k, l.marks.extent(k), l.marks.stride(k));
  }
  /// A shape without strides tiles by mode: each extent n is a terminal n:1.
  constexpr void terminals(CuteScanner& in, const TrackedTuple& shape) {
    const Profile& p = shape.tuple.profile;
    for (int node = 0, leaf = 0; node < p.nodes; ++node) {
      if (!p.is_leaf(node)) {
        nesting.tuple(p.rank(node));
        check_room(in, nesting);
        continue;
      }
      TrackedLayout l;
      l.layout = make_mode(shape.tuple.leaf[leaf], 1);
      l.marks.set(0, ((shape.marks >> leaf) & 1) != 0, false);
      terminal(in, l, Tiler::Kind::integer);
      ++leaf;
    }
  }
};

constexpr void read_tiler(CuteScanner& in, TilerBuilder& build) {
  if (in.failed()) return;
  const bool called = in.word("make_tile", '(');
  if (called || in.word("Tile", '<') || in.accept('<')) {
    const int node = build.nesting.tuple();
    check_room(in, build.nesting);
    int rank = 0;
    do {
      read_tiler(in, build);
      ++rank;
    } while (in.accept(','));
    in.expect(called ? ')' : '>', "expected ',' or '>' in tiler");
    in.constructed();
    if (!in.failed()) build.nesting.set_rank(node, rank);
    return;
  }
  TrackedLayout l;
  if (CuteScanner::is_letter(in.peek()) && (in.at_word("Layout", '<') || in.at_word("make_layout", '('))) {
    read_layout(in, l);
    if (!in.failed()) build.terminal(in, l, Tiler::Kind::layout);
    return;
  }
  if (in.lone_underscore()) {
    in.accept('_');
    return build.terminal(in, l, Tiler::Kind::everything);
  }
  TrackedTuple shape;
  read_shape(in, shape);
  if (in.failed()) return;
  if (in.peek() != ':') return build.terminals(in, shape);
  finish_layout(in, shape, l);
  build.terminal(in, l, Tiler::Kind::layout);
}

constexpr void read_tiler(CuteScanner& in, TrackedTiler& out) {
  TilerBuilder build(out);
  const int top = build.parts.tuple();
  read_tiler(in, build);
  if (!in.failed()) build.parts.set_rank(top, build.nesting.out.leaves);
}

}  // namespace tessera::grammar
