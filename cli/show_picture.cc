// SPDX-License-Identifier: Apache-2.0
#include "cli/show_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/draw/layout_picture.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/cute.h"
#include "tessera/notation/layout.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

// The layout as an operand of the CuTe algebra: a strided layout, or swizzles that end in one.
Result<ComposedLayout> cute_layout(const Layout& layout, const char* option) {
  if (layout.strided() != nullptr && !layout.is_cropped()) return ComposedLayout(*layout.strided());
  if (layout.composed() != nullptr && !layout.is_cropped()) return *layout.composed();
  return fail(Code::argument_type, fmt::format("{} takes CuTe layouts, not {}", option, to_string(layout)),
              {}, "write the layout as CuTe does, like (4,8):(8,1)");
}

// The window of a large layout that fits on a terminal of this width. Empty if the whole layout fits.
std::vector<IndexRange> part_that_fits(const LayoutView& view, PictureOptions options, Index width) {
  constexpr Index kMostRows = 64;
  constexpr Index kRowsOfPart = 32;
  constexpr Index kSlices = 16;
  constexpr Index kLine = 512;
  if (options.view == View::memory) {
    return view.buffer.value_or(0) > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  }
  const std::size_t rank = view.dims.size();
  if (rank == 0 || view.size() == 0) return {};
  if (rank == 1)
    return view.dims[0].drawn > kLine ? std::vector<IndexRange>{{0, kLine}} : std::vector<IndexRange>{};
  const std::size_t row = view.first_fastest ? 0 : rank - 2;
  std::vector<IndexRange> window(rank);
  // Then take the other dimensions, the fastest first, up to kSlices grids.
  Index slices = 1;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t i = view.first_fastest ? k : rank - 1 - k;
    if (i == row || i == row + 1) continue;
    window[i].end = std::min(view.dims[i].drawn, std::max<Index>(kSlices / slices, 1));
    slices *= window[i].end;
  }
  const Index all_rows = view.dims[row].drawn;
  const Index all_columns = view.dims[row + 1].drawn;
  window[row].end = all_rows > kMostRows ? kRowsOfPart : all_rows;
  Index& columns = window[row + 1].end;
  // Sets the columns. Returns whether the picture is narrow enough.
  const auto try_columns = [&](Index count, bool compact) {
    columns = count;
    options.window = window;
    const Result<Picture> picture = picture_of(view, options);
    return !picture || text_columns(*picture, compact) <= width;  // an error is reported later
  };
  const Index most =
      std::clamp<Index>(std::min(width / 2, kMaxCells / (window[row].end * slices)), 1, all_columns);
  if (most < all_columns || !(try_columns(most, false) || try_columns(most, true))) {
    Index low = 1;
    for (Index high = most; low < high;) {
      const Index middle = low + (high - low + 1) / 2;
      if (try_columns(middle, false)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    columns = low > 8 ? low - low % 8 : low;
  }
  const bool whole = std::ranges::equal(window, view.dims, {}, &IndexRange::end, &ViewDim::drawn);
  return whole ? std::vector<IndexRange>{} : window;
}

// The note about a partial picture: `showing columns 0–15 of 64; use --window or --width`.
std::string part_note(const LayoutView& view, const std::vector<IndexRange>& window, View kind, bool ascii) {
  const std::size_t rank = view.dims.size();
  const std::size_t row = view.first_fastest || rank < 2 ? 0 : rank - 2;
  std::string parts;
  bool narrow = false;
  const auto add = [&](std::string name, IndexRange range, Index of) {
    if (range.begin == 0 && range.end == of) return;
    std::string places = fmt::format("{}", range.begin);
    if (range.end - range.begin > 1) {
      places += fmt::format("{}{}", ascii ? "-" : "–", range.end - 1);
    } else if (name.ends_with('s')) {
      name.pop_back();
    }
    parts += fmt::format("{}{} {} of {}", parts.empty() ? "" : ", ", name, places, of);
  };
  if (kind == View::memory) {
    add("offsets", window[0], view.buffer.value_or(0));
  } else {
    for (std::size_t i = 0; i < rank; ++i) {
      const bool column = rank > 1 && i == row + 1;
      add(rank == 1  ? "elements"
          : i == row ? "rows"
          : column   ? "columns"
                     : view.dims[i].name,
          window[i], view.dims[i].drawn);
      narrow = narrow || (column && window[i].end < view.dims[i].drawn);
    }
  }
  return fmt::format("showing {}; use --window{}", parts, narrow ? " or --width" : "");
}

struct Drawing {
  const ShowRequest& request;
  const Layout& layout;
  ShowFile kind;
  bool on_terminal;  // standard output, not a file

  ShowAnswer<Picture> picture() const {
    if (!request.compare.empty()) return comparison();
    if (request.tv) return thread_values();
    if (!request.divide.empty()) return divided();
    if (!request.compose.empty()) return operation("--compose", request.compose, composition_figure);
    if (!request.product.empty()) return operation("--product", request.product, product_figure);
    PictureOptions options;
    if (std::optional<ShowProblem> problem = read(options)) return {.problem = std::move(problem)};
    const LayoutView view = view_of(layout, to_string(layout));
    if (on_terminal) return fitted(terminal_width(request.width), view, options);
    const bool linked = kind == ShowFile::html && options.view == View::index;
    return drawn(linked ? linked_views(view, options) : picture_of(view, options));
  }

  // The picture of the part of a large layout that fits the width.
  ShowAnswer<Picture> fitted(Index width, const LayoutView& view, PictureOptions options) const {
    const bool whole = options.window.empty();
    if (whole) options.window = part_that_fits(view, options, width);
    ShowAnswer<Picture> answer = drawn(picture_of(view, options));
    const bool in_rows = (options.view == View::memory || view.dims.size() == 1) && options.columns == 0;
    if (answer.value && in_rows && !answer.value->panels.empty()) {
      // Layouts without structure have rows of 32 by default. On a wide terminal, use 64.
      const Panel& panel = answer.value->panels[0];
      const bool long_rows = panel.columns == 32 && panel.rows > 1;
      for (const Index columns : {64, 32, 16, 8, 4}) {
        if (columns > 32 ? !long_rows : text_columns(*answer.value) <= width) continue;
        PictureOptions other = options;
        other.columns = columns;
        ShowAnswer<Picture> rows = drawn(picture_of(view, other));
        if (columns < 64 || (rows.value && text_columns(*rows.value) <= width)) answer = std::move(rows);
      }
    }
    if (answer.value && whole && !options.window.empty()) {
      answer.value->notes.push_back(part_note(view, options.window, options.view, request.style == "ascii"));
    }
    return answer;
  }

  // Makes errors about the window point at --window.
  ShowAnswer<Picture> drawn(Result<Picture> picture) const {
    const bool of_window =
        !picture && !request.window.empty() &&
        (picture.error().code == Code::value_count || picture.error().code == Code::index_out_of_range);
    if (of_window) {
      picture.error().span = {0, static_cast<std::uint32_t>(request.window.size())};
      if (picture.error().help.empty())
        picture.error().help = "give one range BEGIN:END per dimension, or one of offsets with --view memory";
      return answer_of(std::move(picture), "--window", request.window);
    }
    return answer_of(std::move(picture), "<argument 1>", request.layout);
  }

  std::optional<ShowProblem> read(PictureOptions& options) const {
    options.view = request.view == "memory" ? View::memory : View::index;
    options.color_by = *parse_coloring(request.color_by);
    options.cell_text = *parse_cell_text(request.cells);
    options.columns = request.columns;
    options.bits = element_bits(request);
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
      options.window = part_that_fits(view, options, terminal_width(request.width));
    }
    return answer_of(comparison_of(view, view_of(*other, to_string(*other)), options), "--compare",
                     request.compare);
  }

  ShowAnswer<Picture> thread_values() const {
    const LayoutView view = view_of(layout, to_string(layout));
    std::vector<Index> tile = {1};
    const Atom* const atom = named_atom(request.layout);
    if (request.tile.empty() && atom != nullptr && atom->kind == AtomKind::fragment) {
      tile = {atom->codomain[0].extent, atom->codomain[1].extent};
    } else if (request.tile.empty()) {
      for (const ViewDim& dim : view.dims) {
        if (mul_overflows(tile[0], dim.extent, tile[0])) tile[0] = kIndexMax;
      }
    } else {
      Result<std::vector<Index>> shape = parse_shape(request.tile);
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
    const Result<ComposedLayout> left = cute_layout(layout, "--divide");
    if (!left) return drawn(fail(left.error()));
    const Result<TrackedTiler> tiler = parse_cute_tiler(request.divide);
    if (!tiler) {
      Diagnostic error = tiler.error();
      if (error.help.empty()) error.help = "--divide takes a tiler: <4,2>, or one layout per mode, <4:1,2:4>";
      return {.problem = unreadable(std::move(error), "--divide", request.divide)};
    }
    return answer_of(divide_figure(*left, tiler->tiler), "--divide", request.divide);
  }

  ShowAnswer<Picture> operation(const char* option, const std::string& text,
                                Result<Picture> (*figure)(const ComposedLayout&,
                                                          const StridedLayout&)) const {
    const Result<ComposedLayout> left = cute_layout(layout, option);
    if (!left) return drawn(fail(left.error()));
    Result<TrackedLayout> right = parse_cute_layout(text);
    if (right) return answer_of(figure(*left, right->layout), option, text);
    if (right.error().help.empty())
      right.error().help = fmt::format("{} takes a layout, like 2:4; --divide takes tilers", option);
    return {.problem = unreadable(right.error(), option, text)};
  }
};

}  // namespace

ShowProblem problem_in(Diagnostic diagnostic, std::string name, const std::string& text) {
  const int status = status_of(diagnostic);
  return {std::move(diagnostic), std::make_shared<const Source>(std::move(name), text), status};
}

ShowProblem unreadable(Diagnostic diagnostic, std::string name, const std::string& text, std::size_t line) {
  const int status = diagnostic.code == Code::limit ? kFailed : kBadInput;
  return {std::move(diagnostic), std::make_shared<const Source>(std::move(name), text, line), status};
}

Index element_bits(const ShowRequest& request) {
  const Atom* const atom = named_atom(request.layout);
  if (request.bytes > 0 || atom == nullptr) return request.bytes * 8;
  return atom->element_bits.value_or(0);
}

ShowAnswer<Picture> picture_for(const ShowRequest& request, const Layout& layout, ShowFile kind,
                                bool on_terminal) {
  return Drawing{request, layout, kind, on_terminal}.picture();
}

}  // namespace tessera::cli
