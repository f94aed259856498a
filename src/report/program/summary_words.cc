// SPDX-License-Identifier: Apache-2.0
#include "report/program/summary_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/copy_answer.h"

namespace tessera::detail {

std::string bytes_words(Index bytes) { return bytes_text(static_cast<double>(bytes)); }

std::string count_words(Index count) {
  std::string out = fmt::format("{}", count);
  for (std::size_t at = out.size(); at > 3 && out[at - 4] != '-';) out.insert(at -= 3, ",");
  return out;
}

std::string times_words(Index part, Index whole) {
  const double ratio = static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.{}f}", ratio, ratio < 10 ? 1 : 0);
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._/+-=:,@%").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bytes_words(const Count& count) {
  if (count.exact()) return bytes_words(count.lower);
  if (!count.upper) return "at least " + bytes_words(count.lower);
  if (count.lower == 0) return "at most " + bytes_words(*count.upper);
  const std::string lower = bytes_words(count.lower);
  const std::string upper = bytes_words(*count.upper);
  return lower == upper ? "about " + lower : lower + " to " + upper;
}

std::string at_least_words(const Count& count) { return "at least " + bytes_words(count.lower); }

}  // namespace tessera::detail
