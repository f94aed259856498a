// SPDX-License-Identifier: Apache-2.0
// Two layouts of one shape, side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "draw/picture_parts.h"

namespace tessera {
namespace {

std::vector<Index> shape_of(const LayoutView& layout) {
  std::vector<Index> shape;
  for (const ViewDim& dim : layout.dims) shape.push_back(dim.extent);
  return shape;
}

}  // namespace

Result<Picture> comparison_of(const LayoutView& a, const LayoutView& b, const PictureOptions& options) {
  const std::vector<Index> shape = shape_of(a);
  if (const std::vector<Index> other = shape_of(b); shape != other) {
    return fail(Code::different_shape,
                fmt::format("the shapes ({}) and ({}) differ", fmt::join(shape, ","), fmt::join(other, ",")));
  }
  LayoutView left = a;
  LayoutView right = b;
  // Draw both without padding, in the dimension order of the first layout.
  for (LayoutView* view : {&left, &right}) {
    for (ViewDim& dim : view->dims) dim.drawn = dim.extent;
    view->first_fastest = a.first_fastest;
  }
  PictureOptions plain = options;
  plain.view = View::index;
  plain.color_by = Coloring::none;
  Result<Picture> first = picture_of(left, plain);
  if (!first) return first;
  Result<Picture> second = picture_of(right, plain);
  if (!second) return second;
  Picture picture{.title = fmt::format("{} and {}", a.text, b.text),
                  .scale = {Scale::Kind::categorical, 2},
                  .legend = {{1, "differs"}}};
  Index differ = 0;
  Index cells = 0;
  std::string witness;
  for (std::size_t p = 0; p < first->panels.size(); ++p) {
    Panel& x = first->panels[p];
    Panel& y = second->panels[p];
    for (std::size_t i = 0; i < x.cells.size(); ++i) {
      if (x.cells[i].kind == Cell::Kind::none) continue;
      ++cells;
      if (x.cells[i].offset == y.cells[i].offset) continue;
      if (differ++ == 0) {
        witness =
            fmt::format(": at ({}) {} and {}", x.cells[i].coordinate, *x.cells[i].offset, *y.cells[i].offset);
      }
      for (Cell* cell : {&x.cells[i], &y.cells[i]}) {
        cell->marked = true;
        cell->color = 1;
      }
    }
    const std::string slice = x.caption.empty() ? "" : ", " + x.caption;
    x.caption = a.text + slice;
    y.caption = b.text + slice;
    picture.panels.push_back(std::move(x));
    picture.panels.push_back(std::move(y));
  }
  if (differ == 0) picture.legend.clear();
  const char* where = options.window.empty() ? "" : " of the window";
  picture.notes = std::move(first->notes);
  picture.notes.push_back(differ == 0
                              ? fmt::format("all {} offsets{} are equal", cells, where)
                              : fmt::format("{} of {} offsets{} differ{}", differ, cells, where, witness));
  return picture;
}

}  // namespace tessera
