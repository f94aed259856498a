// SPDX-License-Identifier: Apache-2.0
/// \file
/// The grammar of swizzles and of the pointers that CuTe prints before a layout.
#pragma once

#include "tessera/algebra/detail/cute_scanner.h"
#include "tessera/algebra/detail/swizzle.h"

namespace tessera::grammar {

constexpr bool at_swizzle(const CuteScanner& in) {
  return in.at_word("Sw", '<') || in.at_word("S", '<') || in.at_word("Swizzle", '<');
}

/// `Sw<3,4,3>`, also `S<3,4,3>` and `Swizzle<3,4,3>{}`.
constexpr void read_swizzle(CuteScanner& in, Swizzle& out) {
  const Index start = in.start();
  if (!in.word("Sw", '<') && !in.word("S", '<') && !in.word("Swizzle", '<'))
    in.fail(Code::syntax, "expected 'Sw<'");
  const Index bits = in.integer("expected the number of bits");
  in.expect(',', "expected ',' in swizzle");
  const Index base = in.integer("expected the base");
  in.expect(',', "expected ',' in swizzle");
  const Index shift = in.integer("expected the shift");
  in.expect('>', "expected '>' of a swizzle");
  if (in.failed()) return;
  const detail::Outcome<Swizzle> s = detail::make_swizzle(bits, base, shift);
  if (!s) return in.fail_at(start, s.error, "bits >= 0, base >= 0, |shift| >= bits, at most 62 together");
  out = *s;
  in.constructed();
}

/// A pointer as CuTe prints it before a layout. The address does not affect the layout. A swizzle next to the
/// pointer permutes byte addresses; it is rescaled by the width of an element to permute offsets.
struct CutePointer {
  Index bits = 0;  ///< bits of an element; 0 if the text does not say
  Index address = 0;
  bool swizzled = false;  ///< the Python DSL writes the swizzle inside the type
  Swizzle swizzle = {};
};

/// `smem_ptr[16b](unset)`, `gmem_ptr[32b](0x7f0000000400)`, `tmem_[32b](0x0000.0010)`; from Python
/// `ptr<f16, smem, align<1024>, S<3,4,3>>` and `raw_ptr(0x7f…: f32, gmem, align<4>)`.
constexpr bool at_pointer(const CuteScanner& in) {
  CuteScanner look = in;
  if (!CuteScanner::is_letter(look.peek())) return false;
  Index length = 0;
  while (CuteScanner::is_word(look.byte(length))) ++length;
  const auto ends_with = [&](const char* tail, Index bytes) {
    if (length < bytes) return false;
    for (Index i = 0; i < bytes; ++i) {
      if (look.byte(length - bytes + i) != tail[i]) return false;
    }
    return true;
  };
  const char bracket = look.byte(length);
  if (ends_with("raw_ptr", 7)) return bracket == '(';
  if (ends_with("ptr", 3)) return bracket == '[' || bracket == '<';
  return ends_with("mem_", 4) && bracket == '[';
}

/// A word inside a pointer's brackets: the first one with digits is the type of the elements.
constexpr void read_element(CuteScanner& in, CutePointer& out) {
  Index bits = 0;
  bool ended = false;
  for (; CuteScanner::is_word(in.byte()); in.move_to(in.position() + 1)) {
    const char c = in.byte();
    if (CuteScanner::is_digit(c) && !ended && bits < 1000) bits = bits * 10 + (c - '0');
    ended = ended || (bits > 0 && !CuteScanner::is_digit(c));
  }
  if (out.bits == 0) out.bits = bits;
}

constexpr void read_pointer(CuteScanner& in, CutePointer& out) {
  in.peek();
  while (CuteScanner::is_word(in.byte())) in.move_to(in.position() + 1);
  if (in.accept('[')) {
    out.bits = in.integer("expected the bits of an element");
    if (in.byte() == 'b') {
      in.move_to(in.position() + 1);
    } else {
      in.fail(Code::syntax, "expected 'b'");
    }
    in.expect(']', "expected ']' of the pointer");
    if (in.failed() || in.peek() != '(') return;
  }
  const Index opened = in.start();
  // The rest holds an address, a type and attributes in balanced brackets.
  Index depth = 0;
  do {
    const char c = in.peek();
    if (c == '\0') {
      in.move_to(opened);
      return in.fail(Code::syntax, "a pointer whose brackets are closed");
    }
    if (depth > 0 && at_swizzle(in)) {
      out.swizzled = true;
      read_swizzle(in, out.swizzle);
      if (in.failed()) return;
    } else if (c == '0' && in.byte(1) == 'x') {
      out.address = in.hexadecimal();
    } else if (CuteScanner::is_letter(c)) {
      read_element(in, out);
    } else {
      depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
      in.move_to(in.position() + 1);
    }
  } while (depth > 0);
}

/// The swizzle `s` of byte addresses as a swizzle of elements of p.bits bits.
constexpr void scale_to_elements(CuteScanner& in, Swizzle& s, const CutePointer& p, Index start) {
  if (s.is_identity()) return;
  const Index unaligned = p.address & (detail::block_of(s) - 1);
  if (unaligned != 0) {
    return in.fail_at(start, detail::refuse(Code::nonzero_offset, unaligned),
                      "an address that is a multiple of the bytes that the swizzle permutes");
  }
  const Index bytes = p.bits / 8;
  const bool wide = bytes >= 1;
  const bool exact = p.bits > 0 && (wide ? p.bits % 8 == 0 : 8 % p.bits == 0) &&
                     (!wide || (Index{1} << s.base) % bytes == 0);
  const detail::Outcome<Swizzle> scaled =
      !exact ? detail::Outcome<Swizzle>(detail::refuse(Code::recast_divisibility, Index{8} << s.base, p.bits))
      : wide ? detail::swizzle_upcast(s, bytes)
             : detail::swizzle_downcast(s, 8 / p.bits);
  if (!scaled) return in.fail_at(start, scaled.error, "elements that the swizzle keeps whole");
  s = *scaled;
}

/// The pointer `A` of `Sw<3,4,3>_A` or `Sw<3,4,3> o A`. Rescales the swizzle from bytes to elements.
constexpr void read_swizzled_pointer(CuteScanner& in, Swizzle& s) {
  CuteScanner look = in;
  if (look.byte() == '_') {
    look.move_to(look.position() + 1);
  } else if (!look.accept('o')) {
    return;
  }
  if (!at_pointer(look)) return;
  in = look;
  const Index start = in.start();
  CutePointer p;
  read_pointer(in, p);
  if (!in.failed()) scale_to_elements(in, s, p, start);
}

/// A pointer; true if its type contains a swizzle, which is rescaled from bytes to elements.
constexpr bool read_typed_pointer(CuteScanner& in, Swizzle& s) {
  const Index start = in.start();
  CutePointer p;
  read_pointer(in, p);
  if (in.failed() || !p.swizzled) return false;
  s = p.swizzle;
  scale_to_elements(in, s, p, start);
  return !in.failed();
}

}  // namespace tessera::grammar
