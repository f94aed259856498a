// SPDX-License-Identifier: Apache-2.0
// `local row`, `local column lld 9`, `local {1,0:T(8,128)} padded`, `local (8,4):(1,8)`.
#include "reshard/local_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "text/character_class.h"

namespace tessera::detail {
namespace {

Result<TiledLayout> read_tiled(DistributionScanner& in) {
  TiledLayout out;
  TESSERA_NEED(in.need("{"));
  in.next();
  while (is_digit(in.here())) {
    TESSERA_TRY(dim, in.integer());
    out.minor_to_major.push_back(dim);
    if (!in.accept(",")) break;
    in.next();
  }
  if (in.accept(":")) {
    TESSERA_NEED(in.need("T"));
    in.next();
    if (in.here() != '(') return in.expected("'(' and the extents of a tile");
    while (in.accept("(")) {
      std::vector<Index> tile;
      do {
        if (in.accept("*")) {
          tile.push_back(kCombine);
          continue;
        }
        TESSERA_TRY(extent, in.at_least(1, "the extent of a tile"));
        tile.push_back(extent);
      } while (in.accept(","));
      TESSERA_NEED(in.need(")"));
      out.tiles.push_back(std::move(tile));
      in.next();
    }
  }
  TESSERA_NEED(in.need("}"));
  return out;
}

// The end of a layout in a text that continues with ` padded` or ` on `.
std::size_t layout_end(std::string_view text, std::size_t begin) {
  std::size_t end = text.size();
  for (const std::string_view word : {" padded", " on "}) {
    if (const std::size_t at = text.rfind(word); at != std::string_view::npos && at >= begin)
      end = std::min(end, at);
  }
  return end;
}

std::string tiled_text(const TiledLayout& tiled) {
  std::string text = fmt::format("{{{}", fmt::join(tiled.minor_to_major, ","));
  if (!tiled.tiles.empty()) text += ":T";
  for (const auto& tile : tiled.tiles) {
    std::vector<std::string> entries;
    for (const Index entry : tile) entries.push_back(entry == kCombine ? "*" : std::to_string(entry));
    text += fmt::format("({})", fmt::join(entries, ","));
  }
  return text + "}";
}

}  // namespace

Result<LocalLayout> read_local(DistributionScanner& in) {
  LocalLayout out;
  const std::size_t begin = in.next();
  if (in.accept_word("row") || in.accept_word("column")) {
    if (in.text().substr(begin, 3) != "row") out.storage = LocalLayout::Storage::column;
    if (in.accept_word("lld")) {
      TESSERA_TRY(pitch, in.at_least(1, "a leading dimension"));
      out.pitch = pitch;
    }
  } else if (in.here() == '{') {
    TESSERA_TRY(tiled, read_tiled(in));
    out.storage = LocalLayout::Storage::tiled;
    out.tiled = std::move(tiled);
  } else {
    const std::size_t end = layout_end(in.text(), begin);
    const std::string_view text = in.text().substr(begin, end - begin);
    // A word begins a layout only as its notation, `np:`. Others are misspelled orders.
    const auto word_end = std::ranges::find_if_not(text, is_letter);
    const bool begins_layout = word_end != text.end() && (word_end == text.begin() || *word_end == ':');
    auto layout = begins_layout ? parse_layout(text) : Result<Layout>(in.expected("row, column or a layout"));
    if (!layout) {
      Diagnostic error = layout.error();
      if (begins_layout) {
        error.span.begin += static_cast<std::uint32_t>(begin);
        error.span.end += static_cast<std::uint32_t>(begin);
      }
      return fail(std::move(error));
    }
    out.storage = LocalLayout::Storage::layout;
    out.layout = std::move(*layout);
    in.move_to(end);
  }
  out.span = in.since(begin);
  out.padded = in.accept_word("padded");
  return out;
}

std::string local_text(const LocalLayout& local) {
  std::string text;
  switch (local.storage) {
    case LocalLayout::Storage::row:
      text = "row";
      break;
    case LocalLayout::Storage::column:
      text = "column";
      break;
    case LocalLayout::Storage::tiled:
      text = tiled_text(local.tiled);
      break;
    case LocalLayout::Storage::layout:
      text = to_string(*local.layout);
      break;
  }
  if (local.pitch) text += fmt::format(" lld {}", *local.pitch);
  if (local.padded) text += " padded";
  return text == "row" ? "" : text;
}

}  // namespace tessera::detail
