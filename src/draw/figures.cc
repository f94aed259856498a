// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "draw/divided_coordinates.h"
#include "draw/picture_parts.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

// One layout as panels without colors; cells are linked by their 1-D coordinates.
Result<std::vector<Panel>> panels_of(const ComposedLayout& l, const std::string& caption) {
  const Result<Layout> layout = Layout::make(l);
  if (!layout) return fail(layout.error());
  Result<Picture> picture = picture_of(view_of(*layout, to_string(l)), {.color_by = Coloring::none});
  if (!picture) return fail(picture.error());
  for (Panel& panel : picture->panels) {
    panel.caption = caption + (panel.caption.empty() ? "" : ", " + panel.caption);
  }
  return std::move(picture->panels);
}

Result<void> add(Picture& picture, const ComposedLayout& l, const std::string& caption) {
  Result<std::vector<Panel>> panels = panels_of(l, caption);
  if (!panels) return fail(panels.error());
  for (Panel& panel : *panels) picture.panels.push_back(std::move(panel));
  return {};
}

// Calls `paint(cell)` for every cell of the panels from `first` on.
template <class F>
void paint(Picture& picture, std::size_t first, F&& paint) {
  for (std::size_t p = first; p < picture.panels.size(); ++p) {
    for (Cell& cell : picture.panels[p].cells) {
      if (cell.link >= 0) paint(cell);
    }
  }
}

// Draws a line wherever all cells change color, because neighboring tiles have different colors. Tiles of one
// cell need no lines.
void cut_where_colors_change(Panel& panel) {
  const auto cut = [](Axis& axis, Index count, Index across, auto&& color) {
    std::vector<int> cuts(static_cast<std::size_t>(count + 1), 0);
    Index lines = 0;
    for (Index i = 1; i < count; ++i) {
      bool all = true;
      for (Index j = 0; j < across && all; ++j) all = color(i - 1, j) != color(i, j);
      if (!all) continue;
      cuts[static_cast<std::size_t>(i)] = 1;
      ++lines;
    }
    if (lines < count - 1) axis.cuts = std::move(cuts);
  };
  cut(panel.row_axis, panel.rows, panel.columns, [&](Index r, Index c) { return panel.row(r)[c].color; });
  cut(panel.column_axis, panel.columns, panel.rows, [&](Index c, Index r) { return panel.row(r)[c].color; });
}

// The tiles of a division, or the copies of a product, numbered by the modes of the subtree at `at`.
struct TileModes {
  std::vector<Index> count;
  detail::TileColors colors;

  TileModes(const StridedLayout& l, Cursor at) {
    Cursor mode = first_mode(l.profile, at);
    for (int k = l.profile.rank(at.node); k > 0; --k, mode = after(l.profile, mode)) {
      count.push_back(l.size_at(mode));
    }
    colors = detail::TileColors(std::vector<Index>(count.size(), 0), count);
  }

  // Sets the color, and if needed the number, of the tile with the 1-D coordinate `i`.
  void paint(Cell& cell, Index i) const {
    std::vector<Index> tile;
    for (const Index n : count) {
      tile.push_back(i % n);
      i /= n;
    }
    cell.color = colors.color(tile);
    colors.add_number(cell, tile);
  }
};

}  // namespace

Result<Picture> divide_figure(const ComposedLayout& layout, const Tiler& tiler) {
  const std::string a = to_string(layout);
  const std::string t = to_string(tiler);
  const Result<ComposedLayout> divided = algebra::zipped_divide(layout, tiler);
  if (!divided) return fail(divided.error());
  // Dividing the coordinates in the same way shows which element goes where, and which cells overhang.
  const auto coordinates = detail::DividedCoordinates::make(layout.domain(), tiler);
  if (!coordinates) return fail(coordinates.error());
  const Result<StridedLayout> from = algebra::zipped_divide(coordinates->layout(), tiler);
  if (!from) return fail(from.error());
  const Index tile = from->size_at(mode_at(from->profile, 0));
  const TileModes tiles(*from, mode_at(from->profile, 1));
  Picture picture{.title = fmt::format("zipped_divide({}, {})", a, t),
                  .scale = tiles.colors.scale(),
                  .notes = {"rows of the result are places in a tile, columns are tiles"}};
  tiles.colors.add_legend(picture, "one color, one tile", "tile", "tiles");
  if (const Result<void> added = add(picture, layout, a); !added) return fail(added.error());
  const std::size_t result = picture.panels.size();
  if (const Result<void> added = add(picture, *divided, to_string(*divided)); !added)
    return fail(added.error());
  std::vector<Index> tile_at(static_cast<std::size_t>(layout.size()), -1);
  paint(picture, result, [&](Cell& cell) {
    const std::optional<Index> origin = coordinates->coordinate((*from)(cell.link));
    if (!origin) {
      cell.kind = Cell::Kind::padding;  // the last tile overhangs the layout
      cell.link = -1;
      return;
    }
    tiles.paint(cell, cell.link / tile);
    tile_at[static_cast<std::size_t>(*origin)] = cell.link / tile;
    cell.link = *origin;
  });
  for (std::size_t p = 0; p < result; ++p) {
    for (Cell& cell : picture.panels[p].cells) {
      const Index at = cell.link < 0 ? -1 : tile_at[static_cast<std::size_t>(cell.link)];
      if (at >= 0) tiles.paint(cell, at);
    }
    cut_where_colors_change(picture.panels[p]);
  }
  return picture;
}

Result<Picture> composition_figure(const ComposedLayout& first, const StridedLayout& second) {
  const std::string a = to_string(first);
  const std::string b = to_string(second);
  const Result<ComposedLayout> both = algebra::composition(first, second);
  if (!both) return fail(both.error());
  const Index size = second.size();
  Picture picture{.title = fmt::format("composition({}, {})", a, b),
                  .scale = {Scale::Kind::sequential, static_cast<int>(std::clamp<Index>(size, 1, kMaxSteps))},
                  .legend_title = "coordinate of B:",
                  .legend = {{0, "0"}},
                  .notes = {"(A o B)(c) = A(B(c)): B gives a coordinate of A, whose offset is the result"}};
  if (size > 1) picture.legend.push_back({picture.scale.steps - 1, fmt::format("{}", size - 1)});
  const auto color = [&](Index c) {
    return static_cast<int>(size == 1 ? 0 : c * (picture.scale.steps - 1) / (size - 1));
  };
  if (const Result<void> added = add(picture, ComposedLayout(second), "B = " + b); !added)
    return fail(added.error());
  paint(picture, 0, [&](Cell& cell) { cell.color = color(cell.link); });
  const std::size_t middle = picture.panels.size();
  if (const Result<void> added = add(picture, first, "A = " + a); !added) return fail(added.error());
  std::vector<Index> reached(static_cast<std::size_t>(first.size()), -1);
  for (Index c = size - 1; c >= 0; --c) {
    const Index at = second(c);
    if (at >= 0 && at < first.size()) reached[static_cast<std::size_t>(at)] = c;
  }
  paint(picture, middle, [&](Cell& cell) {
    cell.link = reached[static_cast<std::size_t>(cell.link)];
    cell.color = cell.link < 0 ? -1 : color(cell.link);
  });
  const std::size_t last = picture.panels.size();
  if (const Result<void> added = add(picture, *both, "A o B = " + to_string(*both)); !added)
    return fail(added.error());
  paint(picture, last, [&](Cell& cell) { cell.color = color(cell.link); });
  return picture;
}

Result<Picture> product_figure(const ComposedLayout& block, const StridedLayout& grid) {
  const std::string a = to_string(block);
  const std::string b = to_string(grid);
  const Result<ComposedLayout> product = algebra::logical_product(block, grid);
  if (!product) return fail(product.error());
  const TileModes copies(grid, {});
  Picture picture{.title = fmt::format("logical_product({}, {})", a, b),
                  .scale = copies.colors.scale(),
                  .notes = {"rows of the product are places in A, columns are copies"}};
  copies.colors.add_legend(picture, "one color, one copy of A", "copy", "copies");
  if (const Result<void> added = add(picture, block, "A = " + a); !added) return fail(added.error());
  std::size_t first = picture.panels.size();
  if (const Result<void> added = add(picture, ComposedLayout(grid), "B = " + b); !added)
    return fail(added.error());
  paint(picture, first, [&](Cell& cell) {
    copies.paint(cell, cell.link);
    cell.link = -1;  // a copy has many cells
  });
  first = picture.panels.size();
  if (const Result<void> added = add(picture, *product, "product = " + to_string(*product)); !added)
    return fail(added.error());
  paint(picture, first, [&](Cell& cell) { copies.paint(cell, cell.link / block.size()); });
  if (block.domain().rank() != 2 || grid.rank() != 2) return picture;
  const Result<ComposedLayout> blocked = algebra::blocked_product(block, grid);
  if (!blocked) return fail(blocked.error());
  first = picture.panels.size();
  if (const Result<void> added = add(picture, *blocked, "blocked: " + to_string(*blocked)); !added)
    return fail(added.error());
  const Profile& profile = block.domain().profile;
  const Index rows = block.domain().size_at(mode_at(profile, 0));
  const Index columns = block.domain().size_at(mode_at(profile, 1));
  const Index grid_rows = grid.size_at(mode_at(grid.profile, 0));
  const Index height = rows * grid_rows;
  paint(picture, first, [&](Cell& cell) {
    const Index i = cell.link % height;
    const Index j = cell.link / height;
    const Index copy = i / rows + grid_rows * (j / columns);
    copies.paint(cell, copy);
    cell.link = i % rows + rows * (j % columns) + block.size() * copy;
  });
  return picture;
}

}  // namespace tessera
