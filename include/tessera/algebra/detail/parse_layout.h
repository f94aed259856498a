// SPDX-License-Identifier: Apache-2.0
/// \file
/// The grammar of tuples and layouts: `(4,(2,3)):(6,(3,1))`, and the C++ spellings of both.
#pragma once

#include "tessera/algebra/detail/cute_scanner.h"
#include "tessera/algebra/detail/tracked_layout.h"

namespace tessera::grammar {

/// Fails if the value has more leaves or brackets than fit.
constexpr void check_room(CuteScanner& in, const ProfileBuilder& profile) {
  if (profile.full) in.fail_at(in.position(), profile.error(), "a text with fewer leaves or brackets");
}

/// The requirement that a layout with this error violates, as a noun to follow "expected".
constexpr const char* requirement(Code code) {
  switch (code) {
    case Code::not_congruent:
      return "a stride nested like the shape";
    case Code::codomain_mismatch:
      return "strides that all count coordinates, or none";
    default:
      return "a size and offsets of 63 bits";
  }
}

/// Accepts the opening of a tuple, such as `(`, `make_shape(` or `Shape<`, and returns the bracket that
/// closes it, or 0 if there is none.
constexpr char open_tuple(CuteScanner& in) {
  if (in.accept('(')) return ')';
  if (!CuteScanner::is_letter(in.peek())) return '\0';
  for (const char* name : {"make_shape", "make_stride", "make_coord", "make_tuple", "make_step"}) {
    if (in.word(name, '(')) return ')';
  }
  for (const char* name : {"Shape", "Stride", "Coord", "Step", "tuple"}) {
    if (in.word(name, '<')) return '>';
  }
  return '\0';
}

/// Nested integers; `leaf()` reads one.
template <class Leaf>
constexpr void read_nested(CuteScanner& in, IntTupleBuilder& build, const char* separator, Leaf&& leaf) {
  const char close = open_tuple(in);
  if (close == '\0') {
    leaf();
    return check_room(in, build.profile);
  }
  const int node = build.tuple();
  check_room(in, build.profile);
  int rank = 0;
  do {
    read_nested(in, build, separator, leaf);
    ++rank;
  } while (in.accept(','));
  in.expect(close, separator);
  if (close == '>') in.constructed();
  if (!in.failed()) build.profile.set_rank(node, rank);
}

constexpr void read_shape(CuteScanner& in, TrackedTuple& out) {
  IntTupleBuilder build(out.tuple);
  read_nested(in, build, "expected ',' or ')' in shape", [&] {
    const Index start = in.start();
    bool marked = false;
    const Index value = in.integer(marked, "expected an extent or '('");
    if (!in.failed() && value < 1)
      in.fail_at(start, detail::refuse(Code::bad_extent, value), "an extent of at least 1");
    if (marked && build.out.leaves() < kMaxLeaves) out.marks |= std::uint64_t{1} << build.out.leaves();
    build.leaf(value);
  });
}

/// `@1@0`, innermost first, as a path, outermost first.
constexpr BasisPath read_basis_path(CuteScanner& in) {
  Index index[kMaxPathLevels] = {};
  int levels = 0;
  while (in.accept('@')) {
    const Index start = in.start();
    const bool plain = in.peek() != '-' && in.peek() != '_';
    const Index component = plain ? in.integer("expected the index of a component") : -1;
    if (in.failed()) return 0;
    if (component < 0) return in.fail(Code::syntax, "expected the index of a component"), 0;
    if (component > kMaxPathIndex) {
      return in.fail_at(start, detail::refuse(Code::capacity, component, kMaxPathIndex), "a smaller index"),
             0;
    }
    if (levels == kMaxPathLevels) {
      return in.fail_at(start, detail::refuse(Code::capacity, levels + 1, kMaxPathLevels), "fewer levels"), 0;
    }
    index[levels++] = component;
  }
  BasisPath path = 0;
  while (levels > 0) path = path_append(path, static_cast<int>(index[--levels]));
  return path;
}

/// One stride: `[_] int { @ digits }`.
struct StrideLeaf {
  Index value = 0;
  bool marked = false;
  BasisPath path = 0;
};
constexpr StrideLeaf read_stride_leaf(CuteScanner& in, const char* expected) {
  StrideLeaf out;
  out.value = in.integer(out.marked, expected);
  if (in.peek() == '@') out.path = read_basis_path(in);
  return out;
}

/// The strides of a layout whose shape has been read.
constexpr void read_strides(CuteScanner& in, const TrackedTuple& shape, TrackedLayout& out) {
  const Index start = in.start();
  TrackedTuple stride;
  BasisPath path[kMaxLeaves] = {};
  IntTupleBuilder build(stride.tuple);
  read_nested(in, build, "expected ',' or ')' in stride", [&] {
    const StrideLeaf leaf = read_stride_leaf(in, "expected a stride or '('");
    const int i = build.out.leaves();
    if (in.failed()) return;
    if (i < kMaxLeaves) {
      path[i] = leaf.path;
      if (leaf.marked) stride.marks |= std::uint64_t{1} << i;
    }
    build.leaf(leaf.value);
  });
  if (in.failed()) return;
  const detail::Outcome<TrackedLayout> made = detail::make_tracked(shape, stride, path);
  if (made) {
    out = *made;
  } else {
    in.fail_at(start, made.error, requirement(made.error.code));
  }
}

/// The compact layout of a shape that ends at byte `end`.
constexpr void compact(CuteScanner& in, const TrackedTuple& shape, Index end, Order order,
                       TrackedLayout& out) {
  const detail::Outcome<TrackedLayout> made = detail::make_compact(shape, order);
  if (made) {
    out = *made;
  } else {
    in.fail_at(end, made.error, requirement(made.error.code));
  }
}

/// The rest of a layout whose shape has been read: `:` and strides, or nothing.
constexpr void finish_layout(CuteScanner& in, const TrackedTuple& shape, TrackedLayout& out) {
  const Index end = in.position();
  if (in.accept(':')) {
    read_strides(in, shape, out);
  } else {
    compact(in, shape, end, Order::left, out);
  }
}

constexpr void read_spelled_layout(CuteScanner& in, TrackedLayout& out, char close);

constexpr void read_layout(CuteScanner& in, TrackedLayout& out) {
  if (in.word("Layout", '<')) {
    read_spelled_layout(in, out, '>');
    return in.constructed();
  }
  if (in.word("make_layout", '(')) return read_spelled_layout(in, out, ')');
  TrackedTuple shape;
  read_shape(in, shape);
  if (!in.failed()) finish_layout(in, shape, out);
}

/// Several layouts, each a mode of `out`.
constexpr void read_modes(CuteScanner& in, TrackedLayout& out, char close) {
  LayoutBuilder build(out.layout);
  const int node = build.tuple();
  int rank = 0;
  do {
    TrackedLayout mode;
    read_layout(in, mode);
    const int before = out.layout.leaves();
    build.copy(mode.layout);
    check_room(in, build.profile);
    if (in.failed()) return;
    for (int i = 0; i < mode.layout.leaves(); ++i)
      out.marks.set(before + i, mode.marks.extent(i), mode.marks.stride(i));
    ++rank;
  } while (in.accept(','));
  in.expect(close, "expected ',' or the end of the layouts");
  if (in.failed()) return;
  build.set_rank(node, rank);
  const detail::AlgebraError e = detail::check_invariants(out.layout);
  if (e.failed) in.fail_at(in.position(), e, requirement(e.code));
}

/// `make_layout(` or `Layout<` to its end: a shape, and strides or an order; or several layouts, each a mode.
constexpr void read_spelled_layout(CuteScanner& in, TrackedLayout& out, char close) {
  if (in.at_word("make_layout", '(') || in.at_word("Layout", '<')) return read_modes(in, out, close);
  const CuteScanner before = in;
  TrackedTuple shape;
  read_shape(in, shape);
  if (in.peek() == ':') {
    in = before;
    return read_modes(in, out, close);
  }
  if (in.failed()) return;
  const Index end = in.position();
  if (!in.accept(',')) {
    compact(in, shape, end, Order::left, out);
  } else if (in.word("LayoutRight", '\0') || in.word("GenRowMajor", '\0')) {
    in.constructed();
    compact(in, shape, end, Order::right, out);
  } else if (in.word("LayoutLeft", '\0') || in.word("GenColMajor", '\0')) {
    in.constructed();
    compact(in, shape, end, Order::left, out);
  } else {
    in.word("stride", '=');
    read_strides(in, shape, out);
  }
  in.expect(close, "expected the end of the layout");
}

}  // namespace tessera::grammar
