// SPDX-License-Identifier: Apache-2.0
#include "text/lexer.h"

#include <fmt/core.h>

#include <charconv>

#include "base/shortened.h"
#include "text/character.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::is_digit;
using detail::is_letter;
using detail::is_white_space;
using detail::is_word;

Span span(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end";
    case TokenKind::name:
      return fmt::format("name '{}'", shortened(token.text));
    case TokenKind::integer:
      return fmt::format("number {}", shortened(token.text));
    case TokenKind::symbol:
      return fmt::format("'{}'", token.text);
    case TokenKind::malformed:
      break;
  }
  const auto first = static_cast<unsigned char>(token.text.front());
  if (first <= 0x20 || first >= 0x7f) return detail::describe_character(token.text);
  return fmt::format("'{}'", shortened(token.text));
}

std::optional<Index> integer_value(std::string_view digits, bool negative) {
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  if (negative) return magnitude > kLargest ? std::nullopt : std::optional(static_cast<Index>(0 - magnitude));
  return magnitude >= kLargest ? std::nullopt : std::optional(static_cast<Index>(magnitude));
}

void Lexer::advance() {
  std::size_t begin = position_;
  while (begin < text_.size() && is_white_space(text_[begin])) ++begin;
  std::size_t end = begin;
  TokenKind kind = TokenKind::end;
  if (begin < text_.size()) {
    const char c = text_[begin];
    ++end;
    if (is_letter(c) || c == '_') {
      while (end < text_.size() && is_word(text_[end])) ++end;
      kind = c == '_' ? TokenKind::malformed : TokenKind::name;
    } else if (is_digit(c)) {
      kind = TokenKind::integer;
      while (end < text_.size() && is_digit(text_[end])) ++end;
      if (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) {
        kind = TokenKind::malformed;
        while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
      }
    } else if (c == '-' && end < text_.size() && text_[end] == '>') {
      ++end;
      kind = TokenKind::symbol;
    } else {
      kind = c > ' ' && c < 0x7f ? TokenKind::symbol : TokenKind::malformed;
      if (kind == TokenKind::malformed) end = begin + detail::character_at(text_, begin).bytes;
    }
  }
  next_ = {kind, text_.substr(begin, end - begin), span(begin, end)};
  position_ = end;
}

Token Lexer::take_line() {
  const std::size_t begin = next_.span.begin;
  std::size_t end = text_.find('\n', begin);
  if (end == std::string_view::npos) end = text_.size();
  position_ = end;
  taken_end_ = static_cast<std::uint32_t>(end);
  while (end > begin && is_white_space(text_[end - 1])) --end;
  const Token line{TokenKind::malformed, text_.substr(begin, end - begin), span(begin, end)};
  advance();
  return line;
}

}  // namespace tessera
