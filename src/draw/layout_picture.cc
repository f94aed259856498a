// SPDX-License-Identifier: Apache-2.0
#include "tessera/draw/layout_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "draw/index_picture.h"
#include "draw/limits.h"
#include "draw/memory_picture.h"
#include "text/lexer.h"

namespace tessera {
namespace {

Result<Index> position(Lexer& lexer) {
  const Token token = lexer.peek();
  if (token.kind != TokenKind::integer) {
    return fail(Code::syntax, fmt::format("expected a position, found {}", describe(token)), token.span,
                "a window is one range per dimension: 0:16,0:32");
  }
  lexer.take();
  const std::optional<Index> value = integer_value(token.text, false);
  if (!value || *value == kIndexMax) {
    return fail(Code::number_range, "the integer does not fit in 64 bits", token.span);
  }
  return *value;
}

}  // namespace

Result<std::vector<IndexRange>> parse_window(std::string_view text) {
  Lexer lexer(text);
  std::vector<IndexRange> window;
  do {
    IndexRange range{0, kIndexMax};
    if (!lexer.peek().is(":")) {
      const Result<Index> begin = position(lexer);
      if (!begin) return fail(begin.error());
      range = {*begin, *begin + 1};
    }
    if (lexer.accept(":")) {
      range.end = kIndexMax;
      if (lexer.peek().kind == TokenKind::integer) {
        const Result<Index> end = position(lexer);
        if (!end) return fail(end.error());
        range.end = *end;
      }
    }
    window.push_back(range);
  } while (lexer.accept(","));
  if (lexer.peek().kind != TokenKind::end) {
    return fail(Code::syntax,
                fmt::format("expected ',' or the end of the window, found {}", describe(lexer.peek())),
                lexer.peek().span, "a window is one range per dimension: 0:16,0:32");
  }
  return window;
}

Result<Picture> picture_of(const LayoutView& layout, const PictureOptions& options) {
  return options.view == View::index ? detail::index_picture(layout, options)
                                     : detail::memory_picture(layout, options);
}

Result<Picture> linked_views(const LayoutView& layout, PictureOptions options) {
  options.view = View::index;
  Result<Picture> picture = detail::index_picture(layout, options);
  if (!picture || !options.window.empty() ||
      layout.buffer.value_or(kIndexMax) > Index{detail::kDrawLimits.linked_cells})
    return picture;
  // Both views use the colors of the index view; the memory view shows coordinates.
  if (options.color_by == Coloring::automatic) options.color_by = Coloring::offset;
  options.cell_text = CellText::coordinate;
  options.columns = 0;
  Result<Picture> memory = detail::memory_picture(layout, options);
  if (!memory || memory->panels.empty()) return picture;
  std::unordered_map<Index, int> colors;
  for (Panel& panel : picture->panels) {
    for (const Cell& cell : panel.cells) {
      if (cell.link >= 0) colors.emplace(cell.link, cell.color);
    }
    if (panel.caption.empty()) panel.caption = "index view";
  }
  Panel& panel = memory->panels[0];
  panel.caption = "memory view";
  bool padded = false;
  for (Cell& cell : panel.cells) {
    padded = padded || cell.kind == Cell::Kind::padding;
    if (cell.link >= 0) cell.color = colors[cell.link];
  }
  const bool listed =
      std::ranges::any_of(picture->legend, [](const LegendEntry& entry) { return entry.color < 0; });
  if (padded && !listed) picture->legend.push_back({-1, "padding"});
  picture->panels.push_back(std::move(panel));
  return picture;
}

}  // namespace tessera
