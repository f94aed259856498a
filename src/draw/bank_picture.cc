// SPDX-License-Identifier: Apache-2.0
#include "draw/bank_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "draw/limits.h"
#include "draw/picture_parts.h"
#include "draw/text_lines.h"

namespace tessera::detail {
namespace {

constexpr Index kLine = 128;  // bytes
constexpr Index kSector = 32;
constexpr Index kWord = 4;

// The lanes that touch a word, and the bytes that they touch.
struct Word {
  std::uint64_t lanes = 0;
  std::uint64_t bytes = 0;  // one bit per byte
};
using WordsByIndex = std::map<Index, Word>;

WordsByIndex words_of(const TouchedMemory& memory, Index word) {
  WordsByIndex out;
  for (std::uint64_t rest = memory.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (static_cast<std::size_t>(lane) >= memory.bytes.size()) break;
    const Index first = memory.bytes[static_cast<std::size_t>(lane)];
    for (Index byte = first; byte < first + memory.width; ++byte) {
      Word& use = out[floor_div(byte, word)];
      use.lanes |= std::uint64_t{1} << lane;
      use.bytes |= std::uint64_t{1} << mod(byte, std::min<Index>(word, 64));
    }
  }
  return out;
}

// The lanes as `3` or `0-3`; as `0+` (the first lane) if the list would be longer or has gaps.
std::string lanes_text(std::uint64_t lanes) {
  const int first = std::countr_zero(lanes);
  const int count = std::countr_one(lanes >> first);
  if (std::has_single_bit(lanes)) return fmt::format("{}", first);
  const bool is_run = std::popcount(lanes) == count;
  std::string run = fmt::format("{}-{}", first, first + count - 1);
  return is_run && run.size() <= 3 ? run : fmt::format("{}+", first);
}

std::string all_lanes(std::uint64_t lanes) {
  std::string out;
  for (; lanes != 0; lanes &= lanes - 1) out += fmt::format(" {}", std::countr_zero(lanes));
  return out;
}

Cell cell_of(Index word, Index word_bytes, const TouchedMemory& memory, const WordsByIndex& words) {
  Cell cell{.coordinate = fmt::format("word {}, byte {}", word, word * word_bytes), .offset = word};
  const Index begin = std::max<Index>(word * word_bytes - memory.begin, 0) * 8;
  const Index end = std::min((word + 1) * word_bytes, memory.end) - memory.begin;
  if (memory.element_bits > 0 && end > 0 && end * 8 > begin) {
    cell.first = begin / memory.element_bits;
    cell.count = ceil_div(end * 8, memory.element_bits) - cell.first;
  }
  const auto found = words.find(word);
  if (found == words.end()) return cell;
  cell.text = lanes_text(found->second.lanes);
  cell.color = std::countr_zero(found->second.lanes) % kCategories;
  cell.detail = fmt::format("lanes{}; {} of {} bytes", all_lanes(found->second.lanes),
                            std::popcount(found->second.bytes), word_bytes);
  return cell;
}

// The numbers of the lines to draw: all lines of the array, or only the touched ones.
std::vector<Index> lines_of(const TouchedMemory& memory, const WordsByIndex& words, Index line, Index word) {
  std::vector<Index> out;
  const Index first = floor_div(memory.begin, line);
  const Index last = floor_div(std::max(memory.begin, memory.end - 1), line);
  if (last - first < kDrawLimits.bank_lines)
    for (Index i = first; i <= last; ++i) out.push_back(i);
  for (const auto& [number, use] : words) out.push_back(floor_div(number * word, line));
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

Axis line_axis(std::span<const Index> lines) {
  Axis axis = plain_axis("line", std::ssize(lines));
  for (std::size_t i = 0; i < lines.size(); ++i) axis.levels[0][i].text = fmt::format("{}", lines[i]);
  return axis;
}

Picture picture_of_lanes(std::string title) {
  Picture out{.title = std::move(title),
              .scale = {Scale::Kind::categorical, kCategories},
              .legend_title = "lane mod 8"};
  for (int lane = 0; lane < kCategories; ++lane) out.legend.push_back({lane, fmt::format("{}", lane)});
  return out;
}

Panel bank_panel(const TouchedMemory& memory, const WordsByIndex& words, std::span<const Index> lines,
                 int banks, int word) {
  std::vector<Index> counts(static_cast<std::size_t>(banks));
  for (const auto& [number, use] : words) ++counts[static_cast<std::size_t>(mod(number, banks))];
  const Index most = *std::ranges::max_element(counts);
  Panel panel{.caption = memory.caption, .rows = std::ssize(lines) + 1, .columns = banks};
  panel.column_axis = plain_axis("bank", banks);
  panel.row_axis = line_axis(lines);
  panel.row_axis.levels[0].push_back({panel.rows - 1, panel.rows, "words"});
  panel.row_axis.cuts.assign(static_cast<std::size_t>(panel.rows + 1), 0);
  panel.row_axis.cuts[static_cast<std::size_t>(panel.rows - 1)] = 2;
  for (const Index line : lines) {
    for (Index bank = 0; bank < banks; ++bank) {
      const Index number = line * banks + bank;
      Cell cell = cell_of(number, word, memory, words);
      const bool outside = (number + 1) * word <= memory.begin || number * word >= memory.end;
      if (cell.color < 0 && outside) cell = {.kind = Cell::Kind::none};
      cell.marked = cell.color >= 0 && most > 1 && counts[static_cast<std::size_t>(bank)] == most;
      panel.cells.push_back(std::move(cell));
    }
  }
  for (Index bank = 0; bank < banks; ++bank) {
    const Index count = counts[static_cast<std::size_t>(bank)];
    panel.cells.push_back({.text = fmt::format("{}", count),
                           .coordinate = fmt::format("bank {}", bank),
                           .detail = fmt::format("{} different words", count)});
  }
  return panel;
}

Panel line_panel(const TouchedMemory& memory, const WordsByIndex& words, std::span<const Index> lines) {
  constexpr Index kWords = kLine / kWord;
  constexpr Index kWordsOfSector = kSector / kWord;
  Panel panel{.caption = memory.caption, .rows = std::ssize(lines), .columns = kWords};
  panel.column_axis = plain_axis("word", kWords);
  for (Index cut = 0; cut <= kWords; cut += kWordsOfSector)
    panel.column_axis.cuts[static_cast<std::size_t>(cut)] = 1;
  panel.row_axis = line_axis(lines);
  for (const Index line : lines) {
    for (Index column = 0; column < kWords; ++column) {
      const Index number = line * kWords + column;
      Cell cell = cell_of(number, kWord, memory, words);
      if (cell.color < 0) {
        const Index sector = number - mod(number, kWordsOfSector);
        const auto next = words.lower_bound(sector);
        const bool fetched = next != words.end() && next->first < sector + kWordsOfSector;
        cell.kind = fetched ? Cell::Kind::padding : Cell::Kind::none;
      }
      panel.cells.push_back(std::move(cell));
    }
  }
  return panel;
}

Result<void> check_size(Index cells) {
  if (cells <= kMaxCells) return {};
  return fail(Code::limit, fmt::format("the picture would have more than {} cells", kMaxCells));
}

}  // namespace

Result<Picture> bank_picture(std::string title, std::span<const TouchedMemory> panels, int banks, int word) {
  Picture out = picture_of_lanes(std::move(title));
  Index cells = 0;
  for (const TouchedMemory& memory : panels) {
    const WordsByIndex words = words_of(memory, word);
    const std::vector<Index> lines = lines_of(memory, words, Index{banks} * word, word);
    cells += (std::ssize(lines) + 1) * banks;
    if (Result<void> checked = check_size(cells); !checked) return fail(checked.error());
    out.panels.push_back(bank_panel(memory, words, lines, banks, word));
  }
  return out;
}

Result<Picture> line_picture(std::string title, std::span<const TouchedMemory> panels) {
  Picture out = picture_of_lanes(std::move(title));
  Index cells = 0;
  bool unused = false;
  for (const TouchedMemory& memory : panels) {
    const WordsByIndex words = words_of(memory, kWord);
    std::vector<Index> lines;
    for (const auto& [number, use] : words) {
      const Index line = floor_div(number * kWord, kLine);
      if (lines.empty() || lines.back() != line) lines.push_back(line);
    }
    cells += std::ssize(lines) * (kLine / kWord);
    if (Result<void> checked = check_size(cells); !checked) return fail(checked.error());
    out.panels.push_back(line_panel(memory, words, lines));
    unused = unused || std::ranges::any_of(out.panels.back().cells,
                                           [](const Cell& cell) { return cell.kind == Cell::Kind::padding; });
  }
  if (unused) out.legend.push_back({-1, "fetched, not used"});
  return out;
}

}  // namespace tessera::detail
