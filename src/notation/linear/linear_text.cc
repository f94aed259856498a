// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "tessera/notation/linear_layout.h"
#include "text/integers.h"

namespace tessera {

Result<LinearLayout> parse_linear_layout(std::string_view text) {
  Lexer lexer(text);
  if (lexer.accept("ll") && !lexer.accept(":")) return detail::expected(lexer, "':' after ll");
  std::vector<std::vector<Index>> bases;
  const std::uint32_t begin = lexer.peek().span.begin;
  std::optional<Span> negative;  // the first basis below 0
  do {
    const std::string name = fmt::format("d{}", bases.size());
    if (!lexer.accept(name)) return detail::expected(lexer, fmt::format("dimension {}", name));
    if (!lexer.accept(":")) return detail::expected(lexer, fmt::format("':' after {}", name));
    std::vector<Index>& own = bases.emplace_back();
    if (lexer.peek().kind != TokenKind::integer && !lexer.peek().is("-")) continue;
    do {
      const std::uint32_t first = lexer.peek().span.begin;
      const auto basis = detail::read_integer(lexer);
      if (!basis) return fail(basis.error());
      if (*basis < 0 && !negative) negative = Span{first, lexer.taken_end()};
      own.push_back(*basis);
    } while (lexer.accept(","));
  } while (lexer.peek().kind != TokenKind::end);
  auto layout = LinearLayout::make(std::move(bases));
  if (!layout) layout.error().span = negative.value_or(Span{begin, lexer.taken_end()});
  if (!layout && negative) layout.error().help = "bases are combined by XOR, so each must be at least 0";
  return layout;
}

std::string to_string(const LinearLayout& layout) {
  std::string text;
  for (std::size_t i = 0; i < layout.bases().size(); ++i)
    text += fmt::format("{}d{}:{}", i > 0 ? " " : "", i, fmt::join(layout.bases()[i], ","));
  return text;
}

}  // namespace tessera
