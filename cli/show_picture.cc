// SPDX-License-Identifier: Apache-2.0
#include "cli/show_picture.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/draw/figures.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/text/any.h"
#include "tessera/text/cute.h"
#include "tessera/text/point.h"

namespace tessera::cli {
namespace {

// The figures are about CuTe's operations, on CuTe's layouts.
Result<StridedLayout> cute_layout(const Layout& layout, const char* option) {
  if (layout.strided() != nullptr && !layout.is_cropped()) return *layout.strided();
  return fail(Code::argument_type,
              fmt::format("{} takes layouts shape:stride, and {} is none", option, to_string(layout)), {},
              "write the layout in CuTe's notation, like (4,8):(8,1)");
}

// Columns that a grid of these rows and columns takes on a terminal.
Index text_columns(const LayoutView& view, std::size_t row, Index rows, Index columns) {
  std::vector<Index> index(view.dims.size(), 0);
  Index largest = std::max(rows, columns);
  Index smallest = 0;
  for (index[row] = 0; index[row] < rows; ++index[row]) {
    for (index[row + 1] = 0; index[row + 1] < columns; ++index[row + 1]) {
      const Index offset = view.offset(index);
      largest = std::max(largest, offset);
      smallest = std::min(smallest, offset);
    }
  }
  const std::size_t cell =
      std::max(fmt::formatted_size("{}", largest), fmt::formatted_size("{}", smallest)) + 2;
  const std::vector<Index>& cuts = view.dims[row + 1].cuts;
  const Index lines = cuts.empty() ? 0 : (columns - 1) / cuts.front();
  return columns * static_cast<Index>(cell) + lines + 12;
}

// The part of a large layout that fits a terminal, as a window; nothing where all of it does.
std::vector<IndexRange> part_that_fits(const LayoutView& view, View kind, Index width) {
  constexpr Index kMostRows = 64;
  constexpr Index kRowsOfPart = 32;
  constexpr Index kSlices = 16;
  constexpr Index kLine = 512;
  if (kind == View::memory) {
    return view.buffer.value_or(0) > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  }
  const std::size_t rank = view.dims.size();
  if (rank == 0 || view.size() == 0) return {};
  if (rank == 1)
    return view.dims[0].drawn > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  const std::size_t row = view.first_fastest ? 0 : rank - 2;
  std::vector<IndexRange> window(rank);
  // The fastest of the other dimensions first, as many slices as there is room for.
  Index slices = 1;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t i = view.first_fastest ? k : rank - 1 - k;
    if (i == row || i == row + 1) continue;
    window[i].end = std::min(view.dims[i].drawn, std::max<Index>(kSlices / slices, 1));
    slices *= window[i].end;
  }
  const Index all_rows = view.dims[row].drawn;
  const Index rows = all_rows > kMostRows ? kRowsOfPart : all_rows;
  Index columns = std::min({view.dims[row + 1].drawn, width / 3, kMaxCells / (rows * slices)});
  while (columns > 1) {
    const Index needed = text_columns(view, row, rows, columns);
    if (needed <= width) break;
    columns = std::clamp<Index>(columns * width / needed, 1, columns - 1);
    if (columns > 8) columns -= columns % 8;
  }
  window[row].end = rows;
  window[row + 1].end = columns;
  const bool whole = std::ranges::equal(window, view.dims, {}, &IndexRange::end, &ViewDim::drawn);
  return whole ? std::vector<IndexRange>{} : window;
}

std::string window_text(const std::vector<IndexRange>& window) {
  std::string text;
  for (const IndexRange& range : window)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", range.begin, range.end);
  return text;
}

// Columns that the widest grid takes as text.
Index row_width(const Picture& picture) {
  Index width = 0;
  for (const Panel& panel : picture.panels) {
    Index cell = 0;
    for (const Cell& one : panel.cells) cell = std::max(cell, text_width(one.text));
    width = std::max(width, panel.columns * (cell + 2) + 8);
  }
  return width;
}

struct Drawing {
  const ShowRequest& request;
  const Layout& layout;
  ShowFile kind;
  bool on_terminal;  // the answer is read where it is written, not in a file

  ShowAnswer<Picture> picture() const {
    if (!request.compare.empty()) return comparison();
    if (request.tv) return thread_values();
    if (!request.divide.empty()) return divided();
    if (!request.compose.empty()) return operation("--compose", request.compose, composition_figure);
    if (!request.product.empty()) return operation("--product", request.product, product_figure);
    PictureOptions options;
    if (std::optional<ShowProblem> problem = read(options)) return {.problem = std::move(problem)};
    const LayoutView view = view_of(layout, to_string(layout));
    if (on_terminal) return on_paper_of(terminal_width(request), view, options);
    const bool linked = kind == ShowFile::html && options.view == View::index;
    return drawn(linked ? linked_views(view, options) : picture_of(view, options));
  }

  // A part of what is too large, in rows that are short enough.
  ShowAnswer<Picture> on_paper_of(Index width, const LayoutView& view, PictureOptions options) const {
    const bool whole = options.window.empty();
    if (whole) options.window = part_that_fits(view, options.view, width);
    ShowAnswer<Picture> answer = drawn(picture_of(view, options));
    const bool in_rows = options.view == View::memory || view.dims.size() == 1;
    for (const Index columns : {32, 16, 8, 4}) {
      if (!answer.value || !in_rows || options.columns > 0 || row_width(*answer.value) <= width) break;
      PictureOptions narrow = options;
      narrow.columns = columns;
      answer = drawn(picture_of(view, narrow));
    }
    if (answer.value && whole && !options.window.empty()) {
      answer.value->notes.push_back(fmt::format("a part only: --window {}", window_text(options.window)));
    }
    return answer;
  }

  // A window that is none of this layout is refused under its own text, whole.
  ShowAnswer<Picture> drawn(Result<Picture> picture) const {
    const bool of_window =
        !picture && !request.window.empty() &&
        (picture.error().code == Code::value_count || picture.error().code == Code::index_out_of_range);
    if (of_window) {
      picture.error().span = {0, static_cast<std::uint32_t>(request.window.size())};
      if (picture.error().help.empty())
        picture.error().help = "give a range BEGIN:END for each dimension, of the memory view one of offsets";
      return answer_of(std::move(picture), "--window", request.window);
    }
    return answer_of(std::move(picture), "<argument 1>", request.layout);
  }

  std::optional<ShowProblem> read(PictureOptions& options) const {
    options.view = request.view == "memory" ? View::memory : View::index;
    options.color_by = *parse_coloring(request.color_by);
    options.cell_text = *parse_cell_text(request.cells);
    options.columns = request.columns;
    options.bits = request.bytes * 8;
    if (request.window.empty()) return {};
    Result<std::vector<IndexRange>> window = parse_window(request.window);
    if (!window) return unreadable(window.error(), "--window", request.window);
    options.window = *std::move(window);
    return {};
  }

  ShowAnswer<Picture> comparison() const {
    const Result<Layout> other = parse_layout(request.compare);
    if (!other) return {.problem = unreadable(other.error(), "--compare", request.compare)};
    PictureOptions options;
    if (std::optional<ShowProblem> problem = read(options)) return {.problem = std::move(problem)};
    const LayoutView view = view_of(layout, to_string(layout));
    if (on_terminal && options.window.empty()) {
      options.window = part_that_fits(view, View::index, terminal_width(request));
    }
    return answer_of(comparison_of(view, view_of(*other, to_string(*other)), options), "--compare",
                     request.compare);
  }

  ShowAnswer<Picture> thread_values() const {
    const LayoutView view = view_of(layout, to_string(layout));
    std::vector<Index> tile = {1};
    if (request.tile.empty()) {
      for (const ViewDim& dim : view.dims) {
        if (mul_overflows(tile[0], dim.extent, tile[0])) tile[0] = kIndexMax;
      }
    } else {
      Result<std::vector<Index>> shape = parse_point(request.tile);
      if (!shape) return {.problem = unreadable(shape.error(), "--tile", request.tile)};
      tile = *std::move(shape);
    }
    Result<Picture> picture = thread_value_picture(view, tile, {.columns = request.columns});
    const bool of_tile = !picture && !request.tile.empty() && picture.error().code != Code::rank_mismatch;
    if (!of_tile) return drawn(std::move(picture));
    picture.error().span = {0, static_cast<std::uint32_t>(request.tile.size())};
    return answer_of(std::move(picture), "--tile", request.tile);
  }

  ShowAnswer<Picture> divided() const {
    const Result<StridedLayout> left = cute_layout(layout, "--divide");
    if (!left) return drawn(fail(left.error()));
    const Result<TrackedTiler> tiler = parse_cute_tiler(request.divide);
    if (!tiler) {
      Diagnostic error = tiler.error();
      if (error.help.empty())
        error.help = "--divide takes a tiler: <4,2>, or a layout for each mode, <4:1,2:4>";
      return {.problem = unreadable(std::move(error), "--divide", request.divide)};
    }
    return answer_of(divide_figure(*left, tiler->tiler), "--divide", request.divide);
  }

  ShowAnswer<Picture> operation(const char* option, const std::string& text,
                                Result<Picture> (*figure)(const StridedLayout&, const StridedLayout&)) const {
    const Result<StridedLayout> left = cute_layout(layout, option);
    if (!left) return drawn(fail(left.error()));
    Result<TrackedLayout> right = parse_cute_layout(text);
    if (right) return answer_of(figure(*left, right->layout), option, text);
    if (right.error().help.empty())
      right.error().help = fmt::format("{} takes a layout, like 2:4; tilers are for --divide", option);
    return {.problem = unreadable(right.error(), option, text)};
  }
};

}  // namespace

ShowProblem problem_in(Diagnostic diagnostic, std::string name, const std::string& text) {
  const int status = status_of(diagnostic.code);
  return {std::move(diagnostic), std::make_shared<const Source>(std::move(name), text), status};
}

ShowProblem unreadable(Diagnostic diagnostic, std::string name, const std::string& text, std::size_t line) {
  const int status = diagnostic.code == Code::limit ? kFailed : kBadInput;
  return {std::move(diagnostic), std::make_shared<const Source>(std::move(name), text, line), status};
}

Index terminal_width(const ShowRequest& request) {
  if (request.width > 0) return request.width;
  winsize size = {};
  if (::isatty(1) != 0 && ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

ShowAnswer<Picture> picture_for(const ShowRequest& request, const Layout& layout, ShowFile kind,
                                bool on_terminal) {
  return Drawing{request, layout, kind, on_terminal}.picture();
}

}  // namespace tessera::cli
