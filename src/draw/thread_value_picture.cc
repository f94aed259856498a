// SPDX-License-Identifier: Apache-2.0
// The owner of each element of a tile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/at_fault.h"
#include "draw/limits.h"
#include "draw/picture_parts.h"

namespace tessera {
namespace {

struct Owners {
  Index thread = 0;
  Index value = 0;
  Index count = 0;
  std::string text = {};  // of the first ones
};

}  // namespace

Result<Picture> thread_value_picture(const LayoutView& tv, std::vector<Index> tile,
                                     const PictureOptions& options) {
  if (tv.dims.size() != 2) {
    return fail(Code::rank_mismatch,
                fmt::format("a thread-value layout has two modes, threads and values; this one has {}",
                            tv.dims.size()));
  }
  if (tile.empty() || tile.size() > 2) {
    return detail::at_fault(
        "tile", fail(Code::rank_mismatch,
                     fmt::format("a tile has one or two dimensions; this one has {}", tile.size())));
  }
  Index cells = 1;
  for (const Index extent : tile) {
    if (extent < 1)
      return detail::at_fault(
          "tile", fail(Code::bad_extent,
                       fmt::format("the tile has extent {}, but extents must be at least 1", extent)));
    if (mul_overflows(cells, extent, cells)) cells = kIndexMax;
  }
  const Index pairs = tv.size();
  if (cells > kMaxCells || pairs > kMaxCells) {
    return detail::at_fault(cells > kMaxCells ? "tile" : "layout",
                            fail(Code::limit, fmt::format("the picture would have {} cells; the limit is {}",
                                                          std::max(cells, pairs), kMaxCells)));
  }
  std::vector<Owners> owners(static_cast<std::size_t>(cells));
  for (Index value = 0; value < tv.dims[1].extent; ++value) {
    for (Index thread = 0; thread < tv.dims[0].extent; ++thread) {
      const Index at = tv.offset(std::vector<Index>{thread, value});
      if (at < 0 || at >= cells) {
        return detail::at_fault(
            "tile", fail(Code::shape_mismatch,
                         fmt::format("thread {} holds value {} at {}, outside the tile ({}) with {} elements",
                                     thread, value, at, fmt::join(tile, ","), cells),
                         {}, "give the shape of the tile: --tile ROWS,COLUMNS"));
      }
      Owners& owner = owners[static_cast<std::size_t>(at)];
      if (owner.count++ == 0) {
        owner.thread = thread;
        owner.value = value;
      }
      if (owner.count <= detail::kDrawLimits.shown_owners)
        owner.text += fmt::format("{}T{}V{}", owner.count == 1 ? "" : "|", thread, value);
    }
  }
  const Index threads = tv.dims[0].extent;
  Picture picture{.title = tv.text, .scale = detail::class_scale(threads), .legend_title = "thread"};
  if (threads > kMaxClasses) picture.legend_title = fmt::format("thread mod {}", kMaxClasses);
  const bool flat = tile.size() == 1;
  const Index width = !flat                 ? tile[1]
                      : options.columns > 0 ? std::min(options.columns, cells)
                                            : std::min<Index>(cells, 16);
  Panel panel{.caption = fmt::format("tile ({}): T thread, V value", fmt::join(tile, ",")),
              .rows = flat ? ceil_div(cells, width) : tile[0],
              .columns = width,
              .row_axis = detail::plain_axis("", 0),
              .column_axis = detail::plain_axis(flat ? "index" : "mode 1", width)};
  panel.row_axis = detail::plain_axis(flat ? "" : "mode 0", panel.rows, 0, flat ? width : 1);
  bool unowned = false;
  Index shared = 0;
  for (Index row = 0; row < panel.rows; ++row) {
    for (Index column = 0; column < width; ++column) {
      const Index at = flat ? row * width + column : row + column * panel.rows;
      if (at >= cells) {
        panel.cells.push_back({.kind = Cell::Kind::none});
        continue;
      }
      const Owners& owner = owners[static_cast<std::size_t>(at)];
      Cell cell{.coordinate = flat ? fmt::format("{}", at) : fmt::format("{},{}", row, column), .offset = at};
      if (owner.count == 0) {
        cell.kind = Cell::Kind::padding;
        unowned = true;
      } else {
        cell.text = owner.text;
        cell.color = static_cast<int>(owner.thread % picture.scale.steps);
        cell.detail = fmt::format("thread {}, value {}", owner.thread, owner.value);
        if (owner.count > 1) {
          if (owner.count > detail::kDrawLimits.shown_owners)
            cell.text += fmt::format("+{}", owner.count - detail::kDrawLimits.shown_owners);
          cell.detail += fmt::format(", and {} more", owner.count - 1);
          shared += owner.count > detail::kDrawLimits.shown_owners ? 1 : 0;
        }
      }
      panel.cells.push_back(std::move(cell));
    }
  }
  const int last = static_cast<int>(std::min<Index>(threads, picture.scale.steps)) - 1;
  const int step = picture.scale.kind == Scale::Kind::banded ? last : 1;
  for (int t = 0; t <= last; t += step) {
    picture.legend.push_back({t, fmt::format("{}", t)});
  }
  if (unowned) picture.legend.push_back({-1, "no owner"});
  if (shared > 0)
    picture.notes.push_back(
        fmt::format("{} more than {} owners; the first are shown",
                    shared == 1 ? "1 element has" : fmt::format("{} elements have", shared),
                    detail::kDrawLimits.shown_owners));
  picture.panels.push_back(std::move(panel));
  return picture;
}

}  // namespace tessera
