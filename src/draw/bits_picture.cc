// SPDX-License-Identifier: Apache-2.0
#include "draw/bits_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/at_fault.h"
#include "base/plural.h"
#include "base/try.h"
#include "draw/limits.h"
#include "draw/picture_parts.h"

namespace tessera {
namespace {

// The elements of a bit of the buffer, from one layout or several fields of one block.
struct DrawnField {
  std::string name;
  NamedLayout layout;
  std::string prefix = {};  // of the texts of cells, which differ without colors
};

// The fields of the blocks that the rows show; planes of the codes are part of the codes.
std::vector<DrawnField> fields_of(const NamedLayout& layout) {
  std::vector<DrawnField> fields;
  if (layout.prefix() != "gguf") return {{layout.family(), layout}};
  const std::string type = "gguf:" + layout.family();
  const auto known = std::ranges::find(named_families(), type, &NamedFamilyInfo::name);
  std::vector<std::string> names = {""};
  for (const std::string& name : known->fields) {
    if (!name.starts_with('q') && name != "hmask") names.push_back(name);
  }
  for (const std::string& name : names) {
    // One entry for the smallest shape that the field takes.
    for (const Index entries : {1, 4, 8, 16, 32, 64, 128, 256}) {
      const auto field =
          NamedLayout::make({.prefix = "gguf", .family = layout.family(), .field = name, .shape = {entries}});
      if (!field) continue;
      fields.push_back({name.empty() ? "codes" : name, *field, name});
      break;
    }
  }
  return fields;
}

// Whether all bits of an element are side by side in one row.
bool is_plain(const NamedLayout& layout, std::span<const Index> index, Index word) {
  const auto runs = runs_at(layout, index);
  return runs.size() == 1 && runs[0].offset / word == (runs[0].offset + runs[0].count - 1) / word;
}

// The range of rows that a window shows.
Result<IndexRange> only_range(const std::vector<IndexRange>& window, Index rows, std::string_view whole) {
  const std::string help = fmt::format("write one range of rows, from 0:1 to 0:{}", rows);
  if (window.size() != 1) {
    return detail::at_fault("window",
                            fail(Code::value_count,
                                 fmt::format("the bits have one range of rows, but the window has {}",
                                             detail::plural(window.size(), "range")),
                                 {}, help));
  }
  IndexRange range = window[0];
  if (range.end == kIndexMax) range.end = rows;
  if (0 <= range.begin && range.begin < range.end && range.end <= rows) return range;
  return detail::at_fault("window", fail(Code::index_out_of_range,
                                         fmt::format("{} has rows 0 to {}, but the window is {}:{}", whole,
                                                     rows - 1, range.begin, range.end),
                                         {}, help));
}

Cell cell_of(const DrawnField& field, const BitOwner& owner, int color, Index word, Index offset) {
  const std::string element = fmt::format("{}", fmt::join(owner.index, ","));
  Cell cell{.text = field.prefix + element, .coordinate = element, .offset = offset, .color = color};
  if (!is_plain(field.layout, owner.index, word)) cell.text += fmt::format("\n.{}", owner.bit);
  cell.detail = fmt::format("{}: bit {} of the value", field.name, owner.bit);
  return cell;
}

}  // namespace

Result<Picture> bits_picture(const NamedLayout& layout, const BitsPictureOptions& options) {
  const Index word = options.word;
  if (word != 8 && word != 16 && word != 32 && word != 64) {
    return fail(Code::bad_option, fmt::format("a row of {} bits is not a word", word), {},
                "--word 8, 16, 32 or 64");
  }
  if (std::ranges::find(layout.shape(), 0) != layout.shape().end())
    return fail(Code::bad_extent, "the layout has no elements", {},
                "give every dimension an extent of at least 1");
  Index elements = 1;
  for (const Index extent : layout.shape())
    if (mul_overflows(elements, extent, elements)) elements = kIndexMax;
  const bool is_stream = layout.kind() == NamedKind::stream;
  if (const auto of_bits = bit_layout(layout);
      is_stream && elements > detail::kDrawLimits.bit_elements && of_bits && !to_digits(*of_bits))
    return fail(Code::limit, "it would take too long to find the elements of the bits", {},
                "draw a smaller shape of the same family");
  const bool block = layout.prefix() == "gguf";
  const std::vector<DrawnField> fields = fields_of(layout);
  const Index bits = block ? fields.front().layout.buffer_bits() : layout.buffer_bits();
  const Index all_rows = ceil_div(bits, word);
  Index begin = 0;
  Index rows = std::min(all_rows, options.rows > 0 ? options.rows
                                  : block          ? all_rows
                                  : word == 8      ? Index{8}
                                                   : Index{1});
  if (!options.window.empty()) {
    TESSERA_TRY(window, only_range(options.window, all_rows, block ? "the block" : "the buffer"));
    begin = window.begin;
    rows = window.end - begin;
  }
  if (checked_mul(rows, word).value_or(kIndexMax) > detail::kDrawLimits.bits)
    return fail(Code::limit,
                fmt::format("the picture would have more than {} bits", detail::kDrawLimits.bits));
  const int colors = block ? static_cast<int>(fields.size()) : kCategories;
  Picture picture{.title = fmt::format("{}: bits, high to low", block ? name_of(layout) : to_string(layout)),
                  .scale = {Scale::Kind::categorical, std::min(colors, kCategories)}};
  Panel panel{.rows = rows, .columns = word};
  panel.row_axis = detail::plain_axis(word == 8 ? "byte" : "word", rows, begin);
  panel.column_axis = detail::plain_axis("bit", word, word - 1, -1);
  for (Index row = begin; row < begin + rows; ++row) {
    for (Index bit = word; bit-- > 0;) {
      const Index offset = row * word + bit;
      Cell cell{.kind = Cell::Kind::padding};
      for (std::size_t f = 0; f < fields.size() && offset < fields[f].layout.buffer_bits(); ++f) {
        TESSERA_TRY(owner, owner_of(fields[f].layout, offset));
        if (!owner) continue;
        const Index color = block ? static_cast<Index>(f) : owner->index.back() % kCategories;
        cell = cell_of(fields[f], *owner, static_cast<int>(color), word, offset);
        break;
      }
      panel.cells.push_back(std::move(cell));
    }
  }
  picture.panels.push_back(std::move(panel));
  if (fields.size() > 1) {
    const std::string& name = fields[1].name;
    picture.notes.push_back(
        fmt::format("a number alone is a code; {}0 is entry 0 of field {} of the block", name, name));
  }
  if (block) {
    picture.legend_title = "field";
    for (std::size_t f = 0; f < fields.size(); ++f)
      picture.legend.push_back({static_cast<int>(f), fields[f].name});
  }
  if (begin > 0) {
    picture.notes.push_back(rows == 1
                                ? fmt::format("row {} of {}", begin, all_rows)
                                : fmt::format("rows {} to {} of {}", begin, begin + rows - 1, all_rows));
  } else if (rows < all_rows) {
    picture.notes.push_back(
        fmt::format("the first {} of {}", rows == 1 ? "word" : fmt::format("{} rows", rows), all_rows));
  }
  return picture;
}

}  // namespace tessera
