// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "tessera/base/dtype.h"

namespace tessera::detail {

bool is_reserved(std::string_view word) {
  static constexpr std::string_view kKeywords[] = {"HloModule",
                                                   "ENTRY",
                                                   "ROOT",
                                                   "FileNames",
                                                   "FunctionNames",
                                                   "FileLocations",
                                                   "StackFrames",
                                                   "true",
                                                   "false",
                                                   "inf",
                                                   "nan",
                                                   "maximal",
                                                   "replicated",
                                                   "manual",
                                                   "unreduced",
                                                   "unknown",
                                                   "last_tile_dim_replicate",
                                                   "shard_as",
                                                   "shard_like"};
  return std::ranges::find(kKeywords, word) != std::end(kKeywords) || parse_dtype(word);
}

bool HloLexer::fail_at(std::size_t position, Code code, std::string message, std::size_t length,
                       std::string help) {
  if (!error) {
    error = Diagnostic{
        .code = code,
        .message = std::move(message),
        .span = {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position + length)},
        .help = std::move(help)};
  }
  return false;
}

bool HloLexer::run_out(const char* from, std::string message, std::size_t length) {
  ran_out_ = true;
  return fail_at(base_ + static_cast<std::size_t>(from - begin_), Code::syntax, std::move(message), length);
}

std::string HloLexer::found(std::size_t& length) const {
  length = 0;
  if (at_ == end_) return "the end of the text";
  const char* p = at_;
  if (*p == '%' || is_class(*p, kNameChar)) {
    do ++p;
    while (p != end_ && is_class(*p, kNameChar));
  } else {
    ++p;
  }
  length = static_cast<std::size_t>(p - at_);
  const auto byte = static_cast<unsigned char>(*at_);
  if (byte < 0x20 || byte >= 0x7f) return fmt::format("byte 0x{:02x}", byte);
  if (length > 60) return fmt::format("'{}...'", std::string_view(at_, 57));
  return fmt::format("'{}'", std::string_view(at_, length));
}

bool HloLexer::not_closed(std::size_t open) {
  return fail_at(open, Code::syntax,
                 fmt::format("this '{}' is not closed before the next instruction", between(open, open + 1)));
}

bool HloLexer::expected(std::string_view what) {
  if (error) return false;
  std::size_t length = 0;
  const std::string got = found(length);
  return fail(Code::syntax, fmt::format("expected {}, got {}", what, got), length);
}

bool HloLexer::accept(std::string_view word) {
  if (!skip() || !rest().starts_with(word)) return false;
  at_ += word.size();
  return true;
}

bool HloLexer::need(char c, std::string_view what) {
  if (accept(c)) return true;
  if (error) return false;
  // If the byte is missing at the end of a line, report that place, not the first token of the next line.
  const char* last = at_;
  bool new_line = false;
  while (last != begin_ && is_blank(last[-1])) new_line |= *--last == '\n';
  if (!new_line || last == begin_) return expected(what);
  return fail_at(base_ + static_cast<std::size_t>(last - begin_), Code::syntax,
                 fmt::format("expected {}, but the line ends here", what), 0);
}

bool HloLexer::skip_comments() {
  while (at_ != end_) {
    if (is_blank(*at_)) {
      ++at_;
    } else if (*at_ == '/' && peek(1) == '/') {
      at_ = std::find(at_, end_, '\n');
    } else if (*at_ == '/' && peek(1) == '*') {
      const std::size_t close = rest().substr(2).find("*/");
      if (close == std::string_view::npos) return run_out(at_, "unterminated comment", 2);
      at_ += close + 4;
    } else {
      return true;
    }
  }
  return true;
}

bool HloLexer::integer(Index& value, std::string_view what) {
  if (!skip()) return false;
  const char* p = at_;
  if (p != end_ && *p == '-') ++p;
  if (p == end_ || !is_digit(*p)) return expected(what);
  const auto [stop, status] = std::from_chars(at_, end_, value);
  if (status == std::errc::result_out_of_range) {
    const auto length = static_cast<std::size_t>(stop - at_);
    return fail(
        Code::number_range,
        fmt::format("{}{} does not fit in 64 bits", std::string_view(at_, std::min<std::size_t>(length, 24)),
                    length > 24 ? "..." : ""),
        length);
  }
  at_ = stop;
  return true;
}

bool HloLexer::skip_string() {
  const char quote = *at_;
  const char* p = at_ + 1;
  for (;;) {
    p = static_cast<const char*>(std::memchr(p, quote, static_cast<std::size_t>(end_ - p)));
    if (p == nullptr) return run_out(at_, "unterminated string", 1);
    // An odd number of backslashes escapes the quote.
    const char* slash = p;
    while (slash[-1] == '\\' && slash - 1 > at_) --slash;
    ++p;
    if ((p - 1 - slash) % 2 == 0) break;
  }
  at_ = p;
  return true;
}

bool HloLexer::skip_brackets() {
  const char* const open = at_;
  std::size_t depth = 0;
  for (;;) {
    if (at_ == end_) return run_out(open, fmt::format("this '{}' is never closed", *open), 1);
    switch (*at_) {
      case '\n':
        ++at_;
        if (at_instruction_line()) return not_closed(base_ + static_cast<std::size_t>(open - begin_));
        break;
      case '/':
        if (peek(1) == '/' || peek(1) == '*') {
          if (!skip_comments()) return false;
        } else {
          ++at_;
        }
        break;
      case '"':
      case '\'':
        if (!skip_string()) return false;
        break;
      case '{':
      case '(':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ')':
      case ']':
        ++at_;
        if (--depth == 0) return true;
        break;
      default:
        ++at_;
    }
  }
}

bool HloLexer::at_instruction() const {
  HloLexer ahead(rest());
  if (!ahead.skip()) return false;
  if (ahead.rest().starts_with("ROOT") && is_blank(ahead.peek(4))) {
    ahead.advance(4);
    if (!ahead.skip()) return false;
  }
  const bool percent = ahead.peek() == '%';
  if (percent) ahead.advance(1);
  if (ahead.identifier().empty()) return false;
  const std::size_t after = ahead.position();
  if (!ahead.skip() || ahead.peek() != '=') return false;
  return percent || ahead.position() > after;
}

bool HloLexer::at_instruction_line() const {
  HloLexer ahead(rest().substr(0, rest().find('\n')));
  for (;;) {
    while (ahead.peek() == ' ' || ahead.peek() == '\t') ahead.advance(1);
    if (!ahead.rest().starts_with("/*")) break;
    const std::size_t close = ahead.rest().find("*/", 2);
    if (close == std::string_view::npos) return false;
    ahead.advance(close + 2);
  }
  const char first = ahead.peek();
  if (first != '%' && !is_class(first, kNameStartChar)) return false;
  return HloLexer(rest().substr(ahead.position())).at_instruction();
}

bool HloLexer::at_computation() const {
  HloLexer ahead(rest().substr(0, rest().find('\n')));
  if (ahead.peek() == '%') ahead.advance(1);
  if (ahead.identifier().empty() || !ahead.skip() || (ahead.peek() != '(' && ahead.peek() != '{'))
    return false;
  const std::string_view line = ahead.rest();
  return line[line.find_last_not_of(" \t\r")] == '{';
}

bool HloLexer::skip_brace_text() {
  const char* const open = at_;
  std::size_t depth = 0;
  while (at_ != end_) {
    const char c = *at_;
    if (c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    ++at_;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return true;
  }
  at_ = open;
  return run_out(open, "this '{' is never closed", 1);
}

}  // namespace tessera::detail
