// SPDX-License-Identifier: Apache-2.0
/// \file
/// The grammar of swizzles and of chains: `Sw<3,4,3> o _0 o (8,64):(64,1)`, and the tensors that CuTe prints.
#pragma once

#include "tessera/algebra/detail/parse_layout.h"
#include "tessera/algebra/detail/parse_pointer.h"

namespace tessera::grammar {

/// Whether `c` has room for one more part; if not, `in` fails with capacity.
constexpr bool has_room(CuteScanner& in, const ComposedLayout& c) {
  if (c.parts < ComposedLayout::kMaxParts) return !in.failed();
  in.fail(Code::capacity, "fewer parts", c.parts + 1, ComposedLayout::kMaxParts);
  return false;
}

/// `ArithTuple(0,0) o` before a layout: a tensor of coordinates whose origin is 0 is read as its layout.
constexpr void read_coordinate_origin(CuteScanner& in) {
  if (!in.word("ArithTuple", '(')) return;
  const Index start = in.position();
  do {
    if (in.integer("expected a number") != 0)
      in.fail_at(start, detail::refuse(Code::nonzero_offset), "a tensor of coordinates that starts at 0");
  } while (in.accept(','));
  in.expect(')', "expected ')'");
  in.expect('o', "expected 'o' and a layout");
}

/// A layout alone or in a printed tensor, which has a pointer or an origin before it.
constexpr void read_tensor(CuteScanner& in, TrackedLayout& out) {
  if (!CuteScanner::is_letter(in.peek())) return read_layout(in, out);
  const bool typed = in.word("tensor", '<');
  read_coordinate_origin(in);
  while (at_pointer(in)) {
    const Index start = in.position();
    Swizzle swizzled;
    if (read_typed_pointer(in, swizzled))
      return in.fail_at(start, detail::refuse(Code::syntax), "a layout without a swizzle");
    in.expect('o', "expected 'o' and the layout of the pointer");
  }
  read_layout(in, out);
  if (typed) in.expect('>', "expected '>' of the tensor");
}

/// One swizzle or layout.
constexpr void read_part(CuteScanner& in, TrackedComposed& out) {
  ComposedLayout& c = out.layout;
  ComposedPart& p = c.part[c.parts];
  if (CuteScanner::is_letter(in.peek()) && at_swizzle(in)) {
    p.kind = ComposedPart::Kind::swizzle;
    read_swizzle(in, p.swizzle);
    read_swizzled_pointer(in, p.swizzle);
  } else {
    p.kind = ComposedPart::Kind::layout;
    TrackedLayout l;
    read_layout(in, l);
    p.layout = l.layout;
    out.marks[c.parts] = l.marks;
  }
  ++c.parts;
}

/// `ComposedLayout<A,offset,B>` after its opening bracket; instead of an offset there may be the element
/// width of an unset pointer.
constexpr void read_spelled_chain(CuteScanner& in, TrackedComposed& out, char close) {
  ComposedLayout& c = out.layout;
  read_part(in, out);
  in.expect(',', "expected ',' and an offset");
  if (in.failed()) return;
  ComposedPart& outer = c.part[c.parts - 1];
  const Index start = in.start();
  bool marked = true;
  CutePointer unset;
  if (in.word("smem_ptr_flag_bits", '<')) {
    unset.bits = in.integer("expected the bits of an element");
    in.expect('>', "expected '>'");
    in.constructed();
  } else if (in.word("smem_ptr_flag", '\0')) {
    unset.bits = 1;
    in.constructed();
  } else {
    outer.offset = in.integer(marked, "expected an offset");
  }
  if (unset.bits != 0 && outer.kind == ComposedPart::Kind::swizzle)
    scale_to_elements(in, outer.swizzle, unset, start);
  if (marked) out.static_offset |= static_cast<std::uint8_t>(1 << (c.parts - 1));
  in.expect(',', "expected ',' and a layout");
  if (in.failed() || !has_room(in, c)) return;
  read_part(in, out);
  in.expect(close, "expected the end of the composed layout");
}

/// Parts joined by `o`.
constexpr void read_chain(CuteScanner& in, TrackedComposed& out) {
  ComposedLayout& c = out.layout;
  read_coordinate_origin(in);
  for (;;) {
    if (!has_room(in, c)) return;
    ComposedPart& p = c.part[c.parts];
    const bool spelled = CuteScanner::is_letter(in.peek());
    if (spelled && at_pointer(in)) {
      if (read_typed_pointer(in, p.swizzle)) {
        p.kind = ComposedPart::Kind::swizzle;
        out.static_offset |= static_cast<std::uint8_t>(1 << c.parts++);
      }
      in.expect('o', "expected 'o' and the layout of the pointer");
      if (in.failed()) return;
      continue;
    }
    if (spelled && in.word("ComposedLayout", '<')) {
      read_spelled_chain(in, out, '>');
      in.constructed();
    } else if (spelled && in.word("make_composed_layout", '(')) {
      read_spelled_chain(in, out, ')');
    } else {
      read_part(in, out);
    }
    if (in.failed() || !in.accept('o')) return;
    // An offset is an integer followed by another 'o'; the default is _0.
    ComposedPart& last = c.part[c.parts - 1];
    const CuteScanner before = in;
    bool marked = false;
    const Index x = in.integer(marked, "");
    if (!in.failed() && in.accept('o')) {
      last.offset = x;
    } else {
      if (in.error().code != Code::number_range) in = before;
      marked = true;
    }
    if (marked) out.static_offset |= static_cast<std::uint8_t>(1 << (c.parts - 1));
  }
}

/// A layout, a swizzle, or a chain joined by `o`; a printed tensor is read as the chain inside it.
constexpr void read_expression(CuteScanner& in, TrackedComposed& out) {
  out.layout.parts = 0;
  const bool typed = in.word("tensor", '<');
  read_chain(in, out);
  if (typed) in.expect('>', "expected '>' of the tensor");
}

}  // namespace tessera::grammar
