// SPDX-License-Identifier: Apache-2.0
#include "draw/picture_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/at_fault.h"
#include "base/plural.h"
#include "draw/coordinate_text.h"

namespace tessera {
namespace detail {
namespace {

// GPU shared memory: 32 banks of 32 bits.
constexpr Index kBanks = 32;
constexpr Index kBankBits = 32;

// The bank depends only on the offset modulo 1024, so nothing overflows.
int bank_of(Index offset, Index bits) {
  return static_cast<int>(mod(offset, kBanks * kBankBits) * bits / kBankBits % kBanks);
}

std::vector<AxisLabel> level_of(Index div, Index ext, IndexRange range) {
  std::vector<AxisLabel> labels;
  for (Index p = range.begin; p < range.end;) {
    const Index end = std::min(range.end, (p / div + 1) * div);
    labels.push_back({p - range.begin, end - range.begin, fmt::format("{}", p / div % ext)});
    p = end;
  }
  return labels;
}

}  // namespace

Axis axis_of(const ViewDim& dim, IndexRange range) {
  Axis axis{.name = dim.name};
  Index div = 1;
  for (const Index leaf : dim.leaves) {
    if (leaf > 1) axis.levels.insert(axis.levels.begin(), level_of(div, leaf, range));
    div *= leaf;
  }
  // Labels of a single leaf would repeat the plain numbers.
  if (axis.levels.size() == 1) axis.levels.clear();
  axis.levels.push_back(level_of(1, std::numeric_limits<Index>::max(), range));
  for (Index p = range.begin; p <= range.end; ++p) {
    const auto tiles = std::ranges::count_if(dim.cuts, [&](Index cut) { return p % cut == 0; });
    axis.cuts.push_back(static_cast<int>(std::min<std::ptrdiff_t>(tiles, 2)));
  }
  return axis;
}

Axis plain_axis(std::string name, Index count, Index first, Index step) {
  Axis axis{.name = std::move(name)};
  axis.levels.emplace_back();
  for (Index p = 0; p < count; ++p) {
    axis.levels[0].push_back({p, p + 1, fmt::format("{}", first + p * step)});
  }
  axis.cuts.assign(static_cast<std::size_t>(count + 1), 0);
  return axis;
}

Result<void> check_window(IndexRange range, IndexRange whole, const std::string& of) {
  const std::string text = fmt::format("window {}:{}", range.begin, range.end);
  if (range.begin < whole.begin || range.begin >= whole.end || range.end > whole.end) {
    return detail::at_fault("window",
                            fail(Code::index_out_of_range,
                                 fmt::format("{} is outside {} ({}:{})", text, of, whole.begin, whole.end)));
  }
  if (range.begin >= range.end) {
    return detail::at_fault("window", fail(Code::index_out_of_range, text + " is empty", {},
                                           "the end must be greater than the beginning"));
  }
  return {};
}

Result<std::vector<IndexRange>> whole_window(const LayoutView& layout,
                                             const std::vector<IndexRange>& window) {
  const std::size_t rank = layout.dims.size();
  if (window.size() > rank) {
    return detail::at_fault(
        "window",
        fail(Code::value_count, fmt::format("the window has {}, but the layout has {}",
                                            plural(window.size(), "range"), plural(rank, "dimension"))));
  }
  std::vector<IndexRange> whole;
  for (std::size_t i = 0; i < rank; ++i) {
    const Index drawn = layout.dims[i].drawn;
    IndexRange range = i < window.size() ? window[i] : IndexRange{0, drawn};
    if (range.end == kIndexMax) range.end = drawn;
    if (drawn > 0) {
      const std::string of = fmt::format("dimension {}", i);
      if (Result<void> inside = check_window(range, {0, drawn}, of); !inside) return fail(inside.error());
    }
    whole.push_back(range);
  }
  return whole;
}

Result<void> check_cells(const LayoutView& layout, const std::vector<IndexRange>& window) {
  Index cells = 1;
  for (const IndexRange& range : window) {
    if (mul_overflows(cells, range.end - range.begin, cells)) cells = kIndexMax;
  }
  if (cells <= kMaxCells) return {};
  std::string part;
  const std::size_t rank = window.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const bool plane = rank <= 2 || (layout.first_fastest ? i < 2 : i + 2 >= rank);
    const Index width = std::min<Index>(plane ? 64 : 1, window[i].end - window[i].begin);
    part += fmt::format("{}{}:{}", i == 0 ? "" : ",", window[i].begin, window[i].begin + width);
  }
  return fail(Code::limit, fmt::format("the picture would have {} cells; the limit is {}", cells, kMaxCells),
              {}, fmt::format("draw a part: --window {}", part));
}

bool has_tiles(const LayoutView& layout) {
  return std::ranges::any_of(layout.dims, [](const ViewDim& dim) { return !dim.cuts.empty(); });
}

Scale Painter::scale() const {
  using enum Scale::Kind;
  switch (color_by) {
    case Coloring::offset:
      return {sequential, static_cast<int>(std::clamp<Index>(high - low + 1, 1, kMaxSteps))};
    case Coloring::index:
      return {sequential, static_cast<int>(std::clamp<Index>(layout.size(), 1, kMaxSteps))};
    case Coloring::bank:
      return {banded, kBanks};
    case Coloring::tile:
      return tiles.scale();
    case Coloring::padding:
      return {categorical, 1};
    default:
      return {};
  }
}

int Painter::color(std::span<const Index> index, Index offset) const {
  const auto step = [](Index value, Index from, Index to) {
    const Index steps = std::min<Index>(to - from + 1, kMaxSteps);
    // A double is precise enough to choose one of 64 colors.
    return to == from ? 0
                      : static_cast<int>(static_cast<double>(value - from) / static_cast<double>(to - from) *
                                         static_cast<double>(steps - 1));
  };
  switch (color_by) {
    case Coloring::offset:
      return step(offset, low, high);
    case Coloring::index:
      return step(layout.linear_index(index), 0, std::max<Index>(layout.size() - 1, 0));
    case Coloring::bank:
      return bank_of(offset, bits);
    case Coloring::tile:
      return tiles.color(tile_of(layout, index));
    case Coloring::padding:
      return 0;
    default:
      return -1;
  }
}

void Painter::add_legend(Picture& picture) const {
  picture.scale = scale();
  const auto ends = [&](std::string title, Index from, Index to) {
    picture.legend_title = std::move(title);
    picture.legend = {{0, fmt::format("{}", from)}};
    if (to > from) picture.legend.push_back({picture.scale.steps - 1, fmt::format("{}", to)});
  };
  switch (color_by) {
    case Coloring::offset:
      return ends("offset", low, high);
    case Coloring::index:
      return ends("1-D index", 0, std::max<Index>(layout.size() - 1, 0));
    case Coloring::bank:
      picture.notes.push_back(fmt::format("banks of 4 bytes, elements of {} bits", bits));
      return ends("bank", 0, kBanks - 1);
    case Coloring::padding:
      picture.legend = {{0, "element"}};
      break;
    case Coloring::tile:
      if (has_tiles(layout)) {
        tiles.add_legend(picture, "one color, one tile", "tile", "tiles");
      } else {
        picture.legend_title = "the layout has no tiles";
      }
      break;
    default:
      break;
  }
}

void Painter::paint(Cell& cell, CellText text, std::span<const Index> index, Index offset) const {
  cell.text = cell_text(text, layout, index, offset, bits);
  cell.color = color(index, offset);
  if (color_by == Coloring::tile && text != CellText::none) tiles.add_number(cell, tile_of(layout, index));
}

CellText text_for(const PictureOptions& options, CellText otherwise) {
  if (options.cell_text != CellText::automatic) return options.cell_text;
  return options.color_by == Coloring::bank ? CellText::bank : otherwise;
}

std::string cell_text(CellText what, const LayoutView& layout, std::span<const Index> index, Index offset,
                      Index bits) {
  switch (what) {
    case CellText::offset:
      return fmt::format("{}", offset);
    case CellText::coordinate:
      return coordinate_text(index);
    case CellText::natural:
      return layout.natural(index);
    case CellText::index:
      return fmt::format("{}", layout.linear_index(index));
    case CellText::bank:
      return fmt::format("{}", bank_of(offset, bits));
    case CellText::both:
      return fmt::format("{}\n{}", coordinate_text(index), offset);
    default:
      return "";
  }
}

}  // namespace detail

std::optional<Coloring> parse_coloring(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Coloring>, 7> kWords = {
      {{"auto", Coloring::automatic},
       {"offset", Coloring::offset},
       {"index", Coloring::index},
       {"tile", Coloring::tile},
       {"bank", Coloring::bank},
       {"padding", Coloring::padding},
       {"none", Coloring::none}}};
  for (const auto& [name, value] : kWords) {
    if (name == word) return value;
  }
  return {};
}

std::optional<CellText> parse_cell_text(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, CellText>, 8> kWords = {
      {{"auto", CellText::automatic},
       {"offset", CellText::offset},
       {"coordinate", CellText::coordinate},
       {"natural", CellText::natural},
       {"bank", CellText::bank},
       {"index", CellText::index},
       {"both", CellText::both},
       {"none", CellText::none}}};
  for (const auto& [name, value] : kWords) {
    if (name == word) return value;
  }
  return {};
}

}  // namespace tessera
