// SPDX-License-Identifier: Apache-2.0
#include "files/header_reader.h"

#include <fmt/core.h>

#include <charconv>

namespace tessera {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Index> decimal(std::string_view digits) {
  Index value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end || digits.empty() || !is_digit(digits.front())) return std::nullopt;
  return value;
}

void HeaderReader::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

bool HeaderReader::at(char c) {
  skip_blanks();
  return at_ < text_.size() && text_[at_] == c;
}

bool HeaderReader::accept(char c) {
  if (!at(c)) return false;
  ++at_;
  return true;
}

bool HeaderReader::accept_word(std::string_view word) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

bool HeaderReader::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

Result<std::string_view> HeaderReader::quoted() {
  skip_blanks();
  const char quote = at_ < text_.size() ? text_[at_] : '\0';
  if (quote != '\'' && quote != '"') return expected("a string in quotes");
  const std::size_t end = text_.find(quote, at_ + 1);
  const std::string_view inside = text_.substr(at_ + 1, end == text_.npos ? text_.npos : end - at_ - 1);
  if (end == text_.npos || inside.find_first_of("\\\n") != inside.npos) {
    return fail(Code::bad_file, "a string is not closed, or contains an escape", here());
  }
  at_ = end + 1;
  return inside;
}

Result<Index> HeaderReader::integer() {
  skip_blanks();
  const std::size_t begin = at_;
  std::size_t end = begin;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  if (end == begin) return expected("an extent, an integer of 0 or more");
  const std::optional<Index> value = decimal(text_.substr(begin, end - begin));
  if (!value) return fail(Code::number_range, "an extent does not fit in 64 bits", place(begin, end));
  at_ = end;
  return *value;
}

Failure HeaderReader::expected(std::string_view what) {
  skip_blanks();
  return fail(Code::bad_file, fmt::format("the header is broken: expected {}", what), here());
}

}  // namespace tessera
