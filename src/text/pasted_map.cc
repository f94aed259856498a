// SPDX-License-Identifier: Apache-2.0
#include "text/pasted_map.h"

#include <algorithm>
#include <optional>

#include "text/character_class.h"

namespace tessera::detail {
namespace {

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_name(char c) { return is_word(c) || c == '.'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_white_space(text[at])) ++at;
  return at;
}

std::size_t skip_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name(text[at])) ++at;
  return at;
}

struct Opening {
  std::size_t bracket;  // the '<'
  bool affine;
};

// Recognizes the opening `#xla.indexing_map<`, also after `#alias = `.
std::optional<Opening> opening_of(std::string_view text) {
  std::size_t at = skip_blanks(text, 0);
  const auto name = [&] {
    if (at < text.size() && text[at] == '#') ++at;
    const std::size_t begin = at;
    at = skip_name(text, at);
    return text.substr(begin, at - begin);
  };
  std::string_view word = name();
  if (const std::size_t equals = skip_blanks(text, at); equals < text.size() && text[equals] == '=') {
    at = skip_blanks(text, equals + 1);
    word = name();
  }
  const bool affine = word == "affine_map";
  if (!affine && word != "indexing_map" && !word.ends_with(".indexing_map")) return std::nullopt;
  at = skip_blanks(text, at);
  if (at == text.size() || text[at] != '<') return std::nullopt;
  return Opening{at, affine};
}

Failure not_closed(std::string_view text, std::size_t at, std::string_view help) {
  const auto begin = static_cast<std::uint32_t>(at);
  return fail(Code::syntax, std::string("this '") + text[at] + "' is not closed", {begin, begin + 1},
              std::string(help));
}

// Replaces `\n`, `\t` and `\0A` by blanks.
void blank_escapes(std::string& text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const char next = text[i + 1];
    if (next == 'n' || next == 't' || next == 'r') {
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(i), 2, ' ');
    } else if (i + 2 < text.size() && is_hex(next) && is_hex(text[i + 2])) {
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(i), 3, ' ');
    }
  }
}

}  // namespace

bool is_pasted_map(std::string_view text) { return opening_of(text).has_value(); }

Result<PastedMap> unwrap_pasted_map(std::string_view text) {
  const Opening opening = *opening_of(text);
  PastedMap out{std::string(text), opening.affine};
  const auto blank = [&](std::size_t begin, std::size_t end) {
    std::fill(out.text.begin() + static_cast<std::ptrdiff_t>(begin),
              out.text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  };
  blank(0, opening.bracket + 1);
  if (opening.affine) {
    for (std::size_t i = opening.bracket + 1; i < text.size(); ++i) {
      if (text[i] != '>' || text[i - 1] == '-') continue;
      blank(i, i + 1);
      return out;
    }
    return not_closed(text, opening.bracket, "an affine map ends with '>': affine_map<(d0) -> (d0 mod 8)>");
  }
  constexpr std::string_view kForm = "the form is #xla.indexing_map<\"(d0) -> (d0), domain: d0 in [0, 7]\">";
  const std::size_t end = text.find_last_not_of(" \t\r\n\v\f");
  if (end <= opening.bracket || text[end] != '>' || text[end - 1] == '-')
    return not_closed(text, opening.bracket, kForm);
  blank(end, end + 1);
  // Text copied from inside a string has escaped quotes.
  const std::size_t first = skip_blanks(text, opening.bracket + 1);
  const std::string_view quote = text.substr(first).starts_with("\\\"") ? "\\\""
                                 : text.substr(first).starts_with('"')  ? "\""
                                                                        : "";
  if (quote.empty()) return out;
  std::size_t last = end;
  while (last > first && is_white_space(text[last - 1])) --last;
  if (last < first + 2 * quote.size() || text.substr(last - quote.size(), quote.size()) != quote)
    return not_closed(text, first + quote.size() - 1, kForm);
  blank(first, first + quote.size());
  blank(last - quote.size(), last);
  blank_escapes(out.text);
  return out;
}

}  // namespace tessera::detail
