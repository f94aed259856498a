// SPDX-License-Identifier: Apache-2.0
/// \file
/// CuteScanner: reads the characters, integers and words of a text in CuTe's notation, at run time or compile
/// time.
#pragma once

#include "tessera/algebra/detail/outcome.h"

namespace tessera {

namespace detail {
/// A value, or the error, the byte where it was found, and what was expected there.
template <class T>
struct [[nodiscard]] Parsed {
  T value = {};
  detail::AlgebraError error = {};
  Index position = 0;
  const char* expected = "";

  constexpr bool ok() const { return !error.failed; }
  constexpr explicit operator bool() const { return ok(); }
  constexpr const T& operator*() const { return value; }
  constexpr const T* operator->() const { return &value; }
};
}  // namespace detail

/// Reads a text once. The first error stops it: every later read returns at once and accepts nothing.
class CuteScanner {
 public:
  constexpr CuteScanner(const char* text, Index size) : text_(text), size_(size) {}

  constexpr bool failed() const { return error_.failed; }
  constexpr const detail::AlgebraError& error() const { return error_; }
  constexpr Index position() const { return at_; }
  constexpr void move_to(Index position) { at_ = position; }
  /// The byte `ahead` positions after the next one; 0 beyond the end and after an error.
  constexpr char byte(Index ahead = 0) const { return at_ + ahead < size_ ? text_[at_ + ahead] : '\0'; }

  /// Skips white space and returns the next character, or 0 at the end and after an error.
  constexpr char peek() {
    for (; at_ < size_; ++at_) {
      const char c = text_[at_];
      if (c > ' ' || !is_space(c)) return c;
    }
    return '\0';
  }
  /// Skips white space and returns the position of the next token.
  constexpr Index start() {
    peek();
    return at_;
  }
  constexpr bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  constexpr void expect(char c, const char* expected) {
    if (!accept(c)) fail(Code::syntax, expected);
  }
  constexpr void end() {
    if (peek() != '\0' || at_ < size_) fail(Code::syntax, "expected the end of the text");
  }

  constexpr void fail(Code code, const char* expected, Index first = 0, Index second = 0) {
    fail_at(at_, detail::refuse(code, first, second), expected);
  }
  constexpr void fail_at(Index position, const detail::AlgebraError& error, const char* expected) {
    if (failed()) return;
    error_ = error;
    position_ = position;
    expected_ = expected;
    at_ = size_;
  }
  template <class T>
  constexpr void finish(detail::Parsed<T>& out) const {
    out.error = error_;
    out.position = position_;
    out.expected = expected_;
  }

  /// `[_] [-] digits`, or a C++ constant; `marked` says whether it is a compile-time constant.
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
      if (!is_digit(c)) break;
      const Index digit = c - '0';
      if (at - digits < 18) {
        value = value * 10 - digit;
      } else if (mul_overflows(value, 10, value) || sub_overflows(value, digit, value)) {
        fail_at(start, detail::refuse(Code::number_range), "a number of 64 bits");
        return 0;
      }
    }
    if (at == digits) {
      if (is_letter(first)) return constant(marked, expected);
      fail(Code::syntax, expected);
      return 0;
    }
    at_ = at;
    if (at < size_ && text_[at] == '{') constructed();  // `_4{}`
    if (negative) return value;
    // Digits are subtracted, because -kIndexMin does not fit in Index.
    if (value == kIndexMin) {
      fail_at(start, detail::refuse(Code::number_range), "a number of 64 bits");
      return 0;
    }
    return -value;
  }
  constexpr Index integer(const char* expected) {
    bool marked = false;
    return integer(marked, expected);
  }
  /// A C++ constant: `Int<4>{}` or `C<4>`.
  constexpr Index constant(bool& marked, const char* expected) {
    if (!word("Int", '<') && !word("C", '<')) {
      fail(Code::syntax, expected);
      return 0;
    }
    const Index value = integer("expected a number");
    expect('>', "expected '>' of a constant");
    constructed();
    marked = true;
    return value;
  }
  /// `0x7f00…` without its sign: callers look only at the low bits.
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
    return static_cast<Index>(value & ~(std::uint64_t{1} << 63));
  }

  /// Accepts `name`, with or without `cute::`, and the bracket after it; a `bracket` of 0 means none.
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
    if (bracket != '\0') {
      if (at >= size_ || text_[at] != bracket) return false;
      ++at;
    }
    at_ = at;
    return true;
  }
  /// Whether word() would accept `name`.
  constexpr bool at_word(const char* name, char bracket) const {
    CuteScanner look = *this;
    return look.word(name, bracket);
  }
  /// The `{}` or `()` that makes a value of a type.
  constexpr void constructed() {
    if (accept('{')) {
      expect('}', "expected '}'");
    } else if (byte() == '(' && byte(1) == ')') {
      at_ += 2;
    }
  }

  /// True when the next token is `_` alone.
  constexpr bool lone_underscore() {
    return peek() == '_' && !is_digit(byte(1)) && !(byte(1) == '-' && is_digit(byte(2)));
  }
  /// True if some `_` of the text is not part of a number or a word.
  constexpr bool has_hole() const {
    CuteScanner scan = *this;
    for (; scan.at_ < size_; ++scan.at_) {
      if (text_[scan.at_] != '_' || !scan.lone_underscore()) continue;
      const bool joined = (scan.at_ > 0 && is_word(text_[scan.at_ - 1])) || is_word(scan.byte(1));
      if (!joined) return true;
    }
    return false;
  }

  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
  static constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

 private:
  const char* text_;
  Index size_;
  Index at_ = 0;
  detail::AlgebraError error_ = {};
  Index position_ = 0;
  const char* expected_ = "";
};

}  // namespace tessera
