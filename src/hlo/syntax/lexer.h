// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tokens of HLO text, read on demand, because what a token is depends on the grammar at that place.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "text/character_class.h"

namespace tessera::detail {

enum CharClass : std::uint8_t { kBlankChar = 1, kDigitChar = 2, kNameStartChar = 4, kNameChar = 8 };

inline constexpr std::array<std::uint8_t, 256> kCharClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\n'}) classes[static_cast<unsigned char>(c)] = kBlankChar;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigitChar | kNameChar;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kNameStartChar | kNameChar;
  classes['_'] = kNameStartChar | kNameChar;
  classes['.'] = classes['-'] = kNameChar;
  return classes;
}();

inline bool is_class(char c, int mask) { return (kCharClasses[static_cast<unsigned char>(c)] & mask) != 0; }
inline bool is_blank(char c) { return is_class(c, kBlankChar); }

/// Whether the word is a keyword or a type, which is a name only with `%` before it.
bool is_reserved(std::string_view word);

/// A position in a text that moves forward. `skip` and everything built on it skip blanks and comments first.
/// The first error is kept in `error`; methods that fail return false (or nothing).
class HloLexer {
 public:
  /// Spans are offsets in `text` plus `base`.
  explicit HloLexer(std::string_view text, std::size_t base = 0)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), base_(base) {}

  std::optional<Diagnostic> error;

  /// The position of the next byte.
  std::size_t position() const { return base_ + static_cast<std::size_t>(at_ - begin_); }
  void seek(std::size_t position) { at_ = begin_ + (position - base_); }
  /// Clears the error and returns to `position`.
  void retry(std::size_t position) {
    error.reset();
    ran_out_ = false;
    seek(position);
  }
  bool at_end() const { return at_ == end_; }
  /// The next byte, 0 at the end.
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  char peek(std::size_t ahead) const {
    return static_cast<std::size_t>(end_ - at_) > ahead ? at_[ahead] : '\0';
  }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  /// The text between two positions.
  std::string_view between(std::size_t from, std::size_t to) const {
    return {begin_ + (from - base_), to - from};
  }
  void advance(std::size_t bytes) { at_ += bytes; }

  /// Skips blanks and comments. False if a comment is not terminated.
  bool skip() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    return at_ == end_ || *at_ != '/' || skip_comments();
  }
  /// Takes the byte if it comes next.
  bool accept(char c) {
    if (!skip() || at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool accept(std::string_view word);
  /// Takes the byte or reports what is there instead.
  bool need(char c, std::string_view what);

  /// `[A-Za-z_][A-Za-z0-9_.-]*`, or empty. Does not skip.
  std::string_view identifier() {
    const char* const start = at_;
    if (at_ != end_ && is_class(*at_, kNameStartChar)) {
      do ++at_;
      while (at_ != end_ && is_class(*at_, kNameChar));
    }
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  /// `-?[0-9]+`. Errors: syntax, number_range.
  bool integer(Index& value, std::string_view what);
  /// Skips `"..."` or `'...'` with escapes; at_ is at the opening quote.
  bool skip_string();
  /// Skips `{...}` with comments and both kinds of strings inside; at_ is at the opening bracket. Counts (),
  /// [], {}. At a line that begins like an instruction it reports that the closing bracket is missing.
  bool skip_brackets();
  /// Skips `{...}` of brace text, in which only braces and double-quoted strings count.
  bool skip_brace_text();

  /// Whether an instruction seems to begin here: `[ROOT] name =`, with `%` before the name or a blank before
  /// the `=` (an attribute has neither).
  bool at_instruction() const;
  /// As at_instruction, but skips blanks and comments first, as at the beginning of a line. O(length of the
  /// line).
  bool at_instruction_line() const;
  /// Whether a computation seems to begin here: a name, then ( or {, and { at the end of the line.
  bool at_computation() const;

  /// Reports an error here (or at `position`) over `length` bytes. Always false.
  bool fail(Code code, std::string message, std::size_t length = 1) {
    return fail_at(position(), code, std::move(message), length);
  }
  bool fail_at(std::size_t position, Code code, std::string message, std::size_t length = 1,
               std::string help = {});
  /// Reports that the bracket at `open` is not closed before the next instruction.
  bool not_closed(std::size_t open);
  /// Reports "expected WHAT, got 'token'" at the next token.
  bool expected(std::string_view what);
  /// The next token as messages show it, and its length.
  std::string found(std::size_t& length) const;
  /// Whether a bracket, string or comment is still open at the end of the text, so that nothing after it can
  /// be read.
  bool ran_out() const { return ran_out_; }

 private:
  bool skip_comments();
  bool run_out(const char* from, std::string message, std::size_t length);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t base_;
  bool ran_out_ = false;
};

}  // namespace tessera::detail
