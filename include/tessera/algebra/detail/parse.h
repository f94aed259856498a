// SPDX-License-Identifier: Apache-2.0
/// \file
/// The grammar of CuTe's notation, for run time and for the compiler: the normal form, and what CuTe C++ and
/// its Python DSL print or write for the same values (docs/lookup/cute.md).
#pragma once

#include "tessera/algebra/detail/tracked_layout.h"

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

/// One pass over a text by recursive descent. The first error stops it: every later read returns at once.
class CuteReader {
 public:
  constexpr CuteReader(const char* text, Index size) : text_(text), size_(size) {}

  constexpr bool failed() const { return error_.code != AlgebraCode::none; }
  constexpr Index position() const { return at_; }

  /// The next character that is not white space; 0 at the end and after an error.
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
    at_ = size_;  // accepts nothing more
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
      if (is_letter(first)) return constant(marked, expected);
      fail(AlgebraCode::syntax, first == '?' ? kReplaceUnknown : expected);
      return 0;
    }
    at_ = at;
    if (at < size_ && text_[at] == '{') constructed();  // `_4{}`
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

  /// `Int<4>{}`, `C<4>`: a constant of C++.
  constexpr Index constant(bool& marked, const char* expected) {
    if (!word("Int", '<') && !word("C", '<')) {
      fail(AlgebraCode::syntax, expected);
      return 0;
    }
    const Index value = integer("expected a number");
    expect('>', "expected '>' of a constant");
    constructed();
    marked = true;
    return value;
  }

  /// Takes `name`, with or without `cute::`, and the bracket after it; a bracket of 0 means none.
  constexpr bool word(const char* name, char bracket) {
    if (!is_letter(peek())) return false;
    Index at = at_;
    for (const char* scope = "cute::"; *scope != '\0' && at < size_ && text_[at] == *scope; ++scope) ++at;
    if (at - at_ != 6) at = at_;
    for (; *name != '\0'; ++name, ++at) {
      if (at >= size_ || text_[at] != *name) return false;
    }
    if (at < size_ && is_word(text_[at])) return false;
    while (bracket != '\0' && at < size_ && is_space(text_[at])) ++at;
    if (bracket != '\0' && (at >= size_ || text_[at++] != bracket)) return false;
    at_ = at;
    return true;
  }
  /// Whether word() would take it.
  constexpr bool at_word(const char* name, char bracket) const {
    CuteReader look = *this;
    return look.word(name, bracket);
  }
  /// The `{}` or `()` that makes a value of a type.
  constexpr void constructed() {
    if (accept('{')) {
      expect('}', "expected '}'");
    } else if (at_ + 1 < size_ && text_[at_] == '(' && text_[at_ + 1] == ')') {
      at_ += 2;
    }
  }

  /// Takes the opening of a tuple, `(`, `make_shape(` or `Shape<`, and returns what closes it; 0 if none.
  constexpr char open_tuple() {
    if (accept('(')) return ')';
    if (!is_letter(peek())) return '\0';
    for (const char* name : {"make_shape", "make_stride", "make_coord", "make_tuple", "make_step"}) {
      if (word(name, '(')) return ')';
    }
    for (const char* name : {"Shape", "Stride", "Coord", "Step", "tuple"}) {
      if (word(name, '<')) return '>';
    }
    return '\0';
  }

  /// Nested integers; `leaf()` reads one.
  template <class Leaf>
  constexpr void nested(IntTupleBuilder& build, const char* separator, Leaf&& leaf) {
    const char close = open_tuple();
    if (close == '\0') {
      leaf();
      if (build.profile.full) full(build.profile);
      return;
    }
    const int node = build.tuple();
    full(build.profile);
    int rank = 0;
    do {
      nested(build, separator, leaf);
      ++rank;
    } while (accept(','));
    expect(close, separator);
    if (close == '>') constructed();
    if (!failed()) build.profile.set_rank(node, rank);
  }
  constexpr void full(const ProfileBuilder& profile) {
    if (profile.full) fail_at(at_, profile.error(), "a text that fits");
  }

  constexpr void shape(TrackedTuple& out) {
    IntTupleBuilder build(out.tuple);
    nested(build, "expected ',' or ')' in shape", [&] {
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
    if (word("Layout", '<')) {
      spelled_layout(out, '>');
      return constructed();
    }
    if (word("make_layout", '(')) return spelled_layout(out, ')');
    TrackedTuple extents;
    shape(extents);
    if (!failed()) finish_layout(extents, out);
  }

  /// The rest of a layout whose shape has been read; `out` is fresh.
  constexpr void finish_layout(const TrackedTuple& extents, TrackedLayout& out) {
    set_shape(extents, out);
    const Index colon = at_;
    if (!accept(':')) return compact(out, colon, Order::left);
    strides(extents, out);
  }

  /// The strides of a layout whose shape is set.
  constexpr void strides(const TrackedTuple& extents, TrackedLayout& out) {
    StridedLayout& l = out.layout;
    const int n = extents.tuple.leaves();
    peek();
    const Index start = at_;
    IntTuple read;
    IntTupleBuilder build(read);
    nested(build, "expected ',' or ')' in stride", [&] {
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
    if (!congruent(read, extents.tuple)) {
      return fail_at(start, refuse(AlgebraCode::not_congruent, n, read.leaves()),
                     "a stride nested like the shape");
    }
    const AlgebraError e = check_invariants(l);
    if (e.code != AlgebraCode::none) fail_at(start, e, reason_for(e.code));
  }

  /// `make_layout(` or `Layout<` to its end: a shape, and strides or an order; or several layouts, each a
  /// mode.
  constexpr void spelled_layout(TrackedLayout& out, char close) {
    if (at_word("make_layout", '(') || at_word("Layout", '<')) return concatenation(out, close);
    const CuteReader before = *this;
    TrackedTuple extents;
    shape(extents);
    if (peek() == ':') {
      *this = before;
      return concatenation(out, close);
    }
    if (failed()) return;
    set_shape(extents, out);
    const Index start = at_;
    if (!accept(',')) {
      compact(out, start, Order::left);
    } else if (word("LayoutRight", '\0') || word("GenRowMajor", '\0')) {
      constructed();
      compact(out, start, Order::right);
    } else if (word("LayoutLeft", '\0') || word("GenColMajor", '\0')) {
      constructed();
      compact(out, start, Order::left);
    } else {
      if (at_word("stride", '=')) word("stride", '=');
      strides(extents, out);
    }
    expect(close, "expected the end of the layout");
  }
  constexpr void concatenation(TrackedLayout& out, char close) {
    LayoutBuilder build(out.layout);
    const int node = build.tuple();
    int rank = 0;
    do {
      TrackedLayout mode;
      layout(mode);
      const int before = out.layout.leaves();
      build.copy(mode.layout);
      full(build.profile);
      if (failed()) return;
      for (int i = 0; i < mode.layout.leaves(); ++i)
        out.marks.set(before + i, mode.marks.extent(i), mode.marks.stride(i));
      ++rank;
    } while (accept(','));
    expect(close, "expected ',' or the end of the layouts");
    if (failed()) return;
    build.set_rank(node, rank);
    const AlgebraError e = check_invariants(out.layout);
    if (e.code != AlgebraCode::none) fail_at(at_, e, reason_for(e.code));
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

  /// `Sw<3,4,3>`, also `S<3,4,3>` and `Swizzle<3,4,3>{}`.
  constexpr void swizzle(Swizzle& out) {
    const Index start = (peek(), at_);
    if (!word("Sw", '<') && !word("S", '<') && !word("Swizzle", '<'))
      fail(AlgebraCode::syntax, "expected 'Sw<'");
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
    constructed();
  }
  constexpr bool at_swizzle() const {
    return at_word("Sw", '<') || at_word("S", '<') || at_word("Swizzle", '<');
  }

  /// A pointer as CuTe prints it before a layout. Its address says nothing about the layout; a swizzle next
  /// to it acts on byte addresses, and the width of an element turns it into one of offsets.
  struct Pointer {
    Index bits = 0;  ///< of an element; 0 where the text does not say
    Index address = 0;
    bool swizzled = false;  ///< the Python DSL writes the swizzle inside the type
    Swizzle swizzle = {};
  };

  /// `smem_ptr[16b](unset)`, `gmem_ptr[32b](0x7f0000000400)`, `tmem_[32b](0x0000.0010)`; from Python
  /// `ptr<f16, smem, align<1024>, S<3,4,3>>` and `raw_ptr(0x7f…: f32, gmem, align<4>)`.
  constexpr bool at_pointer() const {
    CuteReader look = *this;
    if (!is_letter(look.peek())) return false;
    Index end = look.at_;
    while (end < size_ && is_word(text_[end])) ++end;
    const auto ends_with = [&](const char* tail, Index length) {
      if (end - look.at_ < length) return false;
      for (Index i = 0; i < length; ++i) {
        if (text_[end - length + i] != tail[i]) return false;
      }
      return true;
    };
    const char bracket = end < size_ ? text_[end] : '\0';
    if (ends_with("raw_ptr", 7)) return bracket == '(';
    if (ends_with("ptr", 3)) return bracket == '[' || bracket == '<';
    return ends_with("mem_", 4) && bracket == '[';
  }
  constexpr void pointer(Pointer& out) {
    peek();
    while (at_ < size_ && is_word(text_[at_])) ++at_;
    if (accept('[')) {
      out.bits = integer("expected the bits of an element");
      if (!failed() && (at_ >= size_ || text_[at_++] != 'b')) fail(AlgebraCode::syntax, "expected 'b'");
      expect(']', "expected ']' of the pointer");
      if (failed() || peek() != '(') return;
    }
    const Index opened = (peek(), at_);
    // The rest holds an address, a type and attributes in balanced brackets.
    Index depth = 0;
    do {
      const char c = peek();
      if (c == '\0') {
        at_ = opened;
        return fail(AlgebraCode::syntax, "a pointer whose brackets are closed");
      }
      if (depth > 0 && at_swizzle()) {
        out.swizzled = true;
        swizzle(out.swizzle);
        if (failed()) return;
        continue;
      }
      if (c == '0' && at_ + 1 < size_ && text_[at_ + 1] == 'x') {
        out.address = hexadecimal();
        continue;
      }
      if (is_letter(c)) {
        element(out);
        continue;
      }
      depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
      ++at_;
    } while (depth > 0);
  }
  /// `A` of `Sw<3,4,3>_A` or `Sw<3,4,3> o A`, a pointer: the swizzle becomes one of elements.
  constexpr void swizzled_pointer(Swizzle& s) {
    CuteReader look = *this;
    if (look.at_ < size_ && text_[look.at_] == '_') {
      ++look.at_;
    } else if (!look.accept('o')) {
      return;
    }
    if (!look.at_pointer()) return;
    *this = look;
    const Index start = (peek(), at_);
    Pointer p;
    pointer(p);
    if (!failed()) scale(s, p, start);
  }
  /// A pointer; true when its type carries a swizzle, which becomes one of elements.
  constexpr bool typed_pointer(Swizzle& s) {
    const Index start = (peek(), at_);
    Pointer p;
    pointer(p);
    if (failed() || !p.swizzled) return false;
    s = p.swizzle;
    scale(s, p, start);
    return !failed();
  }
  /// The swizzle of byte addresses `s` as a swizzle of elements of p.bits bits.
  constexpr void scale(Swizzle& s, const Pointer& p, Index start) {
    if (s.is_identity()) return;
    const int reach = s.bits + s.base + (s.shift < 0 ? -s.shift : s.shift);
    if ((p.address & ((Index{1} << reach) - 1)) != 0) {
      return fail_at(start, refuse(AlgebraCode::nonzero_offset, p.address & ((Index{1} << reach) - 1)),
                     "an address that is a multiple of the bytes that the swizzle permutes");
    }
    const Index bytes = p.bits / 8;
    const bool wide = bytes >= 1;
    const bool exact = p.bits > 0 && (wide ? p.bits % 8 == 0 : 8 % p.bits == 0) &&
                       (!wide || (Index{1} << s.base) % bytes == 0);
    const Outcome<Swizzle> scaled =
        !exact ? Outcome<Swizzle>(refuse(AlgebraCode::recast_divisibility, Index{8} << s.base, p.bits))
        : wide ? swizzle_upcast(s, bytes)
               : swizzle_downcast(s, 8 / p.bits);
    if (!scaled) return fail_at(start, scaled.error, "elements that the swizzle keeps whole");
    s = *scaled;
  }

  /// A layout, a swizzle, or a chain joined by `o`.
  constexpr void expression(TrackedComposed& out) {
    ComposedLayout& c = out.layout;
    c.parts = 0;
    if (word("tensor", '<')) {
      chain(out);
      return expect('>', "expected '>' of the tensor");
    }
    chain(out);
  }

  /// `ArithTuple(0,0) o`: a tensor of coordinates that starts at 0 is its layout.
  constexpr void coordinate_origin() {
    if (!word("ArithTuple", '(')) return;
    const Index start = at_;
    do {
      if (integer("expected a number") != 0)
        fail_at(start, refuse(AlgebraCode::nonzero_offset), "a tensor of coordinates that starts at 0");
    } while (accept(','));
    expect(')', "expected ')'");
    expect('o', "expected 'o' and a layout");
  }

  /// A layout alone, and before it what a printed tensor has there: a pointer or an origin.
  constexpr void tensor(TrackedLayout& out) {
    if (!is_letter(peek())) return layout(out);
    const bool typed = word("tensor", '<');
    coordinate_origin();
    while (at_pointer()) {
      const Index start = at_;
      Swizzle swizzled;
      if (typed_pointer(swizzled))
        return fail_at(start, refuse(AlgebraCode::syntax), "a layout without a swizzle");
      expect('o', "expected 'o' and the layout of the pointer");
    }
    layout(out);
    if (typed) expect('>', "expected '>' of the tensor");
  }

  /// Parts joined by `o`.
  constexpr void chain(TrackedComposed& out) {
    ComposedLayout& c = out.layout;
    coordinate_origin();
    for (;;) {
      if (!room(c)) return;
      ComposedPart& p = c.part[c.parts];
      const bool spelled = is_letter(peek());
      if (spelled && at_pointer()) {
        if (typed_pointer(p.swizzle)) {
          p.kind = ComposedPart::Kind::swizzle;
          out.static_offset |= static_cast<std::uint8_t>(1 << c.parts++);
        }
        expect('o', "expected 'o' and the layout of the pointer");
        if (failed()) return;
        continue;
      }
      if (spelled && word("ComposedLayout", '<')) {
        spelled_chain(out, '>');
        constructed();
      } else if (spelled && word("make_composed_layout", '(')) {
        spelled_chain(out, ')');
      } else {
        part(out);
      }
      if (failed() || !accept('o')) return;
      // An offset is an integer that another 'o' follows; without one it is _0.
      ComposedPart& last = c.part[c.parts - 1];
      const CuteReader before = *this;
      bool marked = false;
      const Index x = integer(marked, "");
      if (!failed() && accept('o')) {
        last.offset = x;
      } else {
        const bool range = error_.code == AlgebraCode::number_range;
        if (!range) *this = before;
        marked = true;
      }
      if (marked) out.static_offset |= static_cast<std::uint8_t>(1 << (c.parts - 1));
    }
  }
  /// One swizzle or layout.
  constexpr void part(TrackedComposed& out) {
    ComposedLayout& c = out.layout;
    ComposedPart& p = c.part[c.parts];
    if (is_letter(peek()) && at_swizzle()) {
      p.kind = ComposedPart::Kind::swizzle;
      swizzle(p.swizzle);
      swizzled_pointer(p.swizzle);
    } else {
      p.kind = ComposedPart::Kind::layout;
      TrackedLayout l;
      layout(l);
      p.layout = l.layout;
      out.marks[c.parts] = l.marks;
    }
    ++c.parts;
  }
  /// `ComposedLayout<A,offset,B>` after its bracket; the offset may be the width of an unset pointer.
  constexpr void spelled_chain(TrackedComposed& out, char close) {
    ComposedLayout& c = out.layout;
    part(out);
    expect(',', "expected ',' and an offset");
    if (failed()) return;
    ComposedPart& outer = c.part[c.parts - 1];
    const Index start = (peek(), at_);
    bool marked = true;
    Pointer flag;
    if (word("smem_ptr_flag_bits", '<')) {
      flag.bits = integer("expected the bits of an element");
      expect('>', "expected '>'");
      constructed();
    } else if (word("smem_ptr_flag", '\0')) {
      flag.bits = 1;
      constructed();
    } else {
      outer.offset = integer(marked, "expected an offset");
    }
    if (flag.bits != 0 && outer.kind == ComposedPart::Kind::swizzle) scale(outer.swizzle, flag, start);
    if (marked) out.static_offset |= static_cast<std::uint8_t>(1 << (c.parts - 1));
    expect(',', "expected ',' and a layout");
    if (failed() || !room(c)) return;
    part(out);
    expect(close, "expected the end of the composed layout");
  }
  constexpr bool room(const ComposedLayout& c) {
    if (c.parts < ComposedLayout::kMaxParts) return !failed();
    fail(AlgebraCode::capacity, "fewer parts", c.parts + 1, ComposedLayout::kMaxParts);
    return false;
  }

  constexpr void coordinate(TrackedCoord& out) {
    IntTupleBuilder build(out.coord.tuple);
    nested(build, "expected ',' or ')' in coordinate", [&] {
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
  /// True if some `_` of the text is not part of a number or a word.
  constexpr bool has_hole() const {
    CuteReader scan = *this;
    for (; scan.at_ < size_; ++scan.at_) {
      if (text_[scan.at_] != '_' || !scan.lone_underscore()) continue;
      const bool joined = (scan.at_ > 0 && is_word(text_[scan.at_ - 1])) ||
                          (scan.at_ + 1 < size_ && is_word(text_[scan.at_ + 1]));
      if (!joined) return true;
    }
    return false;
  }

  /// Whether the next value is in the form of C++ or of a CuTe printer: a type, a swizzle or a pointer.
  constexpr bool at_spelled() const {
    for (const char* name :
         {"Layout", "ComposedLayout", "Shape", "Stride", "Coord", "Step", "Tile", "tuple", "tensor"}) {
      if (at_word(name, '<')) return true;
    }
    return at_swizzle() || at_pointer() || at_word("ArithTuple", '(');
  }

 private:
  static constexpr const char* kReplaceUnknown = "a number in place of '?'";
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
  static constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static constexpr const char* reason_for(AlgebraCode code) {
    return code == AlgebraCode::codomain_mismatch ? "strides that all count coordinates, or none"
                                                  : "a size and offsets of 63 bits";
  }

  constexpr Index hexadecimal() {
    at_ += 2;
    std::uint64_t value = 0;
    for (; at_ < size_; ++at_) {
      const char c = text_[at_];
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) break;
      value = value << 4 | static_cast<std::uint64_t>(digit);
    }
    return static_cast<Index>(value & ~(std::uint64_t{1} << 63));  // the low bits are what matters
  }
  /// A word inside a pointer's brackets: the first one with digits is the type of the elements.
  constexpr void element(Pointer& out) {
    Index bits = 0;
    bool ended = false;
    for (; at_ < size_ && is_word(text_[at_]); ++at_) {
      const char c = text_[at_];
      if (is_digit(c) && !ended && bits < 1000) bits = bits * 10 + (c - '0');
      ended = ended || (bits > 0 && !is_digit(c));
    }
    if (out.bits == 0) out.bits = bits;
  }

  constexpr void set_shape(const TrackedTuple& extents, TrackedLayout& out) {
    out.layout.profile = extents.tuple.profile;
    for (int i = 0; i < extents.tuple.leaves(); ++i) out.layout.extent[i] = extents.tuple.leaf[i];
    out.marks.extents = extents.marks;
  }

  /// Compact strides for a shape without any, from the left or the right. With a mark somewhere, CuTe's
  /// tracking: the running product starts static, and only a static extent 1 gets stride 0.
  constexpr void compact(TrackedLayout& out, Index position, Order order) {
    StridedLayout& l = out.layout;
    const bool tracked = out.marks.extents != 0;
    const int n = l.leaves();
    Index product = 1;
    bool is_static = true;
    for (int k = 0; k < n; ++k) {
      const int i = order == Order::left ? k : n - 1 - k;
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
    const bool called = word("make_tile", '(');
    if (called || word("Tile", '<') || accept('<')) {
      const int node = nesting.tuple();
      full(nesting);
      int rank = 0;
      do {
        tiler(out, nesting, parts);
        ++rank;
      } while (accept(','));
      expect(called ? ')' : '>', "expected ',' or '>' in tiler");
      constructed();
      if (!failed()) nesting.set_rank(node, rank);
      return;
    }
    if (is_letter(peek()) && (at_word("Layout", '<') || at_word("make_layout", '('))) {
      TrackedLayout l;
      layout(l);
      if (!failed()) terminal(out, nesting, parts, l, Tiler::Kind::layout);
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
  return detail::read_whole<TrackedLayout>(text, size, [](CuteReader& r, TrackedLayout& v) { r.tensor(v); });
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
